import type { JobFields, PodFields } from '../../support/builders.ts';
import { at } from '../../support/builders.ts';
import type { Condition, JobStatus, PodFailurePolicyRule } from '../../../workflows/kubernetes/objects.ts';

/**
 * One row of section 13 of JOB-SEMANTICS.md: one sync. Pods as there: `R` running, `P` pending, `S` succeeded, `F`
 * failed, `T` running with deletionTimestamp, `r` running and ready, `°` behind it: not tracked. `2:R`: one of index 2;
 * `2:F/1`: whose annotation tells of one failure before.
 */
export interface Row {
  id: string;
  /** What the row would not come out as without. */
  rules: string;
  job: JobFields;
  /** Stored before; absent: only the start time of an hour ago. Null: the Job is new. */
  stored?: JobStatus | null;
  pods?: string;
  /** Pods with a field that matters, besides `pods`. */
  with?: PodFields[];
  /** Pods of an earlier sync at the same instant. */
  before?: PodFields[];
  /** Requests of this kind that are refused: all, or those after so many, or only so many. */
  refused?: { verb: 'create' | 'delete' | 'patch'; after?: number; times?: number }[];
  /** Somebody else writes the Job meanwhile. */
  conflict?: true;
  /** The Job is deleted, and this has been told. */
  jobDeleted?: true;
  /** What was done to pods, in the notation of J-13.1; '' for nothing. */
  commands: string;
  /** `a` active, `r` ready, `t` terminating, `s` succeeded, `f` failed; what is not named is 0. */
  status: string;
  /** Ours, by `Type(Reason)`, `=False` where not True. */
  conditions?: string[];
  startTime?: 'now' | 'absent';
  events?: string[];
  /** Seconds from now. */
  lookAgain?: number;
  /** Indexes that pods are created for. */
  creates?: string;
  /** `completedIndexes` and `failedIndexes` at the end. */
  completed?: string;
  failed?: string;
  /** Of the first condition. */
  message?: string;
  /**
   * Commands and status of the first decision: upstream's sync ends there, as it waits for what it expects to observe;
   * we know the answers and go on.
   */
  first?: true;
  /** How many PUTs; 1 where not said (the licensed deviation: W1 is never sent). */
  puts?: number;
}

const p2c5 = { parallelism: 2, completions: 5 };
const FAILING = { reason: 'BackoffLimitExceeded', message: 'Job has reached the specified backoff limit' };
const BACKOFF = ['FailureTarget(BackoffLimitExceeded)'];
const BACKOFF_FAILED = [...BACKOFF, 'Failed(BackoffLimitExceeded)'];
const DEADLINE = ['FailureTarget(DeadlineExceeded)'];
const COMPLETE = ['SuccessCriteriaMet(CompletionsReached)', 'Complete(CompletionsReached)'];
const failedNow: PodFields = { phase: 'Failed', finished: 0 };
const readyPod: PodFields = { name: 'steady', readySince: -60 };
const PRF = { podReplacementPolicy: 'Failed' };

function startedAgo(seconds: number): JobStatus {
  return { startTime: at(-seconds), ready: 0, terminating: 0 };
}

function holding(type: string, status: string, rest: Partial<Condition> = {}): JobStatus {
  return { ...startedAgo(3600), conditions: [{ type, status, ...rest }] };
}

const SUSPENDED = { reason: 'JobSuspended', message: 'Job suspended' };

