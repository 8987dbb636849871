import { beforeAll, describe, expect, it } from '@jest/globals';
import { isRefused } from '../../workflows/history/refused.ts';
import type { PolicyChange, WhatIf } from '../../workflows/history/what-if/types.ts';
import { whatIf } from '../../workflows/history/what-if/what-if.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { at, type JobFields } from '../support/builders.ts';
import type { Fate } from '../support/model-cluster-kubelet.ts';
import { aRecording } from './a-recording.ts';
import { aJobChangedBelowUs, aResumedJob, aRunJob, aSlowJob, failingFirst } from './stories.ts';

function under(stream: readonly JobEvent[], change: PolicyChange): WhatIf {
  const answer = whatIf(stream, change);
  if (isRefused(answer)) throw new Error(answer.message);
  return answer;
}

const FAIL_ALL: Fate = () => 'Failed';
/** What the model's kubelet reports of a failed container. */
const exitRule = (action: string): NonNullable<PolicyChange['podFailurePolicy']> => ({
  rules: [{ action, onExitCodes: { operator: 'In', values: [1] } }],
});
const INDEXED = { completionMode: 'Indexed', completions: 4, parallelism: 4 };

describe('a what-if with the same policy', () => {
  it.each<[string, JobFields, Fate]>([
    ['one pod', { completions: 1 }, failingFirst(0)],
    ['retries', { completions: 1 }, failingFirst(3)],
    ['too many failures', { completions: 1, backoffLimit: 2 }, FAIL_ALL],
    ['several pods at a time', { completions: 7, parallelism: 3 }, failingFirst(2)],
    ['a work queue', { parallelism: 3 }, failingFirst(1)],
    ['indexes', INDEXED, failingFirst(2)],
    ['limits per index', { ...INDEXED, backoffLimitPerIndex: 1 }, failingFirst(3)],
    ['a failed index', { ...INDEXED, backoffLimitPerIndex: 0 }, failingFirst(1)],
    ['a deadline', { completions: 1, activeDeadlineSeconds: 15 }, FAIL_ALL],
    ['a failure policy', { completions: 1, podFailurePolicy: exitRule('Ignore') }, failingFirst(3)],
    ['replacement of failed pods only', { completions: 2, podReplacementPolicy: 'Failed' }, failingFirst(1)],
  ])('gives the recorded result: %s', async (_what, job, fate) => {
    const answer = under(await aRunJob(job, fate), {});
    expect(answer).toMatchObject({ comparison: 'same', podHours: { saved: 0 } });
    expect(answer.counterfactual).toEqual(answer.actual);
    expect(answer.actual).not.toBeNull();
  });
});

describe('a what-if about a gang (J-8.2)', () => {
  const GANG = { gangScheduling: 'served' } as const;

  it('gives the recorded result, with the recorded PodGroup', async () => {
    const answer = under(await aRunJob(INDEXED, failingFirst(2), GANG), {});
    expect(answer).toMatchObject({ comparison: 'same', actual: { type: 'Complete' } });
  });

  it('gives the result Complete for a Job that would be a gang only after the change', async () => {
    const stream = await aRunJob({ ...INDEXED, completions: 5 }, failingFirst(0), GANG);
    expect(under(stream, { completions: 4 }).counterfactual).toMatchObject({ type: 'Complete' });
  });

  it('gives the result Complete for a recorded gang that would be no gang after the change', async () => {
    const stream = await aRunJob(INDEXED, failingFirst(0), GANG);
    expect(under(stream, { completions: 3 }).counterfactual).toMatchObject({ type: 'Complete' });
  });
});

