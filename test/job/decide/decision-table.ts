import type { JobFields, PodFields } from '../../support/builders.ts';
import { at } from '../../support/builders.ts';
import type { Condition, JobStatus, PodFailurePolicyRule } from '../../../workflows/kubernetes/objects.ts';

/**
 * One row (D-…) of the decision table: one sync. Notation of pods: `R` running, `P` pending, `S` succeeded,
 * `F` failed, `T` running with deletionTimestamp, `r` running and ready; `°` after it: not tracked; `2:R`: of index 2;
 * `2:F/1`: annotated with one earlier failure.
 */
export interface Row {
  id: string;
  /** The situation and its result. */
  name: string;
  /** The rules that determine the outcome. */
  rules: string;
  job: JobFields;
  /** The stored status. Absent: only a start time an hour ago. Null: the Job is new. */
  stored?: JobStatus | null;
  pods?: string;
  /** Additional pods, with a field that matters. */
  with?: PodFields[];
  /** Pods of an earlier sync at the same instant. */
  before?: PodFields[];
  /** Requests of this kind that are refused: all, all after the first few, or only the first few. */
  refused?: { verb: 'create' | 'delete' | 'patch'; after?: number; times?: number }[];
  /** Another client writes the Job before the status is written. */
  conflict?: true;
  /** The Job is deleted, and the deletion was observed. */
  jobDeleted?: true;
  /** What was done to pods, in the notation of J-13.1; '' for nothing. */
  commands: string;
  /** `a` active, `r` ready, `t` terminating, `s` succeeded, `f` failed; missing ones are 0. */
  status: string;
  /** Our conditions, as `Type(Reason)`, with `=False` when not True. */
  conditions?: string[];
  /** The message of each of these conditions. */
  message?: string;
  /** Only when it changes. */
  startTime?: 'now' | 'absent';
  /** Events on the Job: `Type Reason: message`. The worker sends those of single pods, such as `SuccessfulCreate`. */
  events: string[];
  /** Seconds until time alone changes the answer; null: it never does. */
  lookAgain: number | null;
  /** Indexes that pods are created for. */
  creates?: string;
  /** `completedIndexes` and `failedIndexes` at the end. */
  completed?: string;
  failed?: string;
  /**
   * Only the first decision: upstream's sync ends there and waits for its expectations. Ours knows the outcomes and
   * goes on; another row of the same id shows the result.
   */
  first?: true;
  /** Number of PUTs, 1 by default (the permitted deviation: W1 is never sent). */
  puts?: number;
}

const p2c5 = { parallelism: 2, completions: 5 };
const failedNow: PodFields = { phase: 'Failed', finished: 0 };
const readyPod: PodFields = { name: 'steady', readySince: -60 };
const PRF = { podReplacementPolicy: 'Failed' };

function startedAgo(seconds: number): JobStatus {
  return { startTime: at(-seconds), ready: 0, terminating: 0 };
}

function holding(type: string, status: string, rest: Partial<Condition> = {}): JobStatus {
  return { ...startedAgo(3600), conditions: [{ type, status, ...rest }] };
}

/** The messages that the rules give for these reasons (J-3.52, J-3.58, J-6.31). */
const MESSAGES: Record<string, string> = {
  BackoffLimitExceeded: 'Job has reached the specified backoff limit',
  DeadlineExceeded: 'Job was active longer than specified deadline',
  MaxFailedIndexesExceeded: 'Job has exceeded the specified maximal number of failed indexes',
  FailedIndexes: 'Job has failed indexes',
  CompletionsReached: 'Reached expected number of succeeded pods',
  SuccessPolicy: 'Matched rules at index 0',
};

function reasonMessage(reason: string): string {
  return MESSAGES[reason] ?? '';
}

function storedAs(type: string, reason: string): JobStatus {
  return holding(type, 'True', { reason, message: reasonMessage(reason) });
}

type Consequences = Pick<Row, 'conditions' | 'message' | 'startTime' | 'events' | 'lookAgain'>;

/** No Events, and time alone changes nothing. */
const quiet: Consequences = { events: [], lookAgain: null };
/** A created pod that is not observed within a minute is looked up (instead of the five minutes of J-3.21). */
const untilObserved: Consequences = { events: [], lookAgain: 60 };
/** The API refused a request once: the next attempt is after a second (J-3.2). */
const retries: Consequences = { events: [], lookAgain: 1 };
/** One pod has just failed: the next one is created after ten seconds (J-5.40). */
const backsOff: Consequences = { events: [], lookAgain: 10 };

/** J-6.41. */
const suspends: Consequences = {
  ...quiet,
  conditions: ['Suspended(JobSuspended)'],
  message: 'Job suspended',
  startTime: 'absent',
  events: ['Normal Suspended: Job suspended'],
};

/** J-6.42: pods are created at once. */
const resumes: Consequences = {
  ...untilObserved,
  conditions: ['Suspended=False(JobResumed)'],
  message: 'Job resumed',
  startTime: 'now',
  events: ['Normal Resumed: Job resumed'],
};

/** The Job ends when its terminating pods are gone; until then there is no Event for it (J-4.16, J-7.3). */
function willFail(reason: string, message = reasonMessage(reason)): Consequences {
  return { ...quiet, conditions: [`FailureTarget(${reason})`], message };
}

function willComplete(reason = 'CompletionsReached'): Consequences {
  return { ...quiet, conditions: [`SuccessCriteriaMet(${reason})`], message: reasonMessage(reason) };
}

/** The Job has ended (J-4.13, J-7.2). */
function fails(reason: string, message = reasonMessage(reason)): Consequences {
  return {
    ...quiet,
    conditions: [`FailureTarget(${reason})`, `Failed(${reason})`],
    message,
    events: [`Warning ${reason}: ${message}`],
  };
}

function completes(reason = 'CompletionsReached'): Consequences {
  return {
    ...quiet,
    conditions: [`SuccessCriteriaMet(${reason})`, `Complete(${reason})`],
    message: reasonMessage(reason),
    events: ['Normal Completed: Job completed'],
  };
}