export const PLAIN: Row[] = [
  {
    id: 'D-1',
    rules: 'J-1.26, J-5.11',
    job: p2c5,
    stored: null,
    commands: '+2',
    status: 'a2',
    startTime: 'now',
  },
  { id: 'D-2', rules: 'J-5.11', job: { parallelism: 2 }, stored: null, commands: '+2', status: 'a2' },
  { id: 'D-3', rules: 'J-5.13', job: p2c5, pods: '2P', commands: '', status: 'a2' },
  {
    id: 'D-4',
    rules: 'J-0.4',
    job: { parallelism: 3, completions: 5 },
    pods: '2r 1R',
    commands: '',
    status: 'a3 r2',
  },
  { id: 'D-5', rules: 'J-4.5, J-4.14', job: p2c5, pods: '1R 1S', commands: '+1 ~1', status: 'a2 s1' },
  {
    id: 'D-6',
    rules: 'J-3.51, J-4.11',
    job: p2c5,
    pods: '1R 1S',
    refused: [{ verb: 'create' }, { verb: 'patch' }],
    commands: '',
    status: 'a0',
    lookAgain: 1,
    // No write without the finalizer's release before it: it comes with the retry a second later.
    puts: 0,
  },
  { id: 'D-7', rules: 'J-5.12, J-5.33', job: p2c5, pods: '3R', commands: '-1', status: 'a2 t1' },
  {
    id: 'D-8',
    rules: 'J-5.33',
    job: p2c5,
    pods: '3R',
    refused: [{ verb: 'patch' }],
    commands: '',
    status: 'a3',
    lookAgain: 1,
  },
  { id: 'D-9', rules: 'J-5.33', job: p2c5, pods: '3r', commands: '-1', status: 'a2 r2 t1' },
  { id: 'D-10', rules: 'J-5.12', job: p2c5, pods: '10R', commands: '-8', status: 'a2 t8' },
  {
    id: 'D-11',
    rules: 'J-5.12',
    job: { parallelism: 3, completions: 4 },
    pods: '3R 2S',
    commands: '-1 ~2',
    status: 'a2 t1 s2',
  },
  { id: 'D-12', rules: 'J-5.11', job: p2c5, pods: '2R 2S', commands: '~2', status: 'a2 s2' },
  {
    id: 'D-13',
    rules: 'J-6.36, J-6.38, J-7.2, J-4.9, J-4.13, J-6.30, J-6.34',
    job: p2c5,
    pods: '5S',
    commands: '~5',
    status: 's5',
    conditions: COMPLETE,
    events: ['Completed'],
  },
  { id: 'D-14', rules: 'J-5.11', job: { parallelism: 2 }, pods: '1R 1S', commands: '~1', status: 'a1 s1' },
  {
    id: 'D-15',
    rules: 'J-6.30',
    job: { parallelism: 2 },
    pods: '2S',
    commands: '~2',
    status: 's2',
    conditions: COMPLETE,
  },
  {
    id: 'D-16',
    rules: 'J-6.7',
    job: { parallelism: 2 },
    pods: '1S 1F',
    commands: '~2',
    status: 's1 f1',
    conditions: COMPLETE,
  },
  { id: 'D-17', rules: 'J-5.11', job: p2c5, pods: '1R 1F', commands: '+1 ~1', status: 'a2 f1' },
  {
    id: 'D-18',
    rules: 'J-5.42',
    job: p2c5,
    pods: '1R',
    with: [
      { phase: 'Failed', finished: -2 },
      { phase: 'Succeeded', finished: -1 },
    ],
    commands: '+1 ~2',
    status: 'a2 s1 f1',
  },
  {
    id: 'D-19',
    rules: 'J-5.14',
    job: { parallelism: 1, completions: 1 },
    before: [failedNow],
    commands: '',
    status: 'f1',
    lookAgain: 10,
    puts: 0,
  },
  {
    id: 'D-20',
    rules: 'J-5.43, J-5.14, B-4',
    job: { parallelism: 2, completions: 2 },
    before: [failedNow, readyPod],
    commands: '',
    status: 'a1 r1 f1',
    lookAgain: 10,
    puts: 0,
  },
  {
    id: 'D-21',
    rules: 'J-5.13',
    job: { parallelism: 1, completions: 1 },
    stored: { ...startedAgo(60), active: 1, failed: 1 },
    pods: '1R',
    commands: '',
    status: 'a1 f1',
    puts: 0,
  },
  {
    id: 'D-22',
    rules: 'J-5.18, J-5.20',
    job: { parallelism: 100, completions: 200 },
    refused: [{ verb: 'create', after: 10 }],
    commands: '+10',
    status: 'a10',
    lookAgain: 1,
  },
  {
    id: 'D-24',
    rules: 'J-5.35',
    job: { parallelism: 0, completions: 5 },
    pods: '2R',
    commands: '-2',
    status: 't2',
  },
  {
    id: 'D-25',
    rules: 'J-3.58',
    job: { parallelism: 2, completions: 0 },
    stored: null,
    commands: '',
    status: '',
    conditions: COMPLETE,
    startTime: 'now',
  },
];

const oneOfOne = { parallelism: 1, completions: 1 };
const onFailure = { restartPolicy: 'OnFailure' };