describe('a fact about a Job that only outcomes show', () => {
  it('is used at its time, so that a what-if about a Job that was resumed on request gives the recorded result', async () => {
    const answer = under(await aResumedJob({ completions: 2 }), {});
    expect(answer).toMatchObject({
      comparison: 'same',
      actual: { type: 'Complete' },
      podHours: { saved: 0 },
    });
  });

  it('is used when it is the resumption of a Job at the end of its predecessor, and the same policy gives the recorded result (J-12.6)', () => {
    const recording = aRecording();
    const annotations = { 'jobledger.dev/after': 'extract' };
    recording.job(0, { completions: 1, suspend: true, annotations });
    recording.decides(0.1);
    const end = { type: 'Complete' as const, reason: 'CompletionsReached', at: at(8) };
    recording.awaits(9, { name: 'extract', uid: 'uid-of-extract', end });
    recording.decides(9);
    recording.job(9.1, { suspend: false, generation: 2 });
    recording.decides(9.2);
    recording.pod(12, { ordinal: 0, created: 9, phase: 'Succeeded', finished: 12 });
    recording.decides(12);
    const answer = under(recording.events, {});
    expect(answer).toMatchObject({ comparison: 'same', actual: { type: 'Complete' } });
    expect(answer.counterfactual).toEqual(answer.actual);
  });

  it('is also used under another policy', async () => {
    const answer = under(await aResumedJob({ completions: 2, parallelism: 1 }), { completions: 1 });
    expect(answer).toMatchObject({
      comparison: 'different',
      counterfactual: { reason: 'CompletionsReached' },
    });
  });

  it('is used when it is an intermediate change that a status write replaced', async () => {
    const answer = under(
      await aJobChangedBelowUs({ completions: 4, parallelism: 1 }, { parallelism: 2 }),
      {},
    );
    expect(answer).toMatchObject({
      comparison: 'same',
      actual: { type: 'Complete' },
      podHours: { saved: 0 },
    });
  });
});

describe('a what-if with fewer retries', () => {
  it('ends the Job at the failure that exceeds the limit, without the later pods', async () => {
    const answer = under(await aSlowJob(5, { completions: 1, backoffLimit: 6 }, failingFirst(4)), {
      backoffLimit: 2,
    });
    expect(answer).toMatchObject({
      comparison: 'different',
      actual: { type: 'Complete' },
      counterfactual: { type: 'Failed', reason: 'BackoffLimitExceeded' },
    });
    // Two of five pods would not have existed.
    expect(answer.podHours.saved).toBeCloseTo((2 * 5) / 3600, 5);
    expect(answer.podHours.actual).toBeCloseTo((5 * 5) / 3600, 5);
  });

  it('changes no result when the Job did not fail more often than the new limit allows', async () => {
    const answer = under(await aRunJob({ completions: 1 }, failingFirst(2)), { backoffLimit: 2 });
    expect(answer).toMatchObject({ comparison: 'same', podHours: { saved: 0 } });
  });
});

describe('a what-if with more retries', () => {
  it('has an unknown result from the first attempt that never happened', async () => {
    const answer = under(await aRunJob({ completions: 1, backoffLimit: 2 }, FAIL_ALL), { backoffLimit: 5 });
    expect(answer).toMatchObject({ comparison: 'unknown', counterfactual: null, podHours: { saved: null } });
    // The back-off after the third failure, at 12:00:30, takes 40 s.
    expect(answer.unknownSince).toBe('2026-03-01T12:01:10.000Z');
    expect(answer.message).toMatch(
      /^unknown from .*: it would have created pi-\w{5} then, which nobody did$/,
    );
  });

  it('has a known result when the deadline is earlier than the first attempt that never happened', async () => {
    const stream = await aRunJob({ completions: 1, backoffLimit: 1, activeDeadlineSeconds: 20 }, FAIL_ALL);
    expect(under(stream, { backoffLimit: 5 })).toMatchObject({
      comparison: 'different',
      actual: { reason: 'BackoffLimitExceeded' },
      counterfactual: { reason: 'DeadlineExceeded', at: '2026-03-01T12:00:20.000Z' },
    });
  });

  it('changes no result for a Job that succeeded', async () => {
    expect(under(await aRunJob({ completions: 2 }, failingFirst(1)), { backoffLimit: 50 }).comparison).toBe(
      'same',
    );
  });
});

