import { describe, expect, it } from '@jest/globals';
import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import type { Point } from '../../workflows/history/replay/point.ts';
import { replaySteps, type ReplayStep } from '../../workflows/history/replay/replay-steps.ts';
import { replayTo, type Replay } from '../../workflows/history/replay/replay-to.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { CLUSTER } from '../projector/builders.ts';
import { aRecordedJob } from './a-stream.ts';
import { aRunJob, failingFirst } from './stories.ts';

function requireResult<T extends object>(answer: T | Refused): T {
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

function made(stream: readonly JobEvent[], point: Point): Replay {
  return requireResult(replayTo(stream, point)) as Replay;
}

function refusal(stream: readonly JobEvent[], point: Point): unknown {
  return replayTo(stream, point);
}

describe('the replay of a Job from its stream', () => {
  it('ends in the state that a workflow reads from the ledger', () => {
    const stream = aRecordedJob();
    const { state, followed, different, decisionCount } = made(stream, 'end');
    expect(state).toEqual(replay(stream));
    expect({ followed, different, decisionCount }).toEqual({
      followed: null,
      different: [],
      decisionCount: 3,
    });
  });

  it('shows, at an event, the state up to the event, and the next decision', async () => {
    const stream = await aRunJob({ completions: 1 }, failingFirst(1));
    const failed = stream.find(
      ({ type, data }) => type === 'pod.observed' && data.object.status?.phase === 'Failed',
    );
    const { state, followed } = made(stream, { until: failed?.id ?? '' });
    expect(Object.values(state.pods).map(({ phase }) => phase)).toEqual(['Failed']);
    expect(state.uncounted.failed).toHaveLength(1);
    expect(followed).toMatchObject({ status: { failed: 1 }, waiting: { rule: 'J-5.40' } });
  });

  it('ends at a given instant, or at a given decision number: at the last decision with the number, because only that decision counts', () => {
    const stream = aRecordedJob();
    const first = made(stream, { until: '1' });
    expect(first.state.last?.number).toBe(1);
    expect(first.event).toBe(
      stream.findLast((event) => event.type === 'job.decided' && event.data.number === 1)?.id,
    );
    const answer = stream.find(({ type }) => type === 'outcome.recorded');
    const then = made(stream, { at: Date.parse(answer?.time ?? '') });
    expect(then).toMatchObject({ event: answer?.id, at: answer?.time });
    expect(Object.keys(then.state.pods)).toHaveLength(1);
  });

  it('ends at the earlier of the two when an instant and an event are given', () => {
    const stream = aRecordedJob();
    const answer = stream.find(({ type }) => type === 'outcome.recorded');
    const [first, last] = [stream[0], stream.at(-1)];
    const at = Date.parse(answer?.time ?? '');
    expect(made(stream, { at, until: first?.id ?? '' }).event).toBe(first?.id);
    expect(made(stream, { at, until: last?.id ?? '' }).event).toBe(answer?.id);
    expect(refusal(stream, { at, until: 'none' })).toMatchObject({ refused: 'unknown' });
    expect(refusal(stream, { at: 0, until: first?.id ?? '' })).toMatchObject({ refused: 'invalid' });
  });

  it('does not fold a superseded decision', () => {
    const stream = aRecordedJob();
    const superseded = stream.find(({ type }) => type === 'job.decided');
    expect(made(stream, { until: superseded?.id ?? '' })).toMatchObject({
      decisionCount: 0,
      state: { last: null },
    });
  });

  it('skips events about the cluster of the Job', () => {
    const stream = aRecordedJob();
    const gap: JobEvent = {
      id: 'gap',
      type: 'cluster.gap',
      source: CLUSTER,
      subject: CLUSTER,
      time: '2026-04-01T00:00:00Z',
      digest: '',
      data: { cluster: CLUSTER, resource: 'pods', from: '1', to: '2', since: '', until: '', reason: '410' },
    };
    expect(made([gap, ...stream], 'end').state).toEqual(replay(stream));
  });

  it.each<[string, Point, Refused['refused'], RegExp]>([
    [
      'an instant before the first event',
      { at: 0 },
      'invalid',
      /the Job has no event up to .*: its first event is of /,
    ],
    ['an event that is not there', { until: "x'; drop table" }, 'unknown', /no event "x'; drop table"/],
    ['a decision that was never made', { until: '99' }, 'unknown', /no event "99"/],
  ])('is refused for %s', (_what, point, kind, message) => {
    expect(refusal(aRecordedJob(), point)).toEqual({
      refused: kind,
      message: expect.stringMatching(message),
    });
  });

  it('is refused when a necessary event is missing', () => {
    const stream = aRecordedJob();
    const pod = stream.find(({ type }) => type === 'pod.observed');
    const second = stream.filter(({ type }) => type === 'job.decided')[2];
    for (const missing of [pod, second])
      expect(
        refusal(
          stream.filter((event) => event !== missing),
          'end',
        ),
      ).toEqual({
        refused: 'broken',
        message: expect.stringContaining(`the stream is broken at ${missing?.id ?? '?'}: missing`),
      });
    expect(refusal([], 'end')).toMatchObject({ refused: 'unknown' });
  });
});

describe('the steps of a replayed Job', () => {
  const steps = (point: Point): ReplayStep[] => requireResult(replaySteps(aRecordedJob(), point));

  it('are the events of the Job, each with the changes that the event makes in the state', async () => {
    const failed = requireResult(replaySteps(await aRunJob({}, failingFirst(1)), 'end')).find(({ message }) =>
      message.includes('Failed'),
    );
    expect(failed?.changes.map(({ path }) => path[0])).toEqual(
      expect.arrayContaining(['pods', 'uncounted', 'backoff']),
    );
    expect(failed?.changes).toContainEqual({ path: ['pods', 'uid-0', 'phase'], to: 'Failed' });
  });

  it('end at the given point, without superseded decisions', () => {
    const about = steps({ until: '2' }).map((step) => step.about);
    expect(about.filter((each) => each.startsWith('decision'))).toEqual(['decision 1', 'decision 2']);
    expect(about.at(-1)).toBe('decision 2');
  });

  it('are the same in pages of any size', async () => {
    const stream = await aRunJob({ completions: 3, parallelism: 2 }, failingFirst(2));
    // The last facts are in no decision yet.
    for (const events of [stream, stream.filter(({ type }) => type !== 'job.decided')]) {
      const all = requireResult(replaySteps(events, 'end'));
      for (const limit of [1, 4, all.length]) {
        const pages: ReplayStep[] = [];
        for (let skip = 0; skip < all.length; skip += limit)
          pages.push(...requireResult(replaySteps(events, 'end', { skip, limit })));
        expect(pages).toEqual(all);
      }
    }
  });

  it('are as many as all events of the stream except the superseded decision', () => {
    expect(steps('end')).toHaveLength(aRecordedJob().length - 1);
  });

  it('are folded for any page in a time that is linear in the length of the stream', async () => {
    const [short, long] = [
      await aRunJob({ completions: 50, parallelism: 20 }),
      await aRunJob({ completions: 400, parallelism: 20 }),
    ];
    const measureReplay = (stream: readonly JobEvent[]): number => {
      const { user, system } = process.cpuUsage();
      for (const skip of [0, stream.length >> 1, stream.length - 20])
        expect(requireResult(replaySteps(stream, 'end', { skip, limit: 10 }))).toHaveLength(10);
      const spent = process.cpuUsage({ user, system });
      return spent.user + spent.system;
    };
    measureReplay(short);
    // By the square it would be 64 times as long.
    const ratio = measureReplay(long) / measureReplay(short);
    expect(ratio).toBeLessThan(24);
  });
});