export const PLAIN: Row[] = [
  {
    id: 'D-1',
    name: 'a new Job gets its pods and its start time',
    rules: 'J-1.26, J-5.11',
    job: p2c5,
    stored: null,
    commands: '+2',
    status: 'a2',
    startTime: 'now',
    ...untilObserved,
  },
  {
    id: 'D-2',
    name: 'a new Job without completions gets as many pods as may run at once',
    rules: 'J-5.11',
    job: { parallelism: 2 },
    stored: null,
    commands: '+2',
    status: 'a2',
    startTime: 'now',
    ...untilObserved,
  },
  {
    id: 'D-3',
    name: 'nothing is done while enough pods are pending',
    rules: 'J-5.13',
    job: p2c5,
    pods: '2P',
    commands: '',
    status: 'a2',
    ...quiet,
  },
  {
    id: 'D-4',
    name: 'active pods that are ready are counted as ready',
    rules: 'J-0.4',
    job: { parallelism: 3, completions: 5 },
    pods: '2r 1R',
    commands: '',
    status: 'a3 r2',
    ...quiet,
  },
  {
    id: 'D-5',
    name: 'a succeeded pod is counted, and the next one is created',
    rules: 'J-4.5, J-4.14',
    job: p2c5,
    pods: '1R 1S',
    commands: '+1 ~1',
    status: 'a2 s1',
    ...untilObserved,
  },
  {
    id: 'D-6',
    name: 'the API refuses every change of pods: nothing is counted, and it is tried again',
    rules: 'J-3.51, J-4.11',
    job: p2c5,
    pods: '1R 1S',
    refused: [{ verb: 'create' }, { verb: 'patch' }],
    commands: '',
    // What is active is written; nothing is counted before its finalizer is removed.
    status: 'a1',
    puts: 1,
    ...retries,
  },
  {
    id: 'D-7',
    name: 'a surplus pod is deleted and not counted',
    rules: 'J-5.12, J-5.33',
    job: p2c5,
    pods: '3R',
    commands: '-1',
    status: 'a2 t1',
    ...quiet,
  },
  {
    id: 'D-8',
    name: 'the API refuses to untrack the surplus pod: it stays active, and it is tried again',
    rules: 'J-5.33',
    job: p2c5,
    pods: '3R',
    refused: [{ verb: 'patch' }],
    commands: '',
    status: 'a3',
    ...retries,
  },
  {
    id: 'D-9',
    name: 'a surplus pod that is ready is no longer counted as ready',
    rules: 'J-5.33',
    job: p2c5,
    pods: '3r',
    commands: '-1',
    status: 'a2 r2 t1',
    ...quiet,
  },
  {
    id: 'D-10',
    name: 'all surplus pods are deleted in one sync',
    rules: 'J-5.12',
    job: p2c5,
    pods: '10R',
    commands: '-8',
    status: 'a2 t8',
    ...quiet,
  },
  {
    id: 'D-11',
    name: 'fewer pods are wanted near the end: the surplus pod is deleted, the succeeded ones are counted',
    rules: 'J-5.12',
    job: { parallelism: 3, completions: 4 },
    pods: '3R 2S',
    commands: '-1 ~2',
    status: 'a2 t1 s2',
    ...quiet,
  },
  {
    id: 'D-12',
    name: 'pods succeed while enough others run: they are counted, and none is created',
    rules: 'J-5.11',
    job: p2c5,
    pods: '2R 2S',
    commands: '~2',
    status: 'a2 s2',
    ...quiet,
  },
  {
    id: 'D-13',
    name: 'the last pods have succeeded: the Job is complete',
    rules: 'J-6.36, J-6.38, J-7.2, J-4.9, J-4.13, J-6.30, J-6.34',
    job: p2c5,
    pods: '5S',
    commands: '~5',
    status: 's5',
    ...completes(),
  },
  {
    id: 'D-14',
    name: 'without completions nothing is created after the first success',
    rules: 'J-5.11',
    job: { parallelism: 2 },
    pods: '1R 1S',
    commands: '~1',
    status: 'a1 s1',
    ...quiet,
  },
  {
    id: 'D-15',
    name: 'without completions the Job is complete once every pod has succeeded',
    rules: 'J-6.30',
    job: { parallelism: 2 },
    pods: '2S',
    commands: '~2',
    status: 's2',
    ...completes(),
  },
  {
    id: 'D-16',
    name: 'without completions one success completes the Job, although another pod failed',
    rules: 'J-6.7',
    job: { parallelism: 2 },
    pods: '1S 1F',
    commands: '~2',
    status: 's1 f1',
    ...completes(),
  },
  {
    id: 'D-17',
    name: 'a pod that failed long ago is counted and replaced at once',
    rules: 'J-5.11',
    job: p2c5,
    pods: '1R 1F',
    commands: '+1 ~1',
    status: 'a2 f1',
    ...untilObserved,
  },
  {
    id: 'D-18',
    name: 'a success after the failure ends the back-off: the next pod is created at once',
    rules: 'J-5.42',
    job: p2c5,
    pods: '1R',
    with: [
      { phase: 'Failed', finished: -2 },
      { phase: 'Succeeded', finished: -1 },
    ],
    commands: '+1 ~2',
    status: 'a2 s1 f1',
    ...untilObserved,
  },
  {
    id: 'D-19',
    name: 'the only pod failed just now: the next one waits for the back-off',
    rules: 'J-5.14',
    job: { parallelism: 1, completions: 1 },
    before: [failedNow],
    commands: '',
    status: 'f1',
    puts: 0,
    ...backsOff,
  },
  {
    id: 'D-20',
    name: 'a pod failed just now: during the back-off the other one still counts as active and ready',
    rules: 'J-5.43, J-5.14, B-4',
    job: { parallelism: 2, completions: 2 },
    before: [failedNow, readyPod],
    commands: '',
    status: 'a1 r1 f1',
    puts: 0,
    ...backsOff,
  },
  {
    id: 'D-21',
    name: 'nothing is done while the only pod runs after an earlier failure',
    rules: 'J-5.13',
    job: { parallelism: 1, completions: 1 },
    stored: { ...startedAgo(60), active: 1, failed: 1 },
    pods: '1R',
    commands: '',
    status: 'a1 f1',
    puts: 0,
    ...quiet,
  },
  {
    id: 'D-22',
    name: 'the API refuses creations after the tenth: ten pods are active, the rest is tried again',
    rules: 'J-5.18, J-5.20',
    job: { parallelism: 100, completions: 200 },
    refused: [{ verb: 'create', after: 10 }],
    commands: '+10',
    status: 'a10',
    ...retries,
  },
  {
    id: 'D-24',
    name: 'parallelism 0 pauses the Job: its running pods are deleted and not counted',
    rules: 'J-5.35',
    job: { parallelism: 0, completions: 5 },
    pods: '2R',
    commands: '-2',
    status: 't2',
    ...quiet,
  },
  {
    id: 'D-25',
    name: 'a new Job of 0 completions is complete at once',
    rules: 'J-3.58',
    job: { parallelism: 2, completions: 0 },
    stored: null,
    commands: '',
    status: '',
    startTime: 'now',
    ...completes(),
  },
];

