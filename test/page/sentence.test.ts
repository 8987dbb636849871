import { describe, expect, it } from '@jest/globals';
import type { ListedCondition } from '../../page/api/rows.ts';
import { indexesIn, jobSentence } from '../../page/job/sentence/sentence.ts';
import { localTime } from '../../page/components/instants.ts';
import { after, aKilledPod, aListedJob, aPod, START } from './a-job.ts';

const NOW = START + 600_000;

function ended(reason: string, message = 'words of Kubernetes'): ListedCondition[] {
  const at = after(300);
  return [{ type: 'Failed', status: 'True', reason, message, last_transition_time: at, seen_at: at }];
}

function sentenceText(
  ...of: Parameters<typeof jobSentence> extends [infer J, infer P, number] ? [J, P] : never
): string {
  const { lead, rest } = jobSentence(...of, NOW);
  return `${lead} ${rest}`;
}

describe('the first sentence about a Job', () => {
  it('reports that the Job ran out of memory, in which pod, and which limit ended the Job', () => {
    const pods = [3, 5, 8].flatMap((index) =>
      [1, 2, 3].map((attempt) => aKilledPod(`${index}-${attempt}`, index)),
    );
    const job = aListedJob({
      status: 'Failed',
      completion_mode: 'Indexed',
      completions: 10,
      succeeded: 4,
      finished_at: after(300),
      conditions: ended('BackoffLimitExceeded'),
    });
    expect(sentenceText(job, pods)).toBe(
      `The Job ran out of memory. Indexes 3, 5 and 8 ended with 137 (OOMKilled), each up to its third attempt. The limit of 3 retries was reached at ${localTime(START + 300_000)}. 4 of 10 indexes succeeded.`,
    );
  });

  it.each([
    [127, 'The command of the container was not found.'],
    [126, 'The command of the container could not be run.'],
    [3, 'The Job failed: a container exited with code 3.'],
  ])('explains in words the exit code %s of a failed pod', (code, lead) => {
    const pods = [aPod('a', { phase: 'Failed', exit_code: code, reason: 'Error', finished_at: after(9) })];
    const job = aListedJob({
      status: 'Failed',
      finished_at: after(10),
      conditions: ended('BackoffLimitExceeded'),
    });
    expect(jobSentence(job, pods, NOW).lead).toBe(lead);
  });

  it('names the deadline as the cause, not the pods that Jobledger then deleted', () => {
    const stopped = {
      phase: 'Failed',
      exit_code: 143,
      end_message: 'deleted by Jobledger: the deadline passed',
    };
    const pods = [aPod('a', { ...stopped, finished_at: after(60) })];
    const job = aListedJob({
      status: 'Failed',
      active_deadline_seconds: 60,
      finished_at: after(61),
      conditions: ended('DeadlineExceeded'),
    });
    expect(sentenceText(job, pods)).toMatch(
      /^The Job took too long\. The deadline of 1 min passed at [\d:]+\. 0 of 1 completion/,
    );
  });

  it.each([
    [
      'Pending' as const,
      { waiting_for: '0 of 12 nodes fit: 8 lack nvidia.com/gpu' },
      'The Job has not started. 0 of 12 nodes fit: 8 lack nvidia.com/gpu.',
    ],
    [
      'Retrying' as const,
      { waiting_for: 'its next attempt', waiting_until: after(638), active: 0 },
      'The Job failed before and tries again. It waits for its next attempt, in 38 s. 0 of 1 completion succeeded.',
    ],
    [
      'Suspended' as const,
      { waiting_for: 'to be resumed: suspended by ann' },
      'The Job is suspended. It waits to be resumed: suspended by ann.',
    ],
    [
      'External' as const,
      { waiting_for: 'the built-in Job controller' },
      'Jobledger does not control this Job. It is for the built-in Job controller.',
    ],
    [
      'Running' as const,
      { active: 2, completions: 3, succeeded: 1 },
      'The Job is running. 2 pods at work. 1 of 3 completions succeeded.',
    ],
  ])('says what the Job does or waits for: a Job that is %s', (state, fields, message) => {
    expect(sentenceText(aListedJob({ status: state, ...fields }), [])).toBe(message);
  });

  it('gives the duration and the failed attempts of a Job that succeeded', () => {
    const job = aListedJob({ status: 'Succeeded', succeeded: 1, active: 0, finished_at: after(130) });
    expect(sentenceText(job, [aKilledPod('a', 0)])).toBe(
      'The Job succeeded. 1 pod did the work in 2 min 10 s, after 1 failed attempt.',
    );
  });
});

describe('a list of indexes in a text', () => {
  it.each([
    [null, []],
    ['', []],
    ['3', [3]],
    ['1,3-5', [1, 3, 4, 5]],
  ])('is parsed into numbers: %j into %j', (text, indexes) => {
    expect(indexesIn(text)).toEqual(indexes);
  });
});
