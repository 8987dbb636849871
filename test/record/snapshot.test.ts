import { beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import * as cronCore from '../../workflows/cron-job/core.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import { CRON_JOB } from '../../workflows/cron-job/kind.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import { foldStream } from '../../workflows/decision/folding.ts';
import { live, moves, policies } from '../cron-job/life.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { JOB } from '../../workflows/job/kind.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import type { AnyState } from '../../workflows/kind.ts';
import {
  recalledForm,
  replayInSteps,
  type FoldStart,
  type Recalled,
} from '../../workflows/record/recalled.ts';
import { foldStart } from '../../workflows/record/snapshot.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import { runToEnd, lastSnapshot, withSnapshots } from '../support/snapshots.ts';
import { crowdedStream, randomStreams } from '../support/random-streams.ts';

/** The events that a recall reads: the first that the last snapshot has not folded, and all later ones. */
function snapshotTail(stream: readonly JobEvent[]): JobEvent[] {
  const last = stream.findLast((event) => event.type === 'job.snapshotted');
  const first = last?.data.unfolded[0] ?? last?.data.until;
  return stream.slice(stream.findIndex(({ id }) => id === first));
}

function stateFrom(start: FoldStart | null): AnyState | null {
  return start === null ? null : runToEnd(replayInSteps(JOB, start));
}

function recalledAll(events: readonly JobEvent[]): Recalled[] {
  return events.map((event) => recalledForm(JOB, event));
}

describe('a snapshot of a Job', () => {
  let streams: JobEvent[][];
  beforeAll(async () => {
    streams = [...(await randomStreams(80, 20261122)), await crowdedStream()];
  }, 60_000);

  it('gives, with the events after it, the same state as the whole stream', () => {
    let [snapshots, read, all, unused] = [0, 0, 0, 0];
    for (const stream of streams) {
      const events = withSnapshots(stream, 6);
      if (events.length === stream.length) continue;
      const tail = snapshotTail(events);
      const start = foldStart(JOB, recalledAll(tail), false);
      // Of a decision that was superseded with the one after it: a recall reads the whole stream.
      if (start === null) unused += 1;
      else expect(stateFrom(start)).toStrictEqual(replay(stream));
      snapshots += events.length - stream.length;
      [read, all] = [read + tail.length, all + events.length];
    }
    expect(snapshots).toBeGreaterThan(150);
    expect(unused).toBeLessThan(5);
    expect(read / all).toBeLessThan(0.5);
  });

  it('does not change the state that is folded from the beginning of the stream', () => {
    for (const stream of streams) expect(replay(withSnapshots(stream, 3))).toStrictEqual(replay(stream));
  });

  it('is not used when its content was changed', () => {
    const stream = streams.find((each) => withSnapshots(each, 6).length > each.length + 2) ?? [];
    const events = withSnapshots(stream, 6);
    const changed = events.map((event) =>
      event.type === 'job.snapshotted'
        ? { ...event, data: { ...event.data, state: { ...event.data.state, jobGone: true } } }
        : event,
    );
    expect(stateFrom(foldStart(JOB, recalledAll(changed), true))).toStrictEqual(replay(stream));
    expect(foldStart(JOB, recalledAll(snapshotTail(changed)), false)).toBeNull();
  });

  it('is not used when its state has another format', () => {
    const stream = streams.find((each) => withSnapshots(each, 6).length > each.length + 2) ?? [];
    const events = withSnapshots(stream, 6).map((event) => {
      if (event.type !== 'job.snapshotted') return event;
      const data = { ...event.data, stateFormat: 'another', state: {} as JobState };
      return { ...event, data, digest: computeDigest(data) };
    });
    expect(stateFrom(foldStart(JOB, recalledAll(events), true))).toStrictEqual(replay(stream));
  });

  it('is not used when an event is missing that it names as not yet folded', () => {
    const stream = streams.find((each) => (lastSnapshot(each)?.data.unfolded.length ?? 0) > 2) ?? [];
    const snapshot = lastSnapshot(stream);
    const missing = new Set([snapshot?.data.unfolded[1]]);
    const events = [...stream, ...(snapshot === null ? [] : [snapshot])].filter(({ id }) => !missing.has(id));
    expect(foldStart(JOB, recalledAll(snapshotTail(events)), false)).toBeNull();
  });
});

describe('a snapshot of a CronJob', () => {
  const worlds = fc.sample(
    fc.tuple(policies, moves).map(([policy, drawn]) => live(policy, drawn)),
    { numRuns: 60, seed: 20261126 },
  );

  it('gives, with the events after it, the same state as the whole stream', () => {
    let [snapshots, read, all] = [0, 0, 0];
    for (const { stream } of worlds) {
      const events = withSnapshots<CronJobEvent>(stream, 4);
      const last = events.findLast((event) => event.type === 'cronjob.snapshotted');
      if (last === undefined) continue;
      const first = last.data.unfolded[0] ?? last.data.until;
      const tail = events.slice(events.findIndex(({ id }) => id === first));
      const start = foldStart(
        CRON_JOB,
        tail.map((event) => recalledForm(CRON_JOB, event)),
        false,
      );
      expect(start === null ? null : runToEnd(replayInSteps(CRON_JOB, start))).toStrictEqual(
        foldStream(stream, cronCore),
      );
      expect(verifyStream(events).findings).toEqual([]);
      snapshots += events.length - stream.length;
      [read, all] = [read + tail.length, all + events.length];
    }
    expect(snapshots).toBeGreaterThan(100);
    expect(read / all).toBeLessThan(0.6);
  });

  it('is reported by verify when its content was changed, and is then not used', () => {
    const stream = worlds.map((world) => world.stream).find((each) => lastSnapshot(each) !== null) ?? [];
    const snapshot = lastSnapshot<CronJobEvent>(stream);
    if (snapshot === null) throw new Error('no snapshot');
    const data = { ...snapshot.data, state: { ...snapshot.data.state, gone: true } };
    const forged = { ...snapshot, data, digest: computeDigest(data) };
    expect(verifyStream([...stream, forged]).findings).toMatchObject([
      { type: 'different', event: snapshot.id },
    ]);
    const changed = [...stream, { ...snapshot, data }].map((event) => recalledForm(CRON_JOB, event));
    expect(foldStart(CRON_JOB, changed, true)?.decision).toBeNull();
  });
});
