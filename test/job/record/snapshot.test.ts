import { beforeAll, describe, expect, it } from '@jest/globals';
import type { JobEvent } from '../../../workflows/job/events.ts';
import { replay, replaying, type FoldStart } from '../../../workflows/job/record/replay.ts';
import { recalled } from '../../../workflows/job/record/recalled.ts';
import { foldStart } from '../../../workflows/job/record/snapshot.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import { digestOf } from '../../../workflows/job/definitions/digest.ts';
import { resultOf, snapshotOf, withSnapshots } from '../../support/snapshots.ts';
import { crowdedStream, randomStreams } from '../../support/random-streams.ts';

/** What a recall reads: from the first event that the last snapshot has not folded. */
function tailOf(stream: readonly JobEvent[]): JobEvent[] {
  const last = stream.findLast((event) => event.type === 'job.snapshotted');
  const first = last?.data.unfolded[0] ?? last?.data.until;
  return stream.slice(stream.findIndex(({ id }) => id === first));
}

function stateFrom(start: FoldStart | null): JobState | null {
  return start === null ? null : resultOf(replaying(start));
}

describe('a snapshot', () => {
  let streams: JobEvent[][];
  beforeAll(async () => {
    streams = [...(await randomStreams(80, 20261122)), await crowdedStream()];
  }, 60_000);

  it('and what came after it give the state that the whole stream gives', () => {
    let [snapshots, read, all, unused] = [0, 0, 0, 0];
    for (const stream of streams) {
      const events = withSnapshots(stream, 6);
      if (events.length === stream.length) continue;
      const tail = tailOf(events);
      const start = foldStart(tail.map(recalled), false);
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

  it('does not change what a fold from the beginning gives', () => {
    for (const stream of streams) expect(replay(withSnapshots(stream, 3))).toStrictEqual(replay(stream));
  });

  it('that was changed is not used', () => {
    const stream = streams.find((each) => withSnapshots(each, 6).length > each.length + 2) ?? [];
    const events = withSnapshots(stream, 6);
    const changed = events.map((event) =>
      event.type === 'job.snapshotted'
        ? { ...event, data: { ...event.data, state: { ...event.data.state, jobGone: true } } }
        : event,
    );
    expect(stateFrom(foldStart(changed.map(recalled), true))).toStrictEqual(replay(stream));
    expect(foldStart(tailOf(changed).map(recalled), false)).toBeNull();
  });

  it('of another state format is not used', () => {
    const stream = streams.find((each) => withSnapshots(each, 6).length > each.length + 2) ?? [];
    const events = withSnapshots(stream, 6).map((event) => {
      if (event.type !== 'job.snapshotted') return event;
      const data = { ...event.data, stateFormat: 'another', state: {} as JobState };
      return { ...event, data, digest: digestOf(data) };
    });
    expect(stateFrom(foldStart(events.map(recalled), true))).toStrictEqual(replay(stream));
  });

  it('is not used without all that it has not folded', () => {
    const stream = streams.find((each) => (snapshotOf(each)?.data.unfolded.length ?? 0) > 2) ?? [];
    const snapshot = snapshotOf(stream);
    const missing = new Set([snapshot?.data.unfolded[1]]);
    const events = [...stream, ...(snapshot === null ? [] : [snapshot])].filter(({ id }) => !missing.has(id));
    expect(foldStart(tailOf(events).map(recalled), false)).toBeNull();
  });
});