describe('a what-if with another deadline', () => {
  it('ends the Job at the instant of a shorter deadline, though no recorded decision was made then', async () => {
    const answer = under(await aSlowJob(6, { completions: 1 }, failingFirst(1)), {
      activeDeadlineSeconds: 18,
    });
    expect(answer).toMatchObject({
      comparison: 'different',
      counterfactual: { reason: 'DeadlineExceeded', at: '2026-03-01T12:00:18.000Z' },
    });
    // The second pod, of 12:00:16, would have been stopped 4 s before its end.
    expect(answer.podHours.saved).toBeCloseTo(4 / 3600, 5);
  });

  it('has an unknown result with a longer deadline, from the first pod that was never created', async () => {
    const stream = await aRunJob({ completions: 1, activeDeadlineSeconds: 15 }, FAIL_ALL);
    const answer = under(stream, { activeDeadlineSeconds: 300 });
    expect(answer).toMatchObject({ comparison: 'unknown', actual: { reason: 'DeadlineExceeded' } });
    expect(answer.unknownSince).toBe('2026-03-01T12:00:30.000Z');
  });

  it('has an unknown result without a deadline if the recorded deadline stopped a pod', async () => {
    const stream = await aSlowJob(5, { completions: 4, activeDeadlineSeconds: 1 });
    const answer = under(stream, { activeDeadlineSeconds: null });
    expect(answer.comparison).toBe('unknown');
    expect(answer.message).toMatch(
      /it would not have stopped pi-\w{5}: what they would have done then is not recorded$/,
    );
  });

  it('changes no result when the Job never reaches the deadline', async () => {
    expect(under(await aRunJob({ completions: 3 }), { activeDeadlineSeconds: 3600 }).comparison).toBe('same');
  });
});

describe('a what-if with another pod failure policy', () => {
  it('ends the Job with the first failure on which the policy fails it', async () => {
    const answer = under(await aRunJob({ completions: 1 }, failingFirst(2)), {
      podFailurePolicy: exitRule('FailJob'),
    });
    expect(answer).toMatchObject({
      comparison: 'different',
      counterfactual: { type: 'Failed', reason: 'PodFailurePolicy', at: '2026-03-01T12:00:00.614Z' },
    });
    expect(answer.counterfactual?.message).toMatch(
      /failed with exit code 1 matching FailJob rule at index 0$/,
    );
  });

  it('has an unknown result from the failure at which the limit ended the Job when the policy ignores that failure', async () => {
    const stream = await aRunJob({ completions: 1, backoffLimit: 1 }, FAIL_ALL);
    const answer = under(stream, { podFailurePolicy: exitRule('Ignore') });
    expect(answer).toMatchObject({ comparison: 'unknown', actual: { reason: 'BackoffLimitExceeded' } });
  });

  it('changes no result by ignored failures below the limit, because the delays are the same', async () => {
    const stream = await aRunJob({ completions: 1 }, failingFirst(2));
    expect(under(stream, { podFailurePolicy: exitRule('Ignore') }).comparison).toBe('same');
    expect(under(stream, { podFailurePolicy: exitRule('Ignore'), backoffLimit: 0 }).comparison).toBe('same');
  });

  it('counts the failures that a removed policy ignored', async () => {
    const stream = await aRunJob(
      { completions: 1, backoffLimit: 1, podFailurePolicy: exitRule('Ignore') },
      failingFirst(3),
    );
    expect(under(stream, { podFailurePolicy: null })).toMatchObject({
      comparison: 'different',
      counterfactual: { reason: 'BackoffLimitExceeded' },
    });
  });
});

