import { expect } from 'expect';
import type { Job, JobSpec, Pod } from '../../workflows/kubernetes/objects.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import { podFinishTime } from '../../workflows/job/observe/finish-time.ts';
import { failingFirst } from '../support/cluster.ts';

/** A Job with a single possible end, whatever dies meanwhile: pods that end others wait until those run. */
export interface JobStory {
  kind: string;
  spec: Partial<JobSpec>;
  /** `folder`: an empty one, to count attempts in. */
  command(folder: string): string[];
  /** The number of pods that the Job has in all. */
  pods: number;
  /** @throws what differs. */
  check(job: Job, pods: Pod[], isInTime: IsInTime): void;
}

/** Receives a due change, its instant, and the time when it happened, in milliseconds. */
type IsInTime = (due: number, happened: number | undefined) => void;

export const BACKOFF_MS = 2000;
/** Longer than three stops one after the other, so that the pods were created before. */
const DEADLINE_SECONDS = 45;
const LONG = { activeDeadlineSeconds: 300 };
const indexed = { completionMode: 'Indexed', ...LONG } as const;

export const jobStories: readonly JobStory[] = [
  {
    kind: 'flaky',
    spec: LONG,
    command: (folder) => failingFirst(2, folder),
    pods: 3,
    check(job, pods, isInTime) {
      expect(jobEnd(job)).toBe('Complete: CompletionsReached');
      expect(job.status).toMatchObject({ succeeded: 1, failed: 2 });
      const [, second, third] = pods.map((pod) => Date.parse(pod.metadata.creationTimestamp));
      isInTime(finishTime(pods[0]) + BACKOFF_MS, second);
      isInTime(finishTime(pods[1]) + 2 * BACKOFF_MS, third);
    },
  },
  {
    kind: 'late',
    spec: { activeDeadlineSeconds: DEADLINE_SECONDS, parallelism: 2, completions: 2 },
    command: () => ['sleep', '100'],
    pods: 2,
    check(job, _pods, isInTime) {
      expect(jobEnd(job)).toBe('Failed: DeadlineExceeded');
      expect(job.status).toMatchObject({ failed: 2 });
      const target = trueCondition(job.status ?? {}, 'FailureTarget')?.lastTransitionTime;
      const due = Date.parse(job.status?.startTime ?? '') + DEADLINE_SECONDS * 1000;
      isInTime(due, Date.parse(target ?? ''));
    },
  },
  {
    kind: 'per-index',
    spec: { ...indexed, parallelism: 2, completions: 3, backoffLimitPerIndex: 1 },
    // Index 1 fails once, index 2 for good.
    command: (folder) => [
      'sh',
      '-c',
      `case $JOB_COMPLETION_INDEX in 1) ! mkdir ${folder}/once ;; 2) false ;; esac`,
    ],
    pods: 5,
    check(job) {
      expect(jobEnd(job)).toBe('Failed: FailedIndexes');
      const counters = { succeeded: 2, failed: 3, completedIndexes: '0,1', failedIndexes: '2' };
      expect(job.status).toMatchObject(counters);
    },
  },
  {
    kind: 'ignored',
    spec: {
      ...LONG,
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: 'Ignore', onExitCodes: { operator: 'In', values: [3] } }] },
    },
    command: (folder) => failingFirst(1, folder),
    pods: 2,
    check(job) {
      expect(jobEnd(job)).toBe('Complete: CompletionsReached');
      expect(job.status).toMatchObject({ succeeded: 1 });
      expect(job.status?.failed).toBeUndefined();
    },
  },
  {
    kind: 'fatal',
    spec: {
      ...LONG,
      parallelism: 2,
      completions: 2,
      podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [7] } }] },
    },
    command: (folder) => {
      const failing = `until [ -d ${folder}/second ]; do sleep 0.2; done; exit 7`;
      return ['sh', '-c', `if mkdir ${folder}/first; then ${failing}; fi; mkdir ${folder}/second; sleep 100`];
    },
    pods: 2,
    check(job) {
      expect(jobEnd(job)).toBe('Failed: PodFailurePolicy');
      expect(job.status).toMatchObject({ failed: 2 });
    },
  },
  {
    kind: 'leader',
    spec: {
      ...indexed,
      parallelism: 3,
      completions: 3,
      successPolicy: { rules: [{ succeededIndexes: '0' }] },
    },
    command: (folder) => {
      const leading = `until [ -d ${folder}/1 ] && [ -d ${folder}/2 ]; do sleep 0.2; done`;
      const others = `mkdir ${folder}/$JOB_COMPLETION_INDEX; sleep 100`;
      return ['sh', '-c', `if [ $JOB_COMPLETION_INDEX = 0 ]; then ${leading}; else ${others}; fi`];
    },
    pods: 3,
    check(job) {
      expect(jobEnd(job)).toBe('Complete: SuccessPolicy');
      expect(job.status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
      expect(job.status?.failed).toBeUndefined();
    },
  },
];

/** Compares a Job that has ended with its story. @throws what differs. */
export function checkStory(story: JobStory, job: Job, pods: Pod[], isInTime: IsInTime): void {
  story.check(job, pods, isInTime);
  expect(job.status).toMatchObject({ ready: 0, terminating: 0 });
  expect(pods.filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
}

/** The deadline of a Job and the ends of its delays after failures, in milliseconds. These instants follow from the objects that the API stores. */
export function timerInstants({ spec, status }: Job, pods: readonly Pod[]): number[] {
  const deadline = Date.parse(status?.startTime ?? '') + (spec.activeDeadlineSeconds ?? 0) * 1000;
  const delays = pods.flatMap((pod) =>
    Array.from(pods, (_none, failures) => podFinishTime(pod) + BACKOFF_MS * 2 ** failures),
  );
  return [deadline, ...delays];
}

/** The terminal condition and its reason. */
function jobEnd({ status = {} }: Job): string {
  const types = ['Complete', 'Failed'] as const;
  const ends = types.flatMap((type) => trueCondition(status, type) ?? []);
  return ends.map(({ type, reason }) => `${type}: ${reason}`).join(' and ');
}

function finishTime(pod: Pod | undefined): number {
  return pod === undefined ? Number.NaN : podFinishTime(pod);
}
