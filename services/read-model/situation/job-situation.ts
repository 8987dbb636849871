import { BUILT_IN_MANAGER, PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { Condition } from '../../../workflows/kubernetes/objects.ts';
import type { Status } from '../shown/statuses.ts';
import type { JobRow } from '../tables/jobs.ts';

/** The columns of a Job's row that answer a user's first questions; they follow from the other columns. */
export type JobSituation = Pick<JobRow, 'status' | 'waiting_for' | 'waiting_until' | 'reason'>;

type Facts = Omit<JobRow, keyof JobSituation>;

/** The reason why a Job waits, as text, and the end of the wait if it is known. */
interface Wait {
  message: string;
  until?: string | null;
}

/** The rules of waits (docs/rules.md). */
const [REFUSED, BACK_OFF, BACK_OFF_OF_INDEX, CHAIN] = ['J-3.2', 'J-5.40', 'J-5.44', 'J-12.6'] as const;

/**
 * The maximum number of causes that a reason names, and the maximum length of each cause, so that all causes fit into
 * the column of the reason.
 */
const [NAMED, LONGEST_CAUSE] = [3, 130];

/** The key for the pods whose causes or waits are too many to be counted separately. */
export const FURTHER = 'others';

/** The waits of a pod in a usual start. */
const STARTING = ['', 'ContainerCreating', 'PodInitializing'];

/**
 * The longest delay, in milliseconds, between the request of a suspension and the status that shows the suspension.
 * After a longer delay, another client suspended the Job.
 */
export const SUSPENDED_WITHIN = 60_000;

/** The text of the wait of a Job that a user has suspended through Jobledger, before the name of the user. */
export const SUSPENDED_BY = 'to be resumed: suspended by ';

/** Answers a user's first questions about a Job: its status, its wait and the reason of its failure. */
export function jobSituation(job: Facts): JobSituation {
  const status = jobStatus(job);
  const wait = hasEnded(status) ? null : jobWait(job, status);
  return {
    status,
    waiting_for: wait?.message ?? null,
    waiting_until: wait?.until ?? null,
    reason: status === 'Succeeded' ? null : failureReason(job),
  };
}

/** A reason without the numbers of pods, in SQL, by which Jobs are grouped. */
export const REASON_GROUP = `regexp_replace(reason, ' ×[0-9]+', '', 'g')`;

function hasEnded(status: Status): boolean {
  return status === 'Succeeded' || status === 'Failed' || status === 'Deleted';
}

function jobStatus(job: Facts): Status {
  if (job.kubectl_status === 'Complete') return 'Succeeded';
  if (job.kubectl_status === 'Failed') return 'Failed';
  if (job.deleted_at !== null) return 'Deleted';
  if (!job.claimed) return 'External';
  if (job.suspend) return 'Suspended';
  if (hasRunningPod(job)) return 'Running';
  if (hasFailedPod(job) || isRestarting(job)) return 'Retrying';
  return job.succeeded > 0 ? 'Running' : 'Pending';
}

/** True for a placed Job. Its pods are the pods of its members, which only its status counts. */
function isPlaced({ managed_by: manager }: Facts): boolean {
  return manager === PLACEMENT_MANAGER;
}

function hasRunningPod(job: Facts): boolean {
  return isPlaced(job) ? job.ready > 0 : job.pod_summary.running > 0;
}

function hasFailedPod(job: Facts): boolean {
  return isPlaced(job) ? job.failed > 0 : Object.keys(job.pod_summary.failed).length > 0;
}

function isRestarting({ pod_summary: { waiting } }: Facts): boolean {
  return Object.keys(waiting).some((wait) => wait.startsWith('CrashLoopBackOff'));
}

/** The reason why a Job waits; null when it does not wait. */
function jobWait(job: Facts, status: Status): Wait | null {
  if (job.suspend) return waitWhileSuspended(job);
  if (status === 'External' && job.started_at === null) return { message: ownerText(job) };
  return waitForRefusal(job) ?? waitOfPods(job, status) ?? waitForBackOff(job) ?? waitForStart(job, status);
}

function waitWhileSuspended(job: Facts): Wait {
  const { waiting_rule: rule, waiting_message: message } = job;
  if (rule === CHAIN && message !== null) return { message: message.replace(/^suspended until /, '') };
  const by = suspendingUser(job);
  return { message: by === null ? 'to be resumed' : `${SUSPENDED_BY}${by}` };
}

/** The user who requested the suspension; null when the suspension did not come through Jobledger. */
function suspendingUser({
  conditions,
  suspend_requested_by: by,
  suspend_requested_at: at,
}: Facts): string | null {
  const since = trueCondition(conditions, 'Suspended')?.lastTransitionTime;
  if (at === null || since === undefined || since === null) return null;
  const delay = Date.parse(since) - Date.parse(at);
  return delay > -1000 && delay < SUSPENDED_WITHIN ? by : null;
}

/** The controller of a Job that Jobledger does not control, as text. */
function ownerText({ managed_by: manager }: Facts): string {
  return manager === null || manager === BUILT_IN_MANAGER
    ? 'the built-in Job controller'
    : `the controller ${manager}, which spec.managedBy names`;
}

/** The wait after a refused request; null when no request was refused. */
function waitForRefusal({
  waiting_rule: rule,
  waiting_message: text,
  next_decision_at: until,
}: Facts): Wait | null {
  if (rule !== REFUSED || text === null) return null;
  const message = text.replace(/^.*?, the last: /s, '').replace(/^\S+ "[^"]*" is forbidden: /, '');
  return { message: `a request that the API server refused: ${message}`, until };
}

/**
 * The most frequent reason why the pods of the Job wait; while other pods run, only a reason that is not part of a
 * usual start.
 */
function waitOfPods({ pod_summary: { waiting } }: Facts, status: Status): Wait | null {
  const [most] = Object.entries(waiting)
    .filter(([wait]) => wait !== FURTHER && (status !== 'Running' || !STARTING.includes(wait)))
    .toSorted(compareByCount);
  if (most === undefined) return null;
  const [wait, pods] = most;
  return { message: `${podWaitText(wait)}${pods > 1 ? ` (${pods} pods)` : ''}` };
}

/** The text of a pod's wait; a message of the scheduler is shortened to the number of fitting nodes and the reasons. */
function podWaitText(wait: string): string {
  if (wait === '') return 'its pod to start';
  return wait.replace(
    /^Unschedulable: (\d+)\/(\d+) nodes are available: (.*?)\.?$/s,
    '$1 of $2 nodes fit: $3',
  );
}

function waitForBackOff({ waiting_rule: rule, next_decision_at: until }: Facts): Wait | null {
  return rule === BACK_OFF || rule === BACK_OFF_OF_INDEX ? { message: 'its next attempt', until } : null;
}

function waitForStart(job: Facts, status: Status): Wait | null {
  if (job.waiting_message !== null) return { message: job.waiting_message, until: job.next_decision_at };
  if (status === 'Pending' && isPlaced(job) && job.active > 0) return { message: podWaitText('') };
  if (status === 'Pending') return { message: 'its first pod to be created' };
  return status === 'Retrying' ? { message: 'its next attempt' } : null;
}

/** The causes of failed pods and the reason of the Job's end, as text; null when nothing failed. */
function failureReason({ conditions, pod_summary: { failed } }: Facts): string | null {
  const causes = Object.entries(failed)
    .filter(([cause]) => cause !== FURTHER)
    .toSorted(compareByCount);
  const named = causes.slice(0, NAMED).map(([cause, pods]) => `${cause.slice(0, LONGEST_CAUSE)} ×${pods}`);
  const more = causes.length > NAMED || Object.hasOwn(failed, FURTHER) ? [FURTHER] : [];
  const condition = trueCondition(conditions, 'Failed') ?? trueCondition(conditions, 'FailureTarget');
  const end = condition === undefined ? [] : [endText(condition)];
  const parts = [[...named, ...more].join(', '), ...end].filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(': ');
}

const ENDS: Readonly<Record<string, string>> = {
  BackoffLimitExceeded: 'back-off limit reached',
  DeadlineExceeded: 'deadline exceeded',
  FailedIndexes: 'indexes failed',
  MaxFailedIndexesExceeded: 'too many indexes failed',
  PodFailurePolicy: 'by its pod failure policy',
};

function endText({ reason = '' }: Condition): string {
  if (reason === '') return 'failed';
  return Object.hasOwn(ENDS, reason) ? (ENDS[reason] ?? reason) : reason;
}

function trueCondition(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

/** Orders causes by the number of pods, the largest first, and then byte by byte. */
function compareByCount([cause, pods]: [string, number], [otherCause, otherPods]: [string, number]): number {
  return otherPods - pods || Buffer.compare(Buffer.from(cause), Buffer.from(otherCause));
}