export const LIMITS: Row[] = [
  {
    id: 'D-30',
    rules: 'J-6.1',
    job: { ...oneOfOne, backoffLimit: 1 },
    pods: '1F',
    commands: '+1 ~1',
    status: 'a1 f1',
  },
  {
    id: 'D-31',
    rules: 'J-7.2, J-6.1',
    job: { ...oneOfOne, backoffLimit: 1 },
    pods: '2F',
    commands: '~2',
    status: 'f2',
    conditions: BACKOFF_FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    id: 'D-32',
    rules: 'J-6.1',
    job: { parallelism: 2, completions: 2 },
    pods: '1R 6F',
    commands: '+1 ~6',
    status: 'a2 f6',
  },
  {
    id: 'D-33',
    rules: 'J-6.1',
    job: { parallelism: 2, completions: 2 },
    pods: '7F',
    commands: '~7',
    status: 'f7',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-34',
    rules: 'J-A.2, J-3.57, J-4.16, J-6.3, J-7.3',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    pods: '2r 1F',
    commands: '×2 ~3',
    status: 'f3 t2',
    conditions: BACKOFF,
    events: [],
  },
  {
    id: 'D-35',
    rules: 'J-A.2, J-4.13, J-6.34',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    stored: { ...holding('FailureTarget', 'True', FAILING), failed: 3, terminating: 2 },
    commands: '',
    status: 'f3',
    conditions: BACKOFF_FAILED,
    events: ['BackoffLimitExceeded'],
  },
  {
    id: 'D-36',
    rules: 'B-5, B-6',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    pods: '2R 1F',
    refused: [{ verb: 'delete', times: 1 }],
    commands: '×1 ~1',
    status: 'a1 t1 f1',
    lookAgain: 1,
  },
  {
    id: 'D-38',
    rules: 'J-3.55',
    job: { ...oneOfOne, backoffLimit: 0, deleting: true },
    pods: '1F',
    commands: '~1',
    status: 'f1',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-39',
    rules: 'J-6.4',
    job: { ...oneOfOne, ...onFailure, backoffLimit: 0 },
    pods: '1R',
    commands: '',
    status: 'a1',
  },
  {
    id: 'D-40',
    rules: 'J-6.4, J-4.17',
    job: { ...oneOfOne, ...onFailure, backoffLimit: 1 },
    with: [{ restarts: 1 }],
    commands: '×1 ~1',
    status: 't1 f1',
    conditions: BACKOFF,
  },
  {
    id: 'D-41',
    rules: 'J-6.4, B-16',
    job: { ...p2c5, ...onFailure, backoffLimit: 2 },
    with: [{ restarts: 1 }, { restarts: 1 }],
    commands: '×2 ~2',
    status: 't2 f2',
    conditions: BACKOFF,
  },
  {
    id: 'D-42',
    rules: 'J-6.4',
    job: { ...p2c5, ...onFailure, backoffLimit: 3 },
    with: [{ restarts: 1 }, { restarts: 1 }],
    commands: '',
    status: 'a2',
  },
  {
    id: 'D-43',
    rules: 'J-6.5, J-4.17',
    job: { parallelism: 1, completions: 2, activeDeadlineSeconds: 10 },
    stored: startedAgo(15),
    pods: '1R 1S',
    commands: '×1 ~2',
    status: 't1 s1 f1',
    conditions: DEADLINE,
  },
  {
    id: 'D-44',
    rules: 'J-6.5',
    job: { ...oneOfOne, activeDeadlineSeconds: 10 },
    stored: startedAgo(10),
    commands: '',
    status: '',
    conditions: [...DEADLINE, 'Failed(DeadlineExceeded)'],
  },
  {
    id: 'D-45',
    rules: 'J-3.54',
    job: { ...oneOfOne, activeDeadlineSeconds: 1, backoffLimit: 0 },
    stored: startedAgo(10),
    pods: '1F',
    commands: '~1',
    status: 'f1',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-46',
    rules: 'J-6.43',
    job: { ...oneOfOne, activeDeadlineSeconds: 10, suspend: true },
    stored: startedAgo(15),
    commands: '',
    status: '',
    conditions: ['Suspended(JobSuspended)'],
    startTime: 'absent',
  },
  {
    id: 'D-47',
    rules: 'J-3.54',
    job: oneOfOne,
    stored: holding('FailureTarget', 'False', { reason: 'x' }),
    pods: '1r',
    commands: '',
    status: 'a1 r1',
    conditions: ['FailureTarget=False(x)'],
  },
  {
    id: 'D-48',
    rules: 'J-3.52',
    job: oneOfOne,
    stored: holding('FailureTarget', 'True', { reason: 'x', message: 'm' }),
    pods: '1F',
    commands: '~1',
    status: 'f1',
    conditions: ['FailureTarget(x)', 'Failed(x)'],
  },
];

