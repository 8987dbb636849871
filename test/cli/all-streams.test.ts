import { beforeAll, describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { decodeJobEvent } from '../support/decode-job-event.ts';
import { createStreams, keyOfStream, streamNamed } from '../../cli/ledger/streams.ts';
import { createObservation, foreignRecords } from '../support/poisoned-streams.ts';
import { createAllStreams, createWholeStreams } from '../../cli/verbs/verify/all-streams.ts';
import type { StreamResult } from '../../cli/verbs/verify/report.ts';
import {
  createStreamVerifier,
  verifyStream,
  type StreamChecks,
} from '../../workflows/history/verify/verify-stream.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { JOB_CORES } from '../../workflows/cores/cores.ts';
import { generateLedger } from '../bench/ledger/generate.ts';
import type { JobState } from '../../workflows/job/state.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { aWorld, change, remove, runUntil, time, work } from '../cron-job/world.ts';
import { aRecordedJob, aRecorder, type Recorder } from '../history/a-stream.ts';
import { aJob, CLUSTER, JOB_UID, jobObserved } from '../projector/builders.ts';
import { lastSnapshot } from '../support/snapshots.ts';

interface Totals {
  decisions: number;
  unchecked: number;
  findings: string[];
}

/** With every stream kept whole. */
function whole(events: readonly JobEvent[], checks: Partial<StreamChecks> = {}): Totals {
  const streams = new Map<string, JobEvent[]>();
  for (const event of events) {
    const key = keyOfStream(streamNamed(event));
    streams.set(key, [...(streams.get(key) ?? []), event]);
  }
  return totals([...streams.values()].map((stream) => verifyStream(stream, checks)));
}

/** As `admin verify --all`: quiet streams are packed or closed, incomplete ones are read again. */
function streamed(
  events: readonly LedgerEvent[],
  quietAfter: number,
  checks: Partial<StreamChecks> = {},
): Totals & { again: number } {
  const streams = createAllStreams(checks, quietAfter);
  for (const event of events) streams.add(event, false);
  const again = new Set(streams.incomplete());
  const second = createWholeStreams(checks, again);
  for (const event of events) second.add(event, false);
  return { ...totals([...streams.results(), ...second.results()]), again: again.size };
}

function totals(results: readonly Pick<StreamResult, 'decisions' | 'unchecked' | 'findings'>[]): Totals {
  return {
    decisions: results.reduce((sum, { decisions }) => sum + decisions, 0),
    unchecked: results.reduce((sum, { unchecked }) => sum + unchecked, 0),
    findings: results
      .flatMap(({ findings }) => findings.map(({ event, message }) => `${event}: ${message}`))
      .toSorted(),
  };
}

/** A Job about which thirty decisions are made, with the states after them. */
function manyDecisions(): { recorder: Recorder; states: JobState[] } {
  const recorder = aRecorder();
  const states: JobState[] = [];
  for (let version = 1; version <= 30; version += 1) {
    const metadata = { generation: version };
    const spec = { managedBy: 'jobledger.dev/job-controller' };
    recorder.append(jobObserved(version, aJob({ version, spec, metadata })));
    recorder.decide(version);
    states.push(recorder.state);
  }
  return { recorder, states };
}

/** The Job of `aRecordedJob` and `manyDecisions` is deleted. */
function aDeletion(): JobEvent {
  return withDigest<JobEvent>({
    ...(aRecordedJob().at(-1) as JobDecided),
    id: 'gone',
    type: 'job.deleted',
    data: { cluster: CLUSTER, jobUid: JOB_UID, resourceVersion: '99', seen: true },
  });
}

/** Facts of other Jobs. */
function others(count: number): JobEvent[] {
  return ledger.filter(({ type }) => type === 'pod.observed').slice(0, count);
}

let ledger: JobEvent[] = [];
beforeAll(async () => {
  const records = await generateLedger({ events: 2500, days: 2, variants: 1, until: Date.UTC(2026, 4, 1) });
  ledger = [...records].map(({ value }) => decodeJobEvent(value));
});

describe('the streams of a generated ledger', () => {
  it.each([1, 30, 1_000_000])(
    'are verified with the same result when the verifier compresses or closes them after %d other events',
    (quietAfter) => {
      const { again, ...found } = streamed(ledger, quietAfter);
      expect(found).toEqual(whole(ledger));
      expect(found.findings).toEqual([]);
      expect(found.decisions).toBeGreaterThan(300);
      if (quietAfter > 1) expect(again).toBe(0);
    },
  );

  it('give the same findings with and without compression when records are missing or changed', () => {
    const altered = ledger.flatMap((event, at) => {
      if (at % 97 === 0) return [];
      if (at % 89 === 0)
        return [withDigest<JobEvent>({ ...event, data: { ...event.data, forged: at } } as never)];
      return [event];
    });
    const expected = whole(altered);
    expect(expected.findings.length).toBeGreaterThan(10);
    for (const quietAfter of [3, 100]) {
      const { again: _again, ...found } = streamed(altered, quietAfter);
      expect(found).toEqual(expected);
    }
  });

  it('give the same findings with and without compression when another core decides, and from a given instant on', () => {
    const core = {
      ...JOB_CORES.present,
      decide: (...args: Parameters<typeof JOB_CORES.present.decide>) => {
        const verdict = JOB_CORES.present.decide(...args);
        return { ...verdict, nextDecisionAt: (verdict.nextDecisionAt ?? 0) + 1 };
      },
    };
    const middle = Date.parse(ledger[1250]?.time ?? '');
    for (const checks of [{ core }, { since: middle }]) {
      const { again: _again, ...found } = streamed(ledger, 30, checks);
      expect(found).toEqual(whole(ledger, checks));
    }
  });
});

describe('a decision that arrives late in the ledger', () => {
  const stream = aRecordedJob();
  const late = stream.findLast((event) => event.type === 'job.decided') as JobDecided;
  const before = stream.filter((event) => event !== late);

  it('is checked with the compressed events of its Job', () => {
    const events = [...before, ...others(50), late];
    expect(streamed(events, 10)).toEqual({ ...whole(events), again: 0 });
  });

  /** Thirty decisions, and one that continues from the third. */
  const long = (): JobEvent[] => {
    const { recorder, states } = manyDecisions();
    recorder.state = states[2] ?? recorder.state;
    recorder.append(jobObserved(40, aJob({ version: 40, spec: { suspend: true } })));
    recorder.decide(41);
    return recorder.stream;
  };

  it('makes the verifier read the Job again when it continues from a decision that the verifier no longer has in memory', () => {
    expect(streamed(long(), 10)).toEqual({ ...whole(long()), again: 1 });
    expect(whole(long())).toMatchObject({ decisions: 31, unchecked: 0, findings: [] });
  });

  it('can be compared in memory with the latest decisions of its stream only, because the verifier keeps no others', () => {
    const straight = long().slice(0, -2);
    const verifier = createStreamVerifier({ dropsHistory: true });
    for (const event of straight) verifier.add(event);
    expect(verifier.result()).toEqual({ decisions: 30, unchecked: 0, findings: [] });
    const { facts, known } = verifier.memory();
    expect([facts.size, known.size]).toEqual([4, 4]);
    const condensed = verifier.condensed();
    expect([condensed.facts.size, condensed.known.size]).toEqual([1, 2]);
  });

  it('makes the verifier read its Job again when the verifier has closed the stream of the Job after the deletion of the Job', () => {
    const events = [...before, aDeletion(), ...others(50), late];
    expect(streamed(events, 10)).toEqual({ ...whole(events), again: 1 });
    expect(whole(events)).toMatchObject({ decisions: 4, findings: [] });
  });
});

describe('a snapshot that is recorded late', () => {
  /** Thirty decisions, with a snapshot after the first ones, which stands a number of decisions later. */
  const withLateSnapshot = (decisionsLater: number): JobEvent[] => {
    const { stream } = manyDecisions().recorder;
    const at = (decision: number): number =>
      stream.findIndex(
        ({ type, data }) => type === 'job.decided' && 'number' in data && data.number === decision,
      );
    const snapshot = lastSnapshot(stream.slice(0, at(10) + 1));
    if (snapshot === null) throw new Error('no snapshot');
    const { number } = snapshot.data;
    const next = at(number + decisionsLater) + 1;
    return [...stream.slice(0, next), snapshot, ...stream.slice(next)];
  };
  it.each([1, 3, 4, 5, 6, 7, 8, 9, 15])(
    'is compared with the fold when it arrives %d decisions after its own decision',
    (later) => {
      const events = withLateSnapshot(later);
      const { again: _again, ...found } = streamed(events, 10);
      expect(found).toEqual({ decisions: 30, unchecked: 0, findings: [] });
      const changed = events.map((event) =>
        event.type === 'job.snapshotted'
          ? withDigest<JobEvent>({
              ...event,
              data: { ...event.data, state: { ...event.data.state, nextOrdinal: 9 } },
            })
          : event,
      );
      expect(streamed(changed, 10)).toMatchObject({
        findings: [expect.stringContaining('differs from the fold at nextOrdinal')],
      });
    },
  );

  it('is compared with the fold also after its Job was deleted and its stream closed', () => {
    const { stream } = manyDecisions().recorder;
    const snapshot = lastSnapshot(stream);
    if (snapshot === null) throw new Error('no snapshot');
    const events = [...stream, aDeletion(), ...others(50), snapshot];
    expect(streamed(events, 10)).toEqual({ ...whole(events), again: 1 });
    expect(whole(events)).toMatchObject({ decisions: 30, unchecked: 0, findings: [] });
  });
});

describe('the stream of a CronJob whose Jobs are deleted', () => {
  it('is not closed, and continues from its compressed events', () => {
    const world = aWorld({}, '2026-03-01T12:00:00Z');
    runUntil(world, time('2026-03-01T12:02:10Z'));
    remove(world, 'tick-29539441');
    work(world);
    const [before, decisions] = [world.stream.length, world.stream.filter(isDecision).length];
    change(world, { schedule: '@hourly' });
    runUntil(world, time('2026-03-01T14:00:10Z'));
    const events = [...world.stream.slice(0, before), ...aRecordedJob(), ...world.stream.slice(before)];
    const all = world.stream.filter(isDecision).length;
    expect(all).toBeGreaterThan(decisions);
    expect(streamed(events, 3)).toMatchObject({ decisions: all + 4, unchecked: 0, findings: [], again: 0 });
    const streams = createAllStreams({});
    for (const event of events) streams.add(event, false);
    expect([streams.jobs(), streams.cronJobs()]).toEqual([1, 1]);
  });
});

function isDecision({ type }: LedgerEvent): boolean {
  return type === 'cronjob.decided';
}

describe('an object without decisions, such as the CronJob with which a worker tests the built-in controller', () => {
  it('is verified, but not counted among the objects whose decisions are repeated', () => {
    const streams = createAllStreams({});
    const probes = (['Job', 'CronJob'] as const).map((kind) => createObservation(kind, `uid-of-${kind}`));
    for (const event of [...probes, ...aRecordedJob()]) streams.add(event, false);
    expect({ jobs: streams.jobs(), cronJobs: streams.cronJobs() }).toEqual({ jobs: 1, cronJobs: 0 });
    expect(streams.results()).toHaveLength(3);
  });
});

describe('records of another kind under the key of a Job', () => {
  it('do not belong to its stream: the verifier neither counts nor reports them, and no name selects them', () => {
    const [
      {
        data: { jobUid },
      },
    ] = aRecordedJob() as [JobDecided];
    const foreign = foreignRecords('Job', jobUid);
    expect(foreign).toHaveLength(4);
    for (const quietAfter of [0, 5000]) {
      const streams = createAllStreams({}, quietAfter);
      for (const event of [...foreign, ...aRecordedJob(), ...foreign]) streams.add(event, false);
      expect({ jobs: streams.jobs(), cronJobs: streams.cronJobs() }).toEqual({ jobs: 1, cronJobs: 0 });
      expect(totals(streams.results()).findings).toEqual([]);
      expect(totals(streams.results()).decisions).toBe(totals([verifyStream(aRecordedJob())]).decisions);
    }
    const wanted = createStreams(null, () => createStreamVerifier());
    for (const event of [...foreign, ...aRecordedJob(), ...foreign]) wanted.add(event);
    expect(wanted.chosen().map(({ kind, of }) => ({ kind, of }))).toEqual([{ kind: 'job', of: 'Job' }]);
  });
});