const oneOfOne = { parallelism: 1, completions: 1 };
const onFailure = { restartPolicy: 'OnFailure' };

export const LIMITS: Row[] = [
  {
    id: 'D-30',
    name: 'as many failures as backoffLimit allows: the failed pod is replaced',
    rules: 'J-6.1',
    job: { ...oneOfOne, backoffLimit: 1 },
    pods: '1F',
    commands: '+1 ~1',
    status: 'a1 f1',
    ...untilObserved,
  },
  {
    id: 'D-31',
    name: 'one failure more than backoffLimit allows: the Job fails',
    rules: 'J-7.2, J-6.1',
    job: { ...oneOfOne, backoffLimit: 1 },
    pods: '2F',
    commands: '~2',
    status: 'f2',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-32',
    name: 'the sixth failure of the default backoffLimit of 6: the failed pods are replaced',
    rules: 'J-6.1',
    job: { parallelism: 2, completions: 2 },
    pods: '1R 6F',
    commands: '+1 ~6',
    status: 'a2 f6',
    ...untilObserved,
  },
  {
    id: 'D-33',
    name: 'the seventh failure of the default backoffLimit of 6: the Job fails',
    rules: 'J-6.1',
    job: { parallelism: 2, completions: 2 },
    pods: '7F',
    commands: '~7',
    status: 'f7',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-34',
    name: 'the Job fails while pods run: they are deleted and counted as failed, and Failed waits until they are gone',
    rules: 'J-A.2, J-3.57, J-4.16, J-6.3, J-7.3',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    pods: '2r 1F',
    commands: '×2 ~3',
    status: 'f3 t2',
    ...willFail('BackoffLimitExceeded'),
  },
  {
    id: 'D-35',
    name: 'the deleted pods are gone: the Job is Failed',
    rules: 'J-A.2, J-4.13, J-6.34',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    stored: { ...storedAs('FailureTarget', 'BackoffLimitExceeded'), failed: 3, terminating: 2 },
    commands: '',
    status: 'f3',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-36',
    name: 'the API refuses one of the deletions: no condition is written, and it is tried again',
    rules: 'B-5, B-6',
    job: { parallelism: 2, completions: 3, backoffLimit: 0 },
    pods: '2R 1F',
    refused: [{ verb: 'delete', times: 1 }],
    commands: '×1 ~1',
    status: 'a1 t1 f1',
    ...retries,
  },
  {
    id: 'D-38',
    name: 'a Job that is being deleted fails as well',
    rules: 'J-3.55',
    job: { ...oneOfOne, backoffLimit: 0, deleting: true },
    pods: '1F',
    commands: '~1',
    status: 'f1',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-39',
    name: 'restartPolicy OnFailure, backoffLimit 0: without a restart the Job goes on',
    rules: 'J-6.4',
    job: { ...oneOfOne, ...onFailure, backoffLimit: 0 },
    pods: '1R',
    commands: '',
    status: 'a1',
    ...quiet,
  },
  {
    id: 'D-40',
    name: 'restartPolicy OnFailure: as many restarts as backoffLimit fail the Job',
    rules: 'J-6.4, J-4.17',
    job: { ...oneOfOne, ...onFailure, backoffLimit: 1 },
    with: [{ restarts: 1 }],
    commands: '×1 ~1',
    status: 't1 f1',
    ...willFail('BackoffLimitExceeded'),
  },
  {
    id: 'D-41',
    name: 'restartPolicy OnFailure: the restarts of all pods are added up',
    rules: 'J-6.4, B-16',
    job: { ...p2c5, ...onFailure, backoffLimit: 2 },
    with: [{ restarts: 1 }, { restarts: 1 }],
    commands: '×2 ~2',
    status: 't2 f2',
    ...willFail('BackoffLimitExceeded'),
  },
  {
    id: 'D-42',
    name: 'restartPolicy OnFailure: with fewer restarts than backoffLimit the Job goes on',
    rules: 'J-6.4',
    job: { ...p2c5, ...onFailure, backoffLimit: 3 },
    with: [{ restarts: 1 }, { restarts: 1 }],
    commands: '',
    status: 'a2',
    ...quiet,
  },
  {
    id: 'D-43',
    name: 'the deadline has passed: the running pod is deleted and counted as failed, the other one as succeeded',
    rules: 'J-6.5, J-4.17',
    job: { parallelism: 1, completions: 2, activeDeadlineSeconds: 10 },
    stored: startedAgo(15),
    pods: '1R 1S',
    commands: '×1 ~2',
    status: 't1 s1 f1',
    ...willFail('DeadlineExceeded'),
  },
  {
    id: 'D-44',
    name: 'the deadline passes while nothing runs: the Job fails in one sync',
    rules: 'J-6.5',
    job: { ...oneOfOne, activeDeadlineSeconds: 10 },
    stored: startedAgo(10),
    commands: '',
    status: '',
    ...fails('DeadlineExceeded'),
  },
  {
    id: 'D-45',
    name: 'deadline and backoffLimit are both exceeded: the reason is backoffLimit',
    rules: 'J-3.54',
    job: { ...oneOfOne, activeDeadlineSeconds: 1, backoffLimit: 0 },
    stored: startedAgo(10),
    pods: '1F',
    commands: '~1',
    status: 'f1',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-46',
    name: 'the deadline does not end a suspended Job',
    rules: 'J-6.43',
    job: { ...oneOfOne, activeDeadlineSeconds: 10, suspend: true },
    stored: startedAgo(15),
    commands: '',
    status: '',
    ...suspends,
  },
  {
    id: 'D-47',
    name: 'a stored FailureTarget=False is ignored and kept',
    rules: 'J-3.54',
    job: oneOfOne,
    stored: holding('FailureTarget', 'False', { reason: 'x', message: 'm' }),
    pods: '1r',
    commands: '',
    status: 'a1 r1',
    conditions: ['FailureTarget=False(x)'],
    message: 'm',
    ...quiet,
  },
  {
    id: 'D-48',
    name: 'a stored FailureTarget gives Failed its reason and message',
    rules: 'J-3.52',
    job: oneOfOne,
    stored: holding('FailureTarget', 'True', { reason: 'x', message: 'm' }),
    pods: '1F',
    commands: '~1',
    status: 'f1',
    ...fails('x', 'm'),
  },
];

