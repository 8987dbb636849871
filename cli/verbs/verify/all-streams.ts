import { inflateRawSync } from 'node:zlib';
import { deserialize, serialize } from 'node:v8';
import { createHash } from 'node:crypto';
import type { Verification } from '../../../workflows/history/verify/finding.ts';
import type { StreamMemory } from '../../../workflows/history/verify/stream-memory.ts';
import {
  createStreamVerifier,
  type StreamChecks,
  type StreamVerifier,
} from '../../../workflows/history/verify/verify-stream.ts';
import { isDecision } from '../../../workflows/decision/stream.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { isSnapshot } from '../../../workflows/record/recalled.ts';
import { endsStream, keyOfStream, streamNamed, streamName, type Named } from '../../ledger/streams.ts';
import type { StreamResult } from './report.ts';
import { deflateExactly } from '../../../services/adapters/deflated.ts';

/**
 * Verifies all streams of a ledger. The memory depends on the number of existing Jobs and CronJobs, not on the length
 * of the history.
 */
export interface AllStreams {
  add(event: LedgerEvent, isProved: boolean): void;
  /** The results of all streams except the incomplete streams. */
  results(): StreamResult[];
  /**
   * Keys of streams in which a record refers to an earlier, forgotten record; the caller reads these streams again
   * completely.
   */
  incomplete(): string[];
  /** The Jobs and the CronJobs about which decisions were made. */
  jobs(): number;
  cronJobs(): number;
}

/** A stream with recent events. */
interface Open {
  name: Named;
  /** The number of the stream in the order of the streams' first events. */
  number: number;
  verifier: StreamVerifier;
  /** The number of the stream's last event. */
  last: number;
  isDeleted: boolean;
  /** True when the stream has a decision, so that it is counted as a Job or CronJob. */
  isCounted: boolean;
}

/** A stream without recent events, whose object exists or is not known to be deleted. */
interface Packed extends Omit<Open, 'verifier'> {
  result: Verification;
  memory: Buffer;
}

/** The result of a deleted object without recent events; a number of decisions if there is nothing else to report. */
type Closed = number | StreamResult;

/** A stream is packed or closed when this many events of other streams have followed its last event. */
const QUIET_AFTER = 5000;

/** Creates the verification of all streams. A stream without events is packed or closed after `quietAfter` other events. */
export function createAllStreams(checks: Partial<StreamChecks>, quietAfter = QUIET_AFTER): AllStreams {
  const open = new Map<string, Open>();
  const packed = new Map<string, Packed>();
  const closed = new Map<number, Closed>();
  const incomplete = new Set<string>();
  const counts = { events: 0, streams: 0, jobs: 0, cronJobs: 0 };
  // A verifier that continues from a stored memory.
  const verifierFrom = (memory?: StreamMemory): StreamVerifier =>
    createStreamVerifier({ ...checks, dropsHistory: true }, memory);

  // Begins the verification of a new stream.
  const start = (name: Named): Open => {
    counts.streams += 1;
    const verifier = verifierFrom();
    return { name, number: counts.streams, verifier, last: 0, isDeleted: false, isCounted: false };
  };
  // Counts the Job or CronJob of a stream at its first decision.
  const count = (stream: Open, event: LedgerEvent): void => {
    if (stream.isCounted || !isDecision(event)) return;
    stream.isCounted = true;
    if (stream.name.kind === 'job') counts.jobs += 1;
    if (stream.name.kind === 'cronjob') counts.cronJobs += 1;
  };
  // Continues the verification of a packed stream.
  const reopen = (key: string): Open | undefined => {
    const found = packed.get(key);
    if (found === undefined) return undefined;
    packed.delete(key);
    const { result: _result, memory, ...stream } = found;
    return { ...stream, verifier: verifierFrom(unpackMemory(memory)) };
  };
  // Adds an event to a closed stream, which becomes incomplete if the event needs earlier ones.
  const addToClosed = (key: string, name: Named, event: LedgerEvent, isProved: boolean): void => {
    const mark = closedKey(key);
    // A fact is checked without other events, but a decision or a snapshot needs the events before it.
    const checking = verifierFrom();
    if (isDecision(event) || isSnapshot(event)) incomplete.add(key);
    else checking.add(event, isProved);
    const { findings } = checking.result();
    const before = closed.get(mark) ?? 0;
    if (incomplete.has(key)) closed.delete(mark);
    else if (findings.length > 0) closed.set(mark, streamWithFindings({ before, name, findings }));
  };
  // Packs a stream, or closes the stream of a deleted object.
  const packOrClose = (key: string, stream: Open): void => {
    open.delete(key);
    const { verifier, ...rest } = stream;
    const result = verifier.result();
    if (!stream.isDeleted) packed.set(key, { ...rest, result, memory: packMemory(verifier.condensed()) });
    else if (hasNothing(result)) closed.set(closedKey(key), result.decisions);
    else closed.set(closedKey(key), toResult({ ...rest, result }));
  };
  // Packs or closes all streams without recent events.
  const packOrCloseQuiet = (): void => {
    for (const [key, stream] of open) {
      if (counts.events - stream.last < quietAfter) return;
      packOrClose(key, stream);
    }
  };
  return {
    add(event, isProved) {
      counts.events += 1;
      const name = streamNamed(event);
      const key = keyOfStream(name);
      if (incomplete.has(key)) return;
      const known = open.get(key) ?? reopen(key);
      if (known === undefined && closed.has(closedKey(key))) return addToClosed(key, name, event, isProved);
      const stream = known ?? start(name);
      if (stream.name.name === '') stream.name = name;
      stream.last = counts.events;
      count(stream, event);
      if (endsStream(event)) stream.isDeleted = true;
      stream.verifier.add(event, isProved);
      // The new insertion keeps the map in the order of the streams' last events.
      open.delete(key);
      if (stream.verifier.memory().isIncomplete) incomplete.add(key);
      else open.set(key, stream);
      packOrCloseQuiet();
    },
    results: () => [
      ...[...closed.values()].map((each) => (typeof each === 'number' ? onlyDecisions(each) : each)),
      ...[...packed.values()].map(toResult),
      ...[...open.values()].map((each) => toResult({ ...each, result: each.verifier.result() })),
    ],
    incomplete: () => [...incomplete],
    jobs: () => counts.jobs,
    cronJobs: () => counts.cronJobs,
  };
}