export const TERMINATING: Row[] = [
  {
    id: 'D-50',
    rules: 'J-5.13',
    job: { parallelism: 1, ...PRF },
    pods: '1R 1F 1T',
    commands: '~1',
    status: 'a1 f1 t1',
  },
  {
    id: 'D-51',
    rules: 'J-4.17, J-4.19',
    job: oneOfOne,
    pods: '1R 1F 1T',
    commands: '~2',
    status: 'a1 f2 t1',
  },
  {
    id: 'D-52',
    rules: 'J-5.12',
    job: { ...oneOfOne, ...PRF },
    pods: '2R 4T',
    commands: '-1',
    status: 'a1 t5',
  },
  {
    id: 'D-53',
    rules: 'J-5.37, J-6.2',
    job: { parallelism: 2, completions: 2 },
    pods: '2T',
    commands: '+2 ~2',
    status: 'a2 t2 f2',
  },
  {
    id: 'D-54',
    rules: 'J-5.13, J-5.37',
    job: { parallelism: 2, completions: 2, ...PRF },
    pods: '2T',
    commands: '',
    status: 't2',
  },
  {
    id: 'D-55',
    rules: 'J-5.37',
    job: { parallelism: 2, completions: 2, ...PRF },
    pods: '2F',
    commands: '+2 ~2',
    status: 'a2 f2',
  },
  {
    id: 'D-56',
    rules: 'J-0.4',
    job: { ...oneOfOne, ...PRF, podFailurePolicy: { rules: [] } },
    pods: '1T',
    commands: '',
    status: 't1',
  },
  {
    id: 'D-59',
    rules: 'J-4.20, J-6.39',
    job: oneOfOne,
    stored: { ...holding('SuccessCriteriaMet', 'True', { reason: 'CompletionsReached' }), succeeded: 1 },
    pods: '1T°',
    commands: '',
    status: 't1 s1',
    conditions: ['SuccessCriteriaMet(CompletionsReached)'],
  },
  {
    // The built-in's uncounted pods are collected at once, as no list of ours can be full.
    id: 'D-74',
    rules: 'J-4.3, J-4.22',
    job: { parallelism: 0, completions: 1000 },
    stored: { ...startedAgo(60), uncountedTerminatedPods: { failed: ['a', 'b'] } },
    pods: '500S',
    with: [{ name: 'b', uid: 'b', phase: 'Failed' }],
    commands: '~501',
    status: 's500 f2',
  },
  {
    id: 'D-75',
    rules: 'J-4.6',
    job: { parallelism: 0, completions: 5 },
    stored: { ...startedAgo(60), uncountedTerminatedPods: { failed: ['b'] } },
    with: [{ uid: 'b', phase: 'Succeeded' }],
    commands: '~1',
    status: 'f1',
  },
];

