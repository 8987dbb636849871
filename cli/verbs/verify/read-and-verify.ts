import type { PlacementProof } from '../../../workflows/history/placements/types.ts';
import {
  createPlacementVerifier,
  type PlacementVerifier,
} from '../../../workflows/history/placements/verify-placements.ts';
import { createStreamVerifier, type StreamChecks } from '../../../workflows/history/verify/verify-stream.ts';
import type { KafkaConnection } from '../../../services/adapters/kafka/connection.ts';
import type { LedgerRecord } from '../../../services/adapters/kafka/subscription.ts';
import type { Checkpoint } from '../../checkpoint/checkpoint.ts';
import { compareLedger, type LedgerComparison } from '../../checkpoint/compare-ledger.ts';
import { createStreams, type WantedStream } from '../../ledger/streams.ts';
import type { StateDirOption } from '../../options.ts';
import { createAllStreams, createWholeStreams } from './all-streams.ts';
import { comparedCheckpoint } from './compared-checkpoint.ts';
import { openExport, openReading, type EventReading } from './reading.ts';
import { verifiedStreams, type Verified, type VerifiedDecisions } from './report.ts';

export interface Verify {
  /** The ledger, or an export. */
  source: KafkaConnection | { file: string };
  /** The wanted streams; if the list is empty, no decision is repeated. */
  wanted: 'all' | readonly WantedStream[];
  checks: Partial<StreamChecks>;
  /**
   * True to prove that placed Jobs ran in one cluster at a time; with `wanted: 'all'`, the proof is also made if placed Jobs exist.
   */
  placements: boolean;
  /** The checkpoint to compare with a ledger; it does not apply to an export. */
  checkpoint: Checkpoint | null;
  /** True when the checkpoint counts as a proof of the records that it covers. */
  isProvedBefore: boolean;
}

/** The source of the events, with the checks that each event passes in the first reading. */
interface Source {
  reading: EventReading;
  comparison: LedgerComparison | null;
  isProved: (record: LedgerRecord | null) => boolean;
  /** Receives each event of the first reading. */
  placements: PlacementVerifier | null;
}

/** The largest number of streams that are read again completely at the same time. */
const AGAIN_AT_ONCE = 1000;

/** Verifies the wanted streams of a ledger or an export, and measures the time. */
export async function readAndVerify(verify: Verify, options: StateDirOption): Promise<Verified> {
  const begin = performance.now();
  const { source } = verify;
  const found =
    'file' in source
      ? await verifyEvents(verify, await openExport(source.file), null)
      : await verifyLedger(verify, source, options);
  return { ...found, seconds: (performance.now() - begin) / 1000 };
}

type Found = Omit<Verified, 'seconds'>;

/** Verifies a ledger, and compares it with the checkpoint. */
async function verifyLedger(
  verify: Verify,
  connection: KafkaConnection,
  options: StateDirOption,
): Promise<Found> {
  const { checkpoint, wanted, placements } = verify;
  const reading = await openReading(connection);
  const { extents, records } = reading;
  const expires = connection.config.JOBLEDGER_LEDGER_RETENTION_MS >= 0;
  const topic = { topic: connection.topics.ledger, extents, expires };
  const comparison = checkpoint === null ? null : compareLedger(checkpoint, topic);
  const isOnlyCompared = wanted.length === 0 && !placements;
  if (isOnlyCompared) await reading.raw((record) => comparison?.add(record));
  const found = isOnlyCompared
    ? { decisions: null, placements: null, checkpoint: null, records }
    : await verifyEvents(verify, reading, comparison);
  const compared = comparison?.result();
  if (checkpoint === null || compared === undefined) return found;
  const ledger = { connection, extents };
  return { ...found, checkpoint: await comparedCheckpoint(checkpoint, compared, ledger, options) };
}

/** Verifies the decisions and the placements of the events that a reading returns. */
async function verifyEvents(
  { wanted, checks, isProvedBefore, placements: isAsked }: Verify,
  reading: EventReading,
  comparison: LedgerComparison | null,
): Promise<Found> {
  // True when the checkpoint proves that the record is unchanged.
  const isProved = (record: LedgerRecord | null): boolean =>
    isProvedBefore && record !== null && comparison?.covers(record) === true;
  const placements = isAsked || wanted === 'all' ? createPlacementVerifier() : null;
  const source: Source = { reading, comparison, isProved, placements };
  const decisions = await verifyStreams(wanted, checks, source);
  const proof = placements === null ? null : await provePlacements(reading, placements);
  const isShown = isAsked || (proof?.jobs ?? 0) > 0;
  return { decisions, placements: isShown ? proof : null, checkpoint: null, records: reading.records };
}

/** Adds the streams of the members to the proof about placed Jobs; the streams of their homes have been read already. */
async function provePlacements(reading: EventReading, verifier: PlacementVerifier): Promise<PlacementProof> {
  for (const pass of [verifier.pods, verifier.elsewhere]) {
    const streams = pass.streams();
    if (streams.size > 0) await reading.readEvents(streams, (event) => pass.add(event));
  }
  return verifier.result();
}

/** Repeats the decisions of the wanted streams; null if no stream is wanted. */
async function verifyStreams(
  wanted: Verify['wanted'],
  checks: Verify['checks'],
  source: Source,
): Promise<VerifiedDecisions | null> {
  if (wanted === 'all') return verifyAll(checks, source);
  const streams = createStreams(wanted, () => createStreamVerifier(checks));
  const unreadable = await readOnce(source, wanted.length === 0 ? null : streams);
  return wanted.length === 0 ? null : verifiedStreams(streams.chosen(), unreadable);
}

/** Repeats the decisions of all streams, and reads the incomplete streams again. */
async function verifyAll(checks: Verify['checks'], source: Source): Promise<VerifiedDecisions> {
  const { reading, isProved } = source;
  const streams = createAllStreams(checks);
  const unreadable = await readOnce(source, streams);
  const results = streams.results();
  const again = streams.incomplete();
  for (let at = 0; at < again.length; at += AGAIN_AT_ONCE) {
    const some = createWholeStreams(checks, new Set(again.slice(at, at + AGAIN_AT_ONCE)));
    await reading.events((event, record) => some.add(event, isProved(record)));
    results.push(...some.results());
  }
  return { jobs: streams.jobs(), cronJobs: streams.cronJobs(), results, unreadable };
}

/** Reads all events once, and passes them to the verifications. Returns the number of unreadable records. */
function readOnce(
  { reading, comparison, isProved, placements }: Source,
  streams: Pick<ReturnType<typeof createAllStreams>, 'add'> | null,
): Promise<number> {
  return reading.events(
    (event, record) => {
      streams?.add(event, isProved(record));
      placements?.grants.add(event);
    },
    (record) => comparison?.add(record),
  );
}
