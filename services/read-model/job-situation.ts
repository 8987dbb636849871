import { BUILT_IN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Condition } from '../../workflows/kubernetes/objects.ts';
import type { StateWord } from './status-words.ts';
import type { JobRow } from './tables/jobs.ts';

/** What a user asks first of a Job: these columns of its row follow from the others. */
export type JobSituation = Pick<JobRow, 'state' | 'waits_for' | 'waits_until' | 'reason'>;

type Facts = Omit<JobRow, keyof JobSituation>;

/** What a Job waits for, in words, and until when if that is known. */
interface Wait {
  words: string;
  until?: string | null;
}

/** The rules of waits (docs/rules.md). */
const [REFUSED, BACK_OFF, BACK_OFF_OF_INDEX, CHAIN] = ['J-3.2', 'J-5.40', 'J-5.44', 'J-12.6'] as const;

/** The most causes that a reason names, and how much of each, in characters: all of them fit into its column. */
const [NAMED, LONGEST_CAUSE] = [3, 130];

/** Where pods are counted whose causes or waits are too many to be counted one by one. */
export const FURTHER = 'others';

/** Waits of a pod that is about to run, the usual start. */
const STARTING = ['', 'ContainerCreating', 'PodInitializing'];

/** A delay between the request of a suspension and the status that shows it, in milliseconds; beyond, somebody else did it. */
const SUSPENDED_WITHIN = 60_000;

export function situationOf(job: Facts): JobSituation {
  const state = stateOf(job);
  const wait = isOver(state) ? null : waitOf(job, state);
  return {
    state,
    waits_for: wait?.words ?? null,
    waits_until: wait?.until ?? null,
    reason: state === 'Succeeded' ? null : reasonOf(job),
  };
}

/** The grouping form of a reason: without the numbers of pods. */
export const REASON_GROUP = `regexp_replace(reason, ' ×[0-9]+', '', 'g')`;

function isOver(state: StateWord): boolean {
  return state === 'Succeeded' || state === 'Failed' || state === 'Deleted';
}

function stateOf(job: Facts): StateWord {
  if (job.status === 'Complete') return 'Succeeded';
  if (job.status === 'Failed') return 'Failed';
  if (job.deleted_at !== null) return 'Deleted';
  if (!job.claimed) return 'External';
  if (job.suspend) return 'Suspended';
  if (job.pod_summary.running > 0) return 'Running';
  if (Object.keys(job.pod_summary.failed).length > 0 || isRestarting(job)) return 'Retrying';
  return job.succeeded > 0 ? 'Running' : 'Pending';
}

function isRestarting({ pod_summary: { waiting } }: Facts): boolean {
  return Object.keys(waiting).some((wait) => wait.startsWith('CrashLoopBackOff'));
}

function waitOf(job: Facts, state: StateWord): Wait | null {
  if (job.suspend) return suspension(job);
  if (state === 'External' && job.started_at === null) return { words: ownerOf(job) };
  return refusal(job) ?? waitOfPods(job, state) ?? backOff(job) ?? start(job, state);
}

function suspension(job: Facts): Wait {
  const { waiting_rule: rule, waiting_words: words } = job;
  if (rule === CHAIN && words !== null) return { words: words.replace(/^suspended until /, '') };
  const by = suspendedBy(job);
  return { words: by === null ? 'to be resumed' : `to be resumed: suspended by ${by}` };
}

/** Who asked for the suspension; null when it was done without asking Jobledger. */
function suspendedBy({
  conditions,
  suspend_requested_by: by,
  suspend_requested_at: at,
}: Facts): string | null {
  const since = trueOf(conditions, 'Suspended')?.lastTransitionTime;
  if (at === null || since === undefined || since === null) return null;
  const delay = Date.parse(since) - Date.parse(at);
  return delay > -1000 && delay < SUSPENDED_WITHIN ? by : null;
}

function ownerOf({ managed_by: manager }: Facts): string {
  return manager === null || manager === BUILT_IN_MANAGER
    ? 'the built-in Job controller'
    : `the controller ${manager}, which spec.managedBy names`;
}

function refusal({ waiting_rule: rule, waiting_words: words, look_again_at: until }: Facts): Wait | null {
  if (rule !== REFUSED || words === null) return null;
  const message = words.replace(/^.*?, the last: /s, '').replace(/^\S+ "[^"]*" is forbidden: /, '');
  return { words: `a request that the API server refused: ${message}`, until };
}

/** What most of its pods wait for; while others run, only what is not a usual start. */
function waitOfPods({ pod_summary: { waiting } }: Facts, state: StateWord): Wait | null {
  const [most] = Object.entries(waiting)
    .filter(([wait]) => wait !== FURTHER && (state !== 'Running' || !STARTING.includes(wait)))
    .toSorted(byCount);
  if (most === undefined) return null;
  const [wait, pods] = most;
  return { words: `${podWait(wait)}${pods > 1 ? ` (${pods} pods)` : ''}` };
}

/** A wait of a pod in words: of the scheduler's messages, how many nodes fit and why. */
function podWait(wait: string): string {
  if (wait === '') return 'its pod to start';
  return wait.replace(
    /^Unschedulable: (\d+)\/(\d+) nodes are available: (.*?)\.?$/s,
    '$1 of $2 nodes fit: $3',
  );
}

function backOff({ waiting_rule: rule, look_again_at: until }: Facts): Wait | null {
  return rule === BACK_OFF || rule === BACK_OFF_OF_INDEX ? { words: 'its next attempt', until } : null;
}

function start(job: Facts, state: StateWord): Wait | null {
  if (job.waiting_words !== null) return { words: job.waiting_words, until: job.look_again_at };
  if (state === 'Pending') return { words: 'its first pod to be created' };
  return state === 'Retrying' ? { words: 'its next attempt' } : null;
}

function reasonOf({ conditions, pod_summary: { failed } }: Facts): string | null {
  const causes = Object.entries(failed)
    .filter(([cause]) => cause !== FURTHER)
    .toSorted(byCount);
  const named = causes.slice(0, NAMED).map(([cause, pods]) => `${cause.slice(0, LONGEST_CAUSE)} ×${pods}`);
  const more = causes.length > NAMED || Object.hasOwn(failed, FURTHER) ? [FURTHER] : [];
  const condition = trueOf(conditions, 'Failed') ?? trueOf(conditions, 'FailureTarget');
  const end = condition === undefined ? [] : [endWords(condition)];
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

function endWords({ reason = '' }: Condition): string {
  if (reason === '') return 'failed';
  return Object.hasOwn(ENDS, reason) ? (ENDS[reason] ?? reason) : reason;
}

function trueOf(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

/** The most pods first, then byte by byte. */
function byCount([a, m]: [string, number], [b, n]: [string, number]): number {
  return n - m || Buffer.compare(Buffer.from(a), Buffer.from(b));
}