export const LIFE: Row[] = [
  {
    id: 'D-120',
    rules: 'J-7.2, J-6.40',
    job: { ...p2c5, suspend: true },
    stored: null,
    commands: '',
    status: '',
    conditions: ['Suspended(JobSuspended)'],
    startTime: 'absent',
    events: ['Suspended'],
  },
  {
    id: 'D-121',
    rules: 'J-6.41',
    job: { parallelism: 2, completions: 4, suspend: true },
    pods: '2R',
    commands: '-2',
    status: 't2',
    conditions: ['Suspended(JobSuspended)'],
    startTime: 'absent',
  },
  {
    id: 'D-123',
    rules: 'J-6.42',
    job: { parallelism: 2, completions: 4, suspend: false },
    stored: { ready: 0, terminating: 0, conditions: [{ type: 'Suspended', status: 'True', ...SUSPENDED }] },
    commands: '+2',
    status: 'a2',
    conditions: ['Suspended=False(JobResumed)'],
    startTime: 'now',
    events: ['Resumed'],
  },
  {
    id: 'D-124',
    rules: 'J-3.55, J-6.43',
    job: { parallelism: 2, completions: 4, suspend: true },
    pods: '4S',
    commands: '~4',
    status: 's4',
    conditions: COMPLETE,
  },
  {
    id: 'D-125',
    rules: 'J-6.44',
    job: { parallelism: 2, completions: 0, suspend: true },
    stored: null,
    commands: '',
    status: '',
    conditions: COMPLETE,
    startTime: 'absent',
  },
  {
    id: 'D-126',
    rules: 'J-4.4, J-6.48',
    job: { ...p2c5, suspend: true, deleting: true },
    pods: '2R',
    commands: '~2',
    status: 'a2',
  },
  {
    id: 'D-127',
    rules: 'J-4.17, J-5.21',
    job: { ...p2c5, deleting: true },
    pods: '1P 1R 1S',
    commands: '~3',
    status: 'a2 s1',
  },
  {
    id: 'D-128',
    rules: 'J-6.37',
    job: p2c5,
    stored: { ...holding('Failed', 'True', FAILING), failed: 7 },
    pods: '1R° 1F°',
    commands: '',
    status: 'f7',
    conditions: ['Failed(BackoffLimitExceeded)'],
    puts: 0,
  },
  {
    id: 'D-129',
    rules: 'J-15.9',
    job: { ...p2c5, managedBy: 'example.com/queue' },
    pods: '1R 1F',
    commands: '',
    status: '',
    puts: 0,
  },
  {
    id: 'D-130',
    rules: 'J-3.31',
    job: oneOfOne,
    with: [{ controller: 'none', untracked: true }],
    commands: 'adopt 1',
    status: 'a1',
  },
  {
    id: 'D-131',
    rules: 'J-3.31',
    job: oneOfOne,
    with: [{ labels: {} }],
    commands: 'disown 1 +1',
    status: 'a1',
  },
  {
    id: 'D-132',
    rules: 'J-3.46',
    job: oneOfOne,
    jobDeleted: true,
    with: [{ controller: 'none' }],
    commands: '~1',
    status: '',
    puts: 0,
  },
  {
    id: 'D-133',
    rules: 'J-4.3, J-4.18',
    job: p2c5,
    stored: { ...startedAgo(60), active: 2, uncountedTerminatedPods: { succeeded: ['done'] } },
    pods: '2R',
    with: [{ uid: 'done', phase: 'Succeeded', untracked: true }],
    commands: '',
    status: 'a2 s1',
  },
  {
    id: 'D-134',
    rules: 'J-3.51',
    job: p2c5,
    pods: '1R 1S',
    conflict: true,
    commands: '+1 ~1',
    status: 'a2 s1',
  },
];

const indexed = (parallelism: number, completions = parallelism): JobFields => ({
  completionMode: 'Indexed',
  parallelism,
  completions,
});
const p2c5Ix = indexed(2, 5);