export const TERMINATING: Row[] = [
  {
    id: 'D-50',
    name: 'podReplacementPolicy Failed: a terminating pod is not counted as failed',
    rules: 'J-5.13',
    job: { parallelism: 1, ...PRF },
    pods: '1R 1F 1T',
    commands: '~1',
    status: 'a1 f1 t1',
    ...quiet,
  },
  {
    id: 'D-51',
    name: 'by default a terminating pod counts as failed at once',
    rules: 'J-4.17, J-4.19',
    job: oneOfOne,
    pods: '1R 1F 1T',
    commands: '~2',
    status: 'a1 f2 t1',
    ...quiet,
  },
  {
    id: 'D-52',
    name: 'podReplacementPolicy Failed: the surplus pod is deleted, and no terminating one counts as failed',
    rules: 'J-5.12',
    job: { ...oneOfOne, ...PRF },
    pods: '2R 4T',
    commands: '-1',
    status: 'a1 t5',
    ...quiet,
  },
  {
    id: 'D-53',
    name: 'by default terminating pods are counted as failed and replaced once the back-off is over',
    rules: 'J-5.37, J-6.2',
    job: { parallelism: 2, completions: 2 },
    pods: '2T',
    commands: '+2 ~2',
    status: 'a2 t2 f2',
    ...untilObserved,
  },
  {
    id: 'D-54',
    name: 'podReplacementPolicy Failed: terminating pods are not replaced',
    rules: 'J-5.13, J-5.37',
    job: { parallelism: 2, completions: 2, ...PRF },
    pods: '2T',
    commands: '',
    status: 't2',
    ...quiet,
  },
  {
    id: 'D-55',
    name: 'podReplacementPolicy Failed: pods are counted and replaced once they have failed',
    rules: 'J-5.37',
    job: { parallelism: 2, completions: 2, ...PRF },
    pods: '2F',
    commands: '+2 ~2',
    status: 'a2 f2',
    ...untilObserved,
  },
  {
    id: 'D-56',
    name: 'with a podFailurePolicy a terminating pod is neither counted as failed nor replaced',
    rules: 'J-0.4',
    job: { ...oneOfOne, ...PRF, podFailurePolicy: { rules: [] } },
    pods: '1T',
    commands: '',
    status: 't1',
    ...quiet,
  },
  {
    id: 'D-59',
    name: 'Complete waits for a terminating pod, tracked or not',
    rules: 'J-4.20, J-6.39',
    job: oneOfOne,
    stored: { ...storedAs('SuccessCriteriaMet', 'CompletionsReached'), succeeded: 1 },
    pods: '1T°',
    commands: '',
    status: 't1 s1',
    ...willComplete(),
  },
  {
    // The built-in controller's uncounted pods are counted at once, as our lists are never full.
    id: 'D-74',
    name: 'failed pods that the built-in controller left uncounted are counted together with 500 succeeded ones',
    rules: 'J-4.3, J-4.22',
    job: { parallelism: 0, completions: 1000 },
    stored: { ...startedAgo(60), uncountedTerminatedPods: { failed: ['a', 'b'] } },
    pods: '500S',
    with: [{ name: 'b', uid: 'b', phase: 'Failed' }],
    commands: '~501',
    status: 's500 f2',
    ...quiet,
  },
  {
    id: 'D-75',
    name: 'a pod that the built-in controller listed as failed stays failed when it is seen to succeed',
    rules: 'J-4.6',
    job: { parallelism: 0, completions: 5 },
    stored: { ...startedAgo(60), uncountedTerminatedPods: { failed: ['b'] } },
    with: [{ uid: 'b', phase: 'Succeeded' }],
    commands: '~1',
    status: 'f1',
    ...quiet,
  },
];