/** Verifies the streams with these keys, and keeps their whole history in memory. */
export function createWholeStreams(
  checks: Partial<StreamChecks>,
  keys: ReadonlySet<string>,
): Pick<AllStreams, 'add' | 'results'> {
  const streams = new Map<string, { name: Named; number: number; verifier: StreamVerifier }>();
  return {
    add(event, isProved) {
      const name = streamNamed(event);
      const key = keyOfStream(name);
      if (!keys.has(key)) return;
      const stream = streams.get(key) ?? {
        name,
        number: streams.size,
        verifier: createStreamVerifier(checks),
      };
      if (stream.name.name === '') stream.name = name;
      streams.set(key, stream);
      stream.verifier.add(event, isProved);
    },
    results: () => [...streams.values()].map((each) => toResult({ ...each, result: each.verifier.result() })),
  };
}

/** A 48-bit hash of a key, because a number takes less memory than the key of a deleted Job. */
function closedKey(key: string): number {
  return createHash('sha256').update(key).digest().readUIntBE(0, 6);
}

/** True when a verification has no findings, and no unchecked decisions. */
function hasNothing({ unchecked, findings }: Verification): boolean {
  return unchecked === 0 && findings.length === 0;
}

/** The result of a stream of which only the number of decisions is known. */
function onlyDecisions(decisions: number): StreamResult {
  return { stream: '', number: 0, decisions, unchecked: 0, findings: [] };
}

/** The result of a stream, with its name and number. */
function toResult({
  name,
  number,
  result,
}: {
  name: Named;
  number: number;
  result: Verification;
}): StreamResult {
  return { stream: streamName(name), number, ...result };
}

/** The result of a closed stream, with findings about its later events. */
function streamWithFindings({
  before,
  name,
  findings,
}: {
  before: Closed;
  name: Named;
  findings: Verification['findings'];
}): StreamResult {
  const result = typeof before === 'number' ? onlyDecisions(before) : before;
  return { ...result, stream: streamName(name), findings: [...result.findings, ...findings] };
}

/** Compresses the memory of a stream's verification, to about 2.5 KB for a finished Job. */
function packMemory(memory: StreamMemory): Buffer {
  return deflateExactly(serialize(memory), { level: 1 });
}

/** Restores the memory of a stream's verification. */
function unpackMemory(packed: Buffer): StreamMemory {
  return deserialize(inflateRawSync(packed)) as StreamMemory;
}