export const INDEXED: Row[] = [
  {
    id: 'D-57',
    rules: 'J-5.16',
    job: { ...p2c5Ix, ...PRF },
    pods: '1T',
    commands: '+1',
    creates: '0',
    status: 'a1 t1',
  },
  {
    id: 'D-58',
    rules: 'J-5.37',
    job: p2c5Ix,
    pods: '1T',
    commands: '+2 ~1',
    creates: '0,1',
    status: 'a2 t1',
  },
  {
    id: 'D-60',
    rules: 'J-5.16',
    job: p2c5Ix,
    stored: null,
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    startTime: 'now',
  },
  {
    id: 'D-61',
    rules: 'J-4.8, J-5.16',
    job: indexed(8, 20),
    pods: '0:R 3:P 2:S 4:S 5:S 7:S 8:S 9:S',
    commands: '+6 ~6',
    creates: '1,6,10-13',
    status: 'a8 s6',
    completed: '2,4,5,7-9',
  },
  {
    id: 'D-62',
    rules: 'J-5.16',
    job: indexed(3, 4),
    pods: '0:F 1:P 2:F',
    commands: '+2 ~2',
    creates: '0,2',
    status: 'a3 f2',
  },
  {
    id: 'D-63',
    rules: 'J-4.12',
    job: indexed(2, 3),
    pods: '0:S 1:F 1:S 2:S',
    commands: '~4',
    status: 's3 f1',
    completed: '0-2',
    conditions: COMPLETE,
  },
  {
    id: 'D-64',
    rules: 'J-4.12',
    job: indexed(2, 3),
    pods: '0:S 1:S 1:S',
    commands: '+1 ~3',
    creates: '2',
    status: 'a1 s2',
    completed: '0,1',
  },
  {
    id: 'D-65',
    rules: 'J-6.1',
    job: { ...indexed(2, 3), backoffLimit: 0 },
    pods: '0:S 1:F 2:R',
    commands: '×1 ~3',
    status: 't1 s1 f2',
    completed: '0',
    conditions: BACKOFF,
  },
  {
    id: 'D-66',
    rules: 'J-5.30',
    job: p2c5Ix,
    pods: '2R 1P 2S 2F 0:S 1:R 2:R',
    commands: '-3 ~5',
    status: 'a2 t3 s1',
    completed: '0',
  },
  {
    id: 'D-67',
    rules: 'J-5.12, J-5.30',
    job: indexed(5),
    pods: '1R 1S 1F 0:S 1:R 2:R 2:P',
    commands: '-2 ~3',
    status: 'a2 t2 s1',
    completed: '0',
    first: true,
    puts: 2,
  },
  {
    id: 'D-68',
    rules: 'J-4.17, J-5.30',
    job: p2c5Ix,
    pods: '0:S 5:R 6:S 7:P 8:F',
    commands: '-2 ~3',
    status: 't2 s1',
    completed: '0',
    first: true,
    puts: 2,
  },
  {
    id: 'D-69',
    rules: 'J-5.36, J-4.8',
    job: indexed(1),
    stored: { ...startedAgo(60), succeeded: 3, completedIndexes: '0-2', failed: 1 },
    commands: '',
    status: 's1 f1',
    completed: '0',
    conditions: COMPLETE,
  },
  {
    id: 'D-70',
    rules: 'J-4.8',
    job: indexed(2),
    stored: { ...startedAgo(60), active: 2, succeeded: 1, completedIndexes: '3' },
    pods: '0:R 1:R',
    commands: '',
    status: 'a2',
    completed: '',
  },
  { id: 'D-71', rules: 'J-5.32', job: indexed(1), pods: '0:R 1:R 2:R', commands: '-2', status: 'a1 t2' },
  {
    id: 'D-72',
    rules: 'J-5.36',
    job: indexed(0),
    pods: '0:R 1:R 2:R',
    commands: '-3',
    status: 't3',
    conditions: ['SuccessCriteriaMet(CompletionsReached)'],
  },
  {
    id: 'D-73',
    rules: 'J-4.1, J-4.7',
    job: indexed(501),
    pods: Array.from({ length: 501 }, (_none, index) => `${index}:S`).join(' '),
    commands: '~500',
    status: 's501',
    completed: '0-500',
    conditions: ['SuccessCriteriaMet(CompletionsReached)'],
    first: true,
    puts: 2,
  },
];

const perIndex = { ...indexed(2), backoffLimit: 2_147_483_647, backoffLimitPerIndex: 1 };
const on = (action: string, values: number[], rest = {}): PodFailurePolicyRule => ({
  action,
  onExitCodes: { operator: 'In', values, ...rest },
});
const onDisruption = (action: string): PodFailurePolicyRule => ({
  action,
  onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }],
});
const policy = (...rules: PodFailurePolicyRule[]): JobFields => ({ ...PRF, podFailurePolicy: { rules } });
const ends = (reason: string): string[] => [`FailureTarget(${reason})`, `Failed(${reason})`];
const failedWith = (code: number, fields: PodFields = {}): PodFields => ({
  phase: 'Failed',
  exits: { main: code },
  ...fields,
});