export const LIFE: Row[] = [
  {
    id: 'D-120',
    name: 'a Job created suspended gets neither pods nor a start time',
    rules: 'J-7.2, J-6.40',
    job: { ...p2c5, suspend: true },
    stored: null,
    commands: '',
    status: '',
    ...suspends,
  },
  {
    id: 'D-121',
    name: 'suspending deletes all active pods and clears the start time',
    rules: 'J-6.41',
    job: { parallelism: 2, completions: 4, suspend: true },
    pods: '2R',
    commands: '-2',
    status: 't2',
    ...suspends,
  },
  {
    id: 'D-123',
    name: 'resuming creates pods and starts the time anew',
    rules: 'J-6.42',
    job: { parallelism: 2, completions: 4, suspend: false },
    stored: {
      ready: 0,
      terminating: 0,
      conditions: [{ type: 'Suspended', status: 'True', reason: 'JobSuspended', message: 'Job suspended' }],
    },
    commands: '+2',
    status: 'a2',
    ...resumes,
  },
  {
    id: 'D-124',
    name: 'a suspended Job whose pods have all succeeded is complete',
    rules: 'J-3.55, J-6.43',
    job: { parallelism: 2, completions: 4, suspend: true },
    pods: '4S',
    commands: '~4',
    status: 's4',
    ...completes(),
  },
  {
    id: 'D-125',
    name: 'a suspended Job of 0 completions is complete without a start time',
    rules: 'J-6.44',
    job: { parallelism: 2, completions: 0, suspend: true },
    stored: null,
    commands: '',
    status: '',
    startTime: 'absent',
    ...completes(),
  },
  {
    id: 'D-126',
    name: 'a Job that is being deleted is not suspended: its pods are released, not deleted',
    rules: 'J-4.4, J-6.48',
    job: { ...p2c5, suspend: true, deleting: true },
    pods: '2R',
    commands: '~2',
    status: 'a2',
    ...quiet,
  },
  {
    id: 'D-127',
    name: 'a Job that is being deleted: all pods are released, succeeded ones counted, none created or deleted',
    rules: 'J-4.17, J-5.21',
    job: { ...p2c5, deleting: true },
    pods: '1P 1R 1S',
    commands: '~3',
    status: 'a2 s1',
    ...quiet,
  },
  {
    id: 'D-128',
    name: 'nothing is done for a finished Job, whatever pods it has',
    rules: 'J-6.37',
    job: p2c5,
    stored: { ...storedAs('Failed', 'BackoffLimitExceeded'), failed: 7 },
    pods: '1R° 1F°',
    commands: '',
    status: 'f7',
    conditions: ['Failed(BackoffLimitExceeded)'],
    message: reasonMessage('BackoffLimitExceeded'),
    puts: 0,
    ...quiet,
  },
  {
    id: 'D-129',
    name: 'nothing is done for a Job that another controller manages',
    rules: 'J-15.9',
    job: { ...p2c5, managedBy: 'example.com/queue' },
    pods: '1R 1F',
    commands: '',
    status: '',
    puts: 0,
    ...quiet,
  },
  {
    id: 'D-130',
    name: 'a pod without controller that matches the selector is adopted and counted as active',
    rules: 'J-3.31',
    job: oneOfOne,
    with: [{ controller: 'none', untracked: true }],
    commands: 'adopt 1',
    status: 'a1',
    ...quiet,
  },
  {
    id: 'D-131',
    name: 'a pod whose labels no longer match is let go and replaced',
    rules: 'J-3.31',
    job: oneOfOne,
    with: [{ labels: {} }],
    commands: 'disown 1 +1',
    status: 'a1',
    ...untilObserved,
  },
  {
    id: 'D-132',
    name: 'the Job was deleted: its pods are freed and nothing is counted',
    rules: 'J-3.46',
    job: oneOfOne,
    jobDeleted: true,
    with: [{ controller: 'none' }],
    commands: '~1',
    status: '',
    startTime: 'absent',
    puts: 0,
    ...quiet,
  },
  {
    id: 'D-133',
    name: 'a pod that the built-in controller listed and released is counted once',
    rules: 'J-4.3, J-4.18',
    job: p2c5,
    stored: { ...startedAgo(60), active: 2, uncountedTerminatedPods: { succeeded: ['done'] } },
    pods: '2R',
    with: [{ uid: 'done', phase: 'Succeeded', untracked: true }],
    commands: '',
    status: 'a2 s1',
    ...quiet,
  },
  {
    id: 'D-134',
    name: 'another client changed the Job before the write: the status is written on that version',
    rules: 'J-3.51',
    job: p2c5,
    pods: '1R 1S',
    conflict: true,
    commands: '+1 ~1',
    status: 'a2 s1',
    ...untilObserved,
  },
];

const indexed = (parallelism: number, completions = parallelism): JobFields => ({
  completionMode: 'Indexed',
  parallelism,
  completions,
});
const p2c5Ix = indexed(2, 5);
const allSucceeded = (count: number): string =>
  Array.from({ length: count }, (_none, index) => `${index}:S`).join(' ');