describe('a what-if with other numbers of pods:', () => {
  it('more completions have an unknown result from the next pod on', async () => {
    const answer = under(await aRunJob({ completions: 2 }), { completions: 3 });
    expect(answer).toMatchObject({ comparison: 'unknown', actual: { type: 'Complete' } });
  });

  it('fewer completions end the Job earlier', async () => {
    const answer = under(await aRunJob({ completions: 4 }), { completions: 2 });
    expect(answer).toMatchObject({
      comparison: 'different',
      counterfactual: { reason: 'CompletionsReached' },
    });
    expect(Date.parse(answer.counterfactual?.at ?? '')).toBeLessThan(Date.parse(answer.actual?.at ?? ''));
  });

  it('more parallelism has an unknown result at once', async () => {
    const answer = under(await aSlowJob(5, { completions: 4, parallelism: 1 }), { parallelism: 2 });
    expect(answer).toMatchObject({ comparison: 'unknown', unknownSince: '2026-03-01T12:00:00.000Z' });
  });

  it('less parallelism has an unknown result from the first pod that would be created later', async () => {
    const answer = under(await aSlowJob(5, { completions: 4, parallelism: 2 }), { parallelism: 1 });
    expect(answer.comparison).toBe('unknown');
    expect(Date.parse(answer.unknownSince ?? '')).toBeGreaterThan(Date.parse('2026-03-01T12:00:00.000Z'));
  });

  it('less parallelism has a known result when the Job needed no more pods', async () => {
    expect(under(await aRunJob({ completions: 1, parallelism: 1 }), { parallelism: 5 }).comparison).toBe(
      'same',
    );
  });
});

describe('a what-if with other limits of an Indexed Job:', () => {
  it('too many failed indexes end the Job', async () => {
    const stream = await aRunJob({ ...INDEXED, backoffLimitPerIndex: 0, parallelism: 1 }, failingFirst(2));
    expect(under(stream, { maxFailedIndexes: 1 })).toMatchObject({
      comparison: 'different',
      actual: { reason: 'FailedIndexes' },
      counterfactual: { reason: 'MaxFailedIndexesExceeded' },
    });
    expect(under(stream, { maxFailedIndexes: 2 }).comparison).toBe('same');
  });

  it('fewer retries of an index fail that index earlier', async () => {
    const stream = await aRunJob(
      { ...INDEXED, completions: 1, parallelism: 1, backoffLimitPerIndex: 2 },
      failingFirst(2),
    );
    expect(under(stream, { backoffLimitPerIndex: 1 })).toMatchObject({
      actual: { type: 'Complete' },
      counterfactual: { reason: 'FailedIndexes' },
    });
    expect(under(stream, { backoffLimitPerIndex: 3 }).comparison).toBe('same');
  });

  it('a success policy ends the Job with the index that meets it', async () => {
    const stream = await aRunJob({ ...INDEXED, parallelism: 1 });
    expect(under(stream, { successPolicy: { rules: [{ succeededIndexes: '1' }] } })).toMatchObject({
      comparison: 'different',
      actual: { reason: 'CompletionsReached' },
      counterfactual: { type: 'Complete', reason: 'SuccessPolicy' },
    });
  });
});

describe('a what-if that cannot be answered', () => {
  let stream: JobEvent[];

  beforeAll(async () => {
    stream = await aRunJob({ completions: 1 });
  });

  it.each<[PolicyChange, RegExp]>([
    [{ backoffLimitPerIndex: 1 }, /completionMode Indexed only/],
    [{ successPolicy: { rules: [{ succeededCount: 1 }] } }, /completionMode Indexed only/],
  ])('is refused as the API server would refuse %j', (change, message) => {
    expect(whatIf(stream, change)).toEqual({ refused: 'invalid', message: expect.stringMatching(message) });
  });

  it('reports a Job without decisions as unknown', () => {
    const others = stream.filter(({ type }) => type === 'job.observed').slice(0, 1);
    expect(whatIf(others, {})).toMatchObject({ refused: 'unknown' });
  });

  it('reports a stream with a missing part as broken', () => {
    const pod = stream.find(({ type }) => type === 'pod.observed');
    expect(
      whatIf(
        stream.filter((event) => event !== pod),
        {},
      ),
    ).toMatchObject({ refused: 'broken' });
  });
});