export const PER_INDEX: Row[] = [
  {
    id: 'D-80',
    rules: 'J-5.51',
    job: perIndex,
    pods: '0:F/0',
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    failed: '',
  },
  {
    id: 'D-81',
    rules: 'J-5.50, J-5.51',
    job: perIndex,
    pods: '0:F/0 0:P/1',
    commands: '+1 ~1',
    creates: '1',
    status: 'a2 f1',
    failed: '',
  },
  {
    id: 'D-82',
    rules: 'J-5.44',
    job: perIndex,
    pods: '0:R/0',
    with: [{ ...failedNow, index: 1, failureCount: 0 }],
    commands: '',
    status: 'a1',
    failed: '',
    lookAgain: 10,
  },
  {
    id: 'D-83',
    rules: 'J-5.52',
    job: perIndex,
    pods: '0:F/1',
    commands: '+1 ~1',
    creates: '1',
    status: 'a1 f1',
    failed: '0',
  },
  {
    id: 'D-84',
    rules: 'J-6.20, J-6.22',
    job: perIndex,
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    failed: '0',
    conditions: ends('FailedIndexes'),
    events: ['FailedIndexes'],
  },
  {
    id: 'D-85',
    rules: 'J-6.20',
    job: { ...perIndex, ...indexed(4), maxFailedIndexes: 1 },
    pods: '0:F/1 1:S/0 2:F/1 3:R/0',
    commands: '×1 ~4',
    status: 't1 s1 f3',
    completed: '1',
    failed: '0,2',
    conditions: ['FailureTarget(MaxFailedIndexesExceeded)'],
    message: 'Job has exceeded the specified maximal number of failed indexes',
  },
  {
    id: 'D-86',
    rules: 'J-6.21',
    job: { ...perIndex, backoffLimit: 1 },
    pods: '0:F/0 1:F/0',
    commands: '~2',
    status: 'f2',
    failed: '',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-87',
    rules: 'J-5.52',
    job: { ...perIndex, ...policy(on('FailIndex', [3])) },
    with: [failedWith(3, { index: 0, failureCount: 0 })],
    commands: '+1 ~1',
    creates: '1',
    status: 'a1 f1',
    failed: '0',
  },
  {
    id: 'D-88',
    rules: 'J-6.12',
    job: { ...perIndex, ...policy(on('FailJob', [3], { containerName: 'x' })) },
    with: [{ name: 'mypod-0', phase: 'Failed', exits: { x: 3 }, index: 0, failureCount: 0 }],
    commands: '~1',
    status: 'f1',
    failed: '',
    conditions: ends('PodFailurePolicy'),
    message: 'Container x for pod default/mypod-0 failed with exit code 3 matching FailJob rule at index 0',
  },
  {
    id: 'D-89',
    rules: 'J-6.10',
    job: { ...perIndex, ...policy(on('Ignore', [3])) },
    with: [failedWith(3, { index: 0, failureCount: 0 })],
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    failed: '',
  },
  {
    id: 'D-90',
    rules: 'J-5.50',
    job: perIndex,
    pods: '0:F/0 0:S/1 1:S/0',
    commands: '~3',
    status: 's2 f1',
    completed: '0,1',
    failed: '',
    conditions: COMPLETE,
  },
];

const judged = { ...oneOfOne, ...policy(on('Ignore', [1, 2, 3]), on('FailJob', [5, 6, 7])) };
const notIn = { ...oneOfOne, ...policy(on('FailJob', [5], { operator: 'NotIn' })) };

export const POLICIES: Row[] = [
  {
    id: 'D-91',
    rules: 'J-6.12',
    job: judged,
    with: [failedWith(5, { name: 'mypod' })],
    commands: '~1',
    status: 'f1',
    conditions: ends('PodFailurePolicy'),
    message: 'Container main for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
  },
  { id: 'D-92', rules: 'J-6.10', job: judged, with: [failedWith(1)], commands: '+1 ~1', status: 'a1' },
  {
    id: 'D-93',
    rules: 'J-6.10',
    job: { ...judged, backoffLimit: 0 },
    with: [failedWith(10)],
    commands: '~1',
    status: 'f1',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-94',
    rules: 'J-6.10',
    job: judged,
    with: [{ phase: 'Running', exits: { main: 5 } }],
    commands: '',
    status: 'a1',
  },
  {
    id: 'D-95',
    rules: 'J-6.10',
    job: judged,
    with: [{ phase: 'Failed', exits: { main: 2, other: 6 } }],
    commands: '+1 ~1',
    status: 'a1',
  },
  {
    id: 'D-96',
    rules: 'J-3.57',
    job: { ...judged, parallelism: 2, completions: 2 },
    pods: '1R',
    with: [failedWith(5)],
    commands: '×1 ~2',
    status: 't1 f2',
    conditions: ['FailureTarget(PodFailurePolicy)'],
  },
  { id: 'D-97', rules: 'J-6.10', job: notIn, with: [failedWith(5)], commands: '+1 ~1', status: 'a1 f1' },
  {
    id: 'D-97',
    rules: 'J-6.10',
    job: notIn,
    with: [failedWith(6)],
    commands: '~1',
    status: 'f1',
    conditions: ends('PodFailurePolicy'),
  },
  {
    id: 'D-98',
    rules: 'J-6.10',
    job: { ...oneOfOne, ...policy(on('FailJob', [5], { containerName: 'main' })) },
    with: [{ phase: 'Failed', exits: { main: 1, other: 5 } }],
    commands: '+1 ~1',
    status: 'a1 f1',
  },
  {
    id: 'D-99',
    rules: 'J-6.10',
    job: judged,
    with: [{ name: 'mypod', phase: 'Failed', exits: { main: 143 }, initExits: { init: 5 } }],
    commands: '~1',
    status: 'f1',
    conditions: ends('PodFailurePolicy'),
    message: 'Container init for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
  },
  {
    id: 'D-100',
    rules: 'J-6.11, J-6.14',
    job: { ...oneOfOne, ...policy(onDisruption('Ignore')) },
    with: [{ ...failedNow, conditions: ['DisruptionTarget'] }],
    commands: '~1',
    status: '',
    lookAgain: 10,
    // Nothing of the status changes.
    puts: 0,
  },
  {
    id: 'D-101',
    rules: 'J-6.13',
    job: judged,
    stored: holding('FailureTarget', 'True', { reason: 'PodFailurePolicy', message: 'of a pod long gone' }),
    with: [failedWith(5)],
    commands: '~1',
    status: 'f1',
    conditions: ends('PodFailurePolicy'),
    message: 'of a pod long gone',
  },
];