export const INDEXED: Row[] = [
  {
    id: 'D-57',
    name: 'podReplacementPolicy Failed: a terminating pod without index takes the place of another',
    rules: 'J-5.16',
    job: { ...p2c5Ix, ...PRF },
    pods: '1T',
    commands: '+1',
    creates: '0',
    status: 'a1 t1',
    ...untilObserved,
  },
  {
    id: 'D-58',
    name: 'by default a terminating pod without index takes no place and is not counted',
    rules: 'J-5.37',
    job: p2c5Ix,
    pods: '1T',
    commands: '+2 ~1',
    creates: '0,1',
    status: 'a2 t1',
    ...untilObserved,
  },
  {
    id: 'D-60',
    name: 'a new Indexed Job gets pods of the lowest indexes',
    rules: 'J-5.16',
    job: p2c5Ix,
    stored: null,
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    startTime: 'now',
    ...untilObserved,
  },
  {
    id: 'D-61',
    name: 'the lowest indexes that are neither completed nor active get pods',
    rules: 'J-4.8, J-5.16',
    job: indexed(8, 20),
    pods: '0:R 3:P 2:S 4:S 5:S 7:S 8:S 9:S',
    commands: '+6 ~6',
    creates: '1,6,10-13',
    status: 'a8 s6',
    completed: '2,4,5,7-9',
    ...untilObserved,
  },
  {
    id: 'D-62',
    name: 'indexes whose pods failed get new ones',
    rules: 'J-5.16',
    job: indexed(3, 4),
    pods: '0:F 1:P 2:F',
    commands: '+2 ~2',
    creates: '0,2',
    status: 'a3 f2',
    ...untilObserved,
  },
  {
    id: 'D-63',
    name: 'all indexes are completed: the Job is complete, although a pod of one failed',
    rules: 'J-4.12',
    job: indexed(2, 3),
    pods: '0:S 1:F 1:S 2:S',
    commands: '~4',
    status: 's3 f1',
    completed: '0-2',
    ...completes(),
  },
  {
    id: 'D-64',
    name: 'two succeeded pods of one index complete it once',
    rules: 'J-4.12',
    job: indexed(2, 3),
    pods: '0:S 1:S 1:S',
    commands: '+1 ~3',
    creates: '2',
    status: 'a1 s2',
    completed: '0,1',
    ...untilObserved,
  },
  {
    id: 'D-65',
    name: 'an Indexed Job fails: its running pod is deleted and counted as failed',
    rules: 'J-6.1',
    job: { ...indexed(2, 3), backoffLimit: 0 },
    pods: '0:S 1:F 2:R',
    commands: '×1 ~3',
    status: 't1 s1 f2',
    completed: '0',
    ...willFail('BackoffLimitExceeded'),
  },
  {
    id: 'D-66',
    name: 'of pods without index the active ones are deleted, the finished ones released, and none is counted',
    rules: 'J-5.30',
    job: p2c5Ix,
    pods: '2R 1P 2S 2F 0:S 1:R 2:R',
    commands: '-3 ~5',
    status: 'a2 t3 s1',
    completed: '0',
    ...quiet,
  },
  {
    id: 'D-67',
    name: 'misplaced pods are deleted before any is created: one without index, and the worse one of an index',
    rules: 'J-5.12, J-5.30',
    job: indexed(5),
    pods: '1R 1S 1F 0:S 1:R 2:R 2:P',
    commands: '-2 ~3',
    status: 'a2 t2 s1',
    completed: '0',
    first: true,
    ...quiet,
  },
  {
    id: 'D-67',
    name: 'after the misplaced pods the lowest indexes without a pod get one',
    rules: 'J-5.12, J-5.16',
    job: indexed(5),
    pods: '1R 1S 1F 0:S 1:R 2:R 2:P',
    commands: '+2 -2 ~3',
    creates: '3,4',
    status: 'a4 t2 s1',
    completed: '0',
    puts: 2,
    ...untilObserved,
  },
  {
    id: 'D-68',
    name: 'pods of indexes beyond completions are deleted or released before any is created, and not counted',
    rules: 'J-4.17, J-5.30',
    job: p2c5Ix,
    pods: '0:S 5:R 6:S 7:P 8:F',
    commands: '-2 ~3',
    status: 't2 s1',
    completed: '0',
    first: true,
    ...quiet,
  },
  {
    id: 'D-68',
    name: 'after the pods beyond completions the lowest indexes without a pod get one',
    rules: 'J-5.12, J-5.16',
    job: p2c5Ix,
    pods: '0:S 5:R 6:S 7:P 8:F',
    commands: '+2 -2 ~3',
    creates: '1,2',
    status: 'a2 t2 s1',
    completed: '0',
    puts: 2,
    ...untilObserved,
  },
  {
    id: 'D-69',
    name: 'scaled down to indexes that are all completed: the Job is complete',
    rules: 'J-5.36, J-4.8',
    job: indexed(1),
    stored: { ...startedAgo(60), succeeded: 3, completedIndexes: '0-2', failed: 1 },
    commands: '',
    status: 's1 f1',
    completed: '0',
    ...completes(),
  },
  {
    id: 'D-70',
    name: 'scaled down: completed indexes beyond completions no longer count',
    rules: 'J-4.8',
    job: indexed(2),
    stored: { ...startedAgo(60), active: 2, succeeded: 1, completedIndexes: '3' },
    pods: '0:R 1:R',
    commands: '',
    status: 'a2',
    completed: '',
    ...quiet,
  },
  {
    id: 'D-71',
    name: 'scaled down: the pods of the removed indexes are deleted',
    rules: 'J-5.32',
    job: indexed(1),
    pods: '0:R 1:R 2:R',
    commands: '-2',
    status: 'a1 t2',
    ...quiet,
  },
  {
    id: 'D-72',
    name: 'scaled down to 0: the pods are deleted, and Complete waits until they are gone',
    rules: 'J-5.36',
    job: indexed(0),
    pods: '0:R 1:R 2:R',
    commands: '-3',
    status: 't3',
    ...willComplete(),
  },
  {
    id: 'D-73',
    name: '501 indexes succeed at once: 500 pods are released, and the Job is not complete yet',
    rules: 'J-4.1, J-4.7',
    job: indexed(501),
    pods: allSucceeded(501),
    commands: '~500',
    status: 's501',
    completed: '0-500',
    first: true,
    ...willComplete(),
  },
  {
    id: 'D-73',
    name: 'the last of 501 pods is released in the next round, and the Job is complete',
    rules: 'J-4.7, J-4.13',
    job: indexed(501),
    pods: allSucceeded(501),
    commands: '~501',
    status: 's501',
    completed: '0-500',
    puts: 2,
    ...completes(),
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
const failedWith = (code: number, fields: PodFields = {}): PodFields => ({
  phase: 'Failed',
  exits: { main: code },
  ...fields,
});

export const PER_INDEX: Row[] = [
  {
    id: 'D-80',
    name: 'a failed pod is replaced before it is counted: until then it carries the failures of its index',
    rules: 'J-5.51',
    job: perIndex,
    pods: '0:F/0',
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    failed: '',
    ...untilObserved,
  },
  {
    id: 'D-81',
    name: 'a failed pod is counted once its replacement is active',
    rules: 'J-5.50, J-5.51',
    job: perIndex,
    pods: '0:F/0 0:P/1',
    commands: '+1 ~1',
    creates: '1',
    status: 'a2 f1',
    failed: '',
    ...untilObserved,
  },
  {
    id: 'D-82',
    name: 'a pod of an index failed just now: its replacement waits for the back-off of that index',
    rules: 'J-5.44',
    job: perIndex,
    pods: '0:R/0',
    with: [{ ...failedNow, index: 1, failureCount: 0 }],
    commands: '',
    status: 'a1',
    failed: '',
    ...backsOff,
  },
  {
    id: 'D-83',
    name: 'an index fails when it has used up backoffLimitPerIndex; the others go on',
    rules: 'J-5.52',
    job: perIndex,
    pods: '0:F/1',
    commands: '+1 ~1',
    creates: '1',
    status: 'a1 f1',
    failed: '0',
    ...untilObserved,
  },
  {
    id: 'D-84',
    name: 'all indexes are done and one has failed: the Job fails',
    rules: 'J-6.20, J-6.22',
    job: perIndex,
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    failed: '0',
    ...fails('FailedIndexes'),
  },
  {
    id: 'D-85',
    name: 'more indexes have failed than maxFailedIndexes allows: the Job fails, and the running pod is deleted',
    rules: 'J-6.20',
    job: { ...perIndex, ...indexed(4), maxFailedIndexes: 1 },
    pods: '0:F/1 1:S/0 2:F/1 3:R/0',
    commands: '×1 ~4',
    status: 't1 s1 f3',
    completed: '1',
    failed: '0,2',
    ...willFail('MaxFailedIndexesExceeded'),
  },
  {
    id: 'D-86',
    name: 'backoffLimit counts the failures of all indexes',
    rules: 'J-6.21',
    job: { ...perIndex, backoffLimit: 1 },
    pods: '0:F/0 1:F/0',
    commands: '~2',
    status: 'f2',
    failed: '',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-87',
    name: 'FailIndex fails the index without a retry',
    rules: 'J-5.52',
    job: { ...perIndex, ...policy(on('FailIndex', [3])) },
    with: [failedWith(3, { index: 0, failureCount: 0 })],
    commands: '+1 ~1',
    creates: '1',
    status: 'a1 f1',
    failed: '0',
    ...untilObserved,
  },
  {
    id: 'D-88',
    name: 'FailJob fails the Job, and its message names the container',
    rules: 'J-6.12',
    job: { ...perIndex, ...policy(on('FailJob', [3], { containerName: 'x' })) },
    with: [{ name: 'mypod-0', phase: 'Failed', exits: { x: 3 }, index: 0, failureCount: 0 }],
    commands: '~1',
    status: 'f1',
    failed: '',
    ...fails(
      'PodFailurePolicy',
      'Container x for pod default/mypod-0 failed with exit code 3 matching FailJob rule at index 0',
    ),
  },
  {
    id: 'D-89',
    name: 'an ignored failure is not counted, and the index is run again',
    rules: 'J-6.10',
    job: { ...perIndex, ...policy(on('Ignore', [3])) },
    with: [failedWith(3, { index: 0, failureCount: 0 })],
    commands: '+2',
    creates: '0,1',
    status: 'a2',
    failed: '',
    ...untilObserved,
  },
  {
    id: 'D-90',
    name: 'a retry has completed its index: the failure before it is counted, and the Job is complete',
    rules: 'J-5.50',
    job: perIndex,
    pods: '0:F/0 0:S/1 1:S/0',
    commands: '~3',
    status: 's2 f1',
    completed: '0,1',
    failed: '',
    ...completes(),
  },
];

const judged = { ...oneOfOne, ...policy(on('Ignore', [1, 2, 3]), on('FailJob', [5, 6, 7])) };
const notIn = { ...oneOfOne, ...policy(on('FailJob', [5], { operator: 'NotIn' })) };

export const POLICIES: Row[] = [
  {
    id: 'D-91',
    name: 'the first rule that matches the exit code is FailJob: the Job fails',
    rules: 'J-6.12',
    job: judged,
    with: [failedWith(5, { name: 'mypod' })],
    commands: '~1',
    status: 'f1',
    ...fails(
      'PodFailurePolicy',
      'Container main for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
    ),
  },
  {
    id: 'D-92',
    name: 'the first rule that matches the exit code is Ignore: the pod is replaced and not counted',
    rules: 'J-6.10',
    job: judged,
    with: [failedWith(1)],
    commands: '+1 ~1',
    status: 'a1',
    ...untilObserved,
  },
  {
    id: 'D-93',
    name: 'no rule matches the exit code: the failure counts towards backoffLimit',
    rules: 'J-6.10',
    job: { ...judged, backoffLimit: 0 },
    with: [failedWith(10)],
    commands: '~1',
    status: 'f1',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-94',
    name: 'a container that has exited in a running pod matches no rule',
    rules: 'J-6.10',
    job: judged,
    with: [{ phase: 'Running', exits: { main: 5 } }],
    commands: '',
    status: 'a1',
    ...quiet,
  },
  {
    id: 'D-95',
    name: 'containers match several rules: the first rule decides',
    rules: 'J-6.10',
    job: judged,
    with: [{ phase: 'Failed', exits: { main: 2, other: 6 } }],
    commands: '+1 ~1',
    status: 'a1',
    ...untilObserved,
  },
  {
    id: 'D-96',
    name: 'FailJob while another pod runs: it is deleted and counted as failed',
    rules: 'J-3.57',
    job: { ...judged, parallelism: 2, completions: 2 },
    pods: '1R',
    with: [failedWith(5, { name: 'mypod' })],
    commands: '×1 ~2',
    status: 't1 f2',
    ...willFail(
      'PodFailurePolicy',
      'Container main for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
    ),
  },
  {
    id: 'D-97',
    name: 'FailJob NotIn: a listed exit code does not match, and the pod is replaced',
    rules: 'J-6.10',
    job: notIn,
    with: [failedWith(5)],
    commands: '+1 ~1',
    status: 'a1 f1',
    ...untilObserved,
  },
  {
    id: 'D-97',
    name: 'FailJob NotIn: an exit code that is not listed fails the Job',
    rules: 'J-6.10',
    job: notIn,
    with: [failedWith(6, { name: 'mypod' })],
    commands: '~1',
    status: 'f1',
    ...fails(
      'PodFailurePolicy',
      'Container main for pod default/mypod failed with exit code 6 matching FailJob rule at index 0',
    ),
  },
  {
    id: 'D-98',
    name: 'a rule for one container does not match the exit code of another',
    rules: 'J-6.10',
    job: { ...oneOfOne, ...policy(on('FailJob', [5], { containerName: 'main' })) },
    with: [{ phase: 'Failed', exits: { main: 1, other: 5 } }],
    commands: '+1 ~1',
    status: 'a1 f1',
    ...untilObserved,
  },
  {
    id: 'D-99',
    name: 'the exit code of an init container matches as well',
    rules: 'J-6.10',
    job: judged,
    with: [{ name: 'mypod', phase: 'Failed', exits: { main: 143 }, initExits: { init: 5 } }],
    commands: '~1',
    status: 'f1',
    ...fails(
      'PodFailurePolicy',
      'Container init for pod default/mypod failed with exit code 5 matching FailJob rule at index 1',
    ),
  },
  {
    id: 'D-100',
    name: 'an ignored disruption is not counted, but delays the next pod',
    rules: 'J-6.11, J-6.14',
    job: { ...oneOfOne, ...policy(onDisruption('Ignore')) },
    with: [{ ...failedNow, conditions: ['DisruptionTarget'] }],
    commands: '~1',
    status: '',
    // Nothing of the status changes.
    puts: 0,
    ...backsOff,
  },
  {
    id: 'D-101',
    name: 'the message of a stored FailureTarget stays, although another pod matches now',
    rules: 'J-6.13',
    job: judged,
    stored: holding('FailureTarget', 'True', { reason: 'PodFailurePolicy', message: 'of a pod long gone' }),
    with: [failedWith(5)],
    commands: '~1',
    status: 'f1',
    ...fails('PodFailurePolicy', 'of a pod long gone'),
  },
];

const enough = { ...indexed(3), successPolicy: { rules: [{ succeededIndexes: '0,1', succeededCount: 1 }] } };

export const SUCCESS: Row[] = [
  {
    id: 'D-110',
    name: 'the successPolicy is met: running pods are deleted and not counted, and Complete waits until they are gone',
    rules: 'J-4.17, J-6.31',
    job: enough,
    pods: '0:F 0:R 1:S 2:R',
    commands: '×2 ~4',
    status: 't2 s1 f1',
    completed: '1',
    ...willComplete('SuccessPolicy'),
  },
  {
    id: 'D-111',
    name: 'the deleted pods are gone: the Job is complete by its successPolicy',
    rules: 'J-6.31',
    job: enough,
    stored: {
      ...storedAs('SuccessCriteriaMet', 'SuccessPolicy'),
      terminating: 2,
      succeeded: 1,
      failed: 1,
      completedIndexes: '1',
    },
    commands: '',
    status: 's1 f1',
    completed: '1',
    ...completes('SuccessPolicy'),
  },
  {
    id: 'D-112',
    name: 'FailJob wins over a successPolicy that is met in the same sync',
    rules: 'J-3.54, J-6.12',
    job: { ...enough, ...policy(onDisruption('FailJob')) },
    pods: '0:R 1:S',
    with: [{ phase: 'Failed', index: 0, name: 'mypod', conditions: ['DisruptionTarget'] }],
    commands: '×1 ~3',
    status: 't1 s1 f2',
    completed: '1',
    ...willFail(
      'PodFailurePolicy',
      'Pod default/mypod has condition DisruptionTarget matching FailJob rule at index 0',
    ),
  },
  {
    id: 'D-113',
    name: 'backoffLimit wins over a successPolicy that is met in the same sync',
    rules: 'J-3.54',
    job: { ...enough, backoffLimit: 1 },
    pods: '0:F 0:F 1:S',
    commands: '~3',
    status: 's1 f2',
    completed: '1',
    ...fails('BackoffLimitExceeded'),
  },
  {
    id: 'D-114',
    name: 'failed indexes win over a successPolicy that is met in the same sync',
    rules: 'J-3.54',
    job: { ...enough, ...perIndex },
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    failed: '0',
    ...fails('FailedIndexes'),
  },
  ...[
    { after: 'a FailJob rule', job: { ...enough, ...policy(on('FailJob', [1])) } },
    { after: 'backoffLimit', job: { ...enough, backoffLimit: 0 } },
    { after: 'a failed index', job: { ...enough, ...perIndex }, failed: '0' },
  ].map(({ after, job, failed }: { after: string; job: JobFields; failed?: string }): Row => ({
    id: 'D-115',
    name: `a stored SuccessCriteriaMet stands: ${after} fails the Job no more`,
    rules: 'J-3.52',
    job,
    stored: storedAs('SuccessCriteriaMet', 'SuccessPolicy'),
    pods: '0:F/1 1:S/0',
    commands: '~2',
    status: 's1 f1',
    completed: '1',
    ...(failed !== undefined && { failed }),
    ...completes('SuccessPolicy'),
  })),
  {
    id: 'D-116',
    name: 'a stored FailureTarget stands: a successPolicy that is met now changes nothing',
    rules: 'J-3.52',
    job: enough,
    stored: { ...storedAs('FailureTarget', 'BackoffLimitExceeded'), failed: 1 },
    pods: '0:F° 1:S',
    commands: '~1',
    status: 's1 f1',
    completed: '1',
    ...fails('BackoffLimitExceeded'),
  },
];

/** Rows that cannot occur here, with the reason. */
export const NOT_APPLICABLE: Record<string, string> = {
  'D-23':
    'no expectations: a pod that was created counts as active from its outcome on (docs/decisions/0004)',
  'D-37': 'no expectations: nothing is created that the next decision does not know',
  'D-122': 'no expectations: a suspension never has to wait for them',
};