const enough = { ...indexed(3), successPolicy: { rules: [{ succeededIndexes: '0,1', succeededCount: 1 }] } };
const MATCHED = { reason: 'SuccessPolicy', message: 'Matched rules at index 0' };

export const SUCCESS: Row[] = [
  {
    id: 'D-110',
    rules: 'J-4.17, J-6.31',
    job: enough,
    pods: '0:F 0:R 1:S 2:R',
    commands: '×2 ~4',
    status: 't2 s1 f1',
    completed: '1',
    conditions: ['SuccessCriteriaMet(SuccessPolicy)'],
    message: 'Matched rules at index 0',
    events: [],
  },
  {
    id: 'D-111',
    rules: 'J-6.31',
    job: enough,
    stored: {
      ...holding('SuccessCriteriaMet', 'True', MATCHED),
      terminating: 2,
      succeeded: 1,
      failed: 1,
      completedIndexes: '1',
    },
    commands: '',
    status: 's1 f1',
    completed: '1',
    conditions: ['SuccessCriteriaMet(SuccessPolicy)', 'Complete(SuccessPolicy)'],
    message: 'Matched rules at index 0',
    events: ['Completed'],
  },
  {
    id: 'D-112',
    rules: 'J-3.54, J-6.12',
    job: { ...enough, ...policy(onDisruption('FailJob')) },
    pods: '0:R 1:S',
    with: [{ phase: 'Failed', index: 0, name: 'mypod', conditions: ['DisruptionTarget'] }],
    commands: '×1 ~3',
    status: 't1 s1 f2',
    completed: '1',
    conditions: ['FailureTarget(PodFailurePolicy)'],
    message: 'Pod default/mypod has condition DisruptionTarget matching FailJob rule at index 0',
  },
  {
    id: 'D-113',
    rules: 'J-3.54',
    job: { ...enough, backoffLimit: 1 },
    pods: '0:F 0:F 1:S',
    commands: '~3',
    status: 's1 f2',
    completed: '1',
    conditions: BACKOFF_FAILED,
  },
  {
    id: 'D-114',
    rules: 'J-3.54',
    job: { ...enough, ...perIndex },
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    failed: '0',
    conditions: ends('FailedIndexes'),
  },
  ...[
    { ...enough, ...policy(on('FailJob', [1])) },
    { ...enough, backoffLimit: 0 },
    { ...enough, ...perIndex },
  ].map((job: JobFields): Row => ({
    id: 'D-115',
    rules: 'J-3.52',
    job,
    stored: holding('SuccessCriteriaMet', 'True', MATCHED),
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    ...(job.backoffLimitPerIndex === 1 && { failed: '0' }),
    conditions: ['SuccessCriteriaMet(SuccessPolicy)', 'Complete(SuccessPolicy)'],
  })),
  {
    id: 'D-116',
    rules: 'J-3.52',
    job: enough,
    stored: { ...holding('FailureTarget', 'True', FAILING), failed: 1 },
    pods: '0:F° 1:S',
    commands: '~1',
    status: 's1 f1',
    completed: '1',
    conditions: BACKOFF_FAILED,
    message: FAILING.message,
  },
];

/** Rows that cannot be met here, and why. */
export const NOT_APPLICABLE: Record<string, string> = {
  'D-23': 'no expectations: a pod that was created counts as active from its answer on (DESIGN §4)',
  'D-37': 'no expectations: nothing is created that the next decision does not know',
  'D-122': 'no expectations: a suspension never has to wait for them',
};
