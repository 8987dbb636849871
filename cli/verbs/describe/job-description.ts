import { retriedJob } from '../../../workflows/history/timeline/job-narrator.ts';
import type { JobSubmitted } from '../../../workflows/job/events.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import { SUSPENDED_BY } from '../../../services/read-model/situation/job-situation.ts';
import type {
  ChainView,
  ConditionView,
  JobView,
  PodView,
  ObstacleView,
  WhoView,
} from '../../../services/read-model/views/jobs.ts';
import type { HomeView, PlacementView } from '../../../services/read-model/views/placements.ts';
import { failedAttempts, podHours } from '../../../services/read-model/shown/pod-outcome.ts';
import { UNLIMITED } from '../../../services/read-model/shown/run-facts.ts';
import { countText } from '../../print/counted.ts';
import { isSpread, memberTable } from '../../print/member-table.ts';
import { statusCell, waitText } from '../../print/situation.ts';
import { span, spanBetween } from '../../print/spans.ts';
import { fields, indented, table } from '../../print/table.ts';
import { obstacleTable } from './obstacle-table.ts';
import { heldTable, logLines, podsByMember } from './members.ts';
import { hasEnded, podTable, podsTitle } from './pod-table.ts';
import type { PodThere } from '../../sources/pods-of-job.ts';

interface Described {
  job: JobView;
  submission: JobSubmitted['data'] | null;
  conditions: readonly ConditionView[];
  who: readonly WhoView[];
  obstacles: readonly ObstacleView[];
  chain: readonly ChainView[];
  placements: readonly PlacementView[];
  home: HomeView | null;
  pods: readonly PodThere[];
}

export function jobDescription(all: Described): string {
  const groups = podsByMember(all.placements, all.pods);
  return [
    fields([
      ...identityPairs(all.job),
      ...placementPairs(all, groups),
      ...originPairs(all.submission),
      ...specPairs(all.job),
      ...timePairs(all.job),
      ...progressPairs(all),
      ...podTime(all.pods),
      ...keptPodPairs(all.pods),
    ]),
    section('Who', whoTable(all)),
    section('Conditions', conditionTable(all.conditions)),
    ...(all.obstacles.length === 0 ? [] : [section('Events', obstacleTable(all.obstacles))]),
    ...(all.chain.length === 0 ? [] : [section('Waiting for', chainTable(all.chain))]),
    ...(isSpread(all.placements)
      ? [section('Members', memberTable(all.placements)), section('Indexes', heldTable(all.placements))]
      : []),
    ...(all.placements.length === 0 ? [] : [section('Placements', placementTable(all.placements))]),
    ...groups.map(({ member, pods }) => section(podsTitle(member), podTable(pods, all.job, member))),
  ].join('\n');
}

type Pairs = (readonly [string, string | null])[];

function identityPairs(job: JobView): Pairs {
  const labels = Object.entries(job.labels).map(([name, value]) => `${name}=${value}`);
  return [
    ['Name', job.name],
    ['Namespace', job.namespace],
    ['Cluster', job.cluster],
    ['UID', job.uid],
    ['Labels', labels.length === 0 ? null : labels.join(', ')],
    ['Owner', job.owner_name === null ? null : `${job.owner_kind} ${job.owner_name}`],
    ['Scheduled for', job.scheduled_at],
    ['Controller', job.claimed ? 'Jobledger' : (job.managed_by ?? "the cluster's own Job controller")],
  ];
}

/**
 * The cluster in which a placed Job runs, or the placed Job that a member runs, and the way to read the log of a pod.
 */
function placementPairs({ job, home }: Described, groups: ReturnType<typeof podsByMember>): Pairs {
  const [first, ...others] = groups;
  const member = first?.member ?? null;
  const isThere = others.length === 0 && member !== null && member.placed_in === job.placed_in;
  return [
    ['Runs in', isThere ? `${member.placed_in}, as ${member.member_name}` : job.placed_in],
    ['Runs the placed Job', home === null ? null : fullName(home)],
    ...(member === null && home === null ? [] : logLines(job, groups)),
  ];
}

function placementTable(placements: readonly PlacementView[]): string {
  return table(
    ['CLUSTER', 'MEMBER', 'FROM', 'UNTIL', 'HOW IT ENDED', 'INDEXES', 'SUCCEEDED', 'FAILED', 'WHY THERE'],
    placements.map((each) => [
      each.placed_in,
      each.member_name,
      each.given_at,
      each.ended_at ?? (each.stopping === null ? 'now' : `now, stops: ${each.stopping}`),
      [
        each.end_reason,
        each.refused ?? each.end_message,
        each.overlapped ? 'overlaps with a later one' : null,
      ]
        .filter((part) => part !== null)
        .join(': '),
      each.indexes ?? '',
      String(each.succeeded),
      String(each.failed),
      each.message,
    ]),
  );
}

function originPairs(submission: JobSubmitted['data'] | null): Pairs {
  return [
    ['Submitted by', submission?.by ?? null],
    ['Retry of', submission === null ? null : retriedJob(submission)],
  ];
}

function specPairs(job: JobView): Pairs {
  return [
    ['Completions', numberText(job.completions)],
    ['Parallelism', numberText(job.parallelism)],
    ['Completion mode', job.completion_mode],
    ['Backoff limit', job.backoff_limit === UNLIMITED ? null : numberText(job.backoff_limit)],
    ['Backoff limit per index', numberText(job.backoff_limit_per_index)],
    ['Active deadline', job.active_deadline_seconds === null ? null : `${job.active_deadline_seconds} s`],
    ['Suspend', job.suspend ? 'yes' : null],
  ];
}

function timePairs(job: JobView): Pairs {
  const took = spanBetween(job.started_at, job.finished_at);
  const unseen = job.deletion_seen === false ? ', not observed' : '';
  return [
    ['Created', job.created_at],
    ['Started', job.started_at],
    [
      'Finished',
      job.finished_at === null ? null : `${job.finished_at}${took === null ? '' : `, after ${took}`}`,
    ],
    ['Deletion requested', job.deletion_requested_at],
    ['Deleted', job.deleted_at === null ? null : `${job.deleted_at}${unseen}`],
  ];
}

function progressPairs({ job, pods, conditions }: Described): Pairs {
  const failures = job.failed_command_count === 0 ? '' : `, ${job.failed_command_count} of them failed`;
  return [
    ['Status', statusCell(job)],
    ['Reason', job.reason],
    ['Waiting for', waitText(job)],
    ['Status in kubectl', job.kubectl_status],
    [
      'Pods',
      `${job.active} active (${job.ready} ready), ${job.terminating} terminating, ${job.succeeded} succeeded, ${job.failed} failed`,
    ],
    ['Completed indexes', job.completed_indexes],
    ['Failed indexes', job.failed_indexes === '' ? null : job.failed_indexes],
    ['Decided to wait', job.waiting_message === null ? null : `${job.waiting_message} [${job.waiting_rule}]`],
    ['Waiting since', job.waiting_since ?? suspendedSince(job, conditions) ?? waitOfPodsSince(job, pods)],
    ['Next decision at', job.deleted_at === null ? job.next_decision_at : null],
    [
      'Decisions',
      job.decision_count === 0
        ? null
        : `${job.decision_count}, with ${countText(job.command_count, 'command')}${failures}`,
    ],
  ];
}

/** The time at which the suspension of a Job was observed; null when the Job is not suspended. */
function suspendedSince(
  { finished_at: finishedAt, deleted_at: deletedAt }: JobView,
  conditions: readonly ConditionView[],
): string | null {
  if (finishedAt !== null || deletedAt !== null) return null;
  const last = conditions.findLast(({ type }) => type === 'Suspended');
  return last?.status === 'True' ? last.seen_at : null;
}

/** The creation of the oldest pod of the Job that has not started yet; null when the Job does not wait for such a pod. */
function waitOfPodsSince({ waiting_for: wait }: JobView, pods: readonly PodView[]): string | null {
  if (wait === null) return null;
  const pending = pods.filter((pod) => pod.phase === 'Pending' && !hasEnded(pod));
  return pending.map(({ created_at: at }) => at ?? '').toSorted()[0] ?? null;
}

/** The summed time that the pods ran, and the part that failed attempts took. */
function podTime(pods: readonly PodView[]): Pairs {
  if (pods.length === 0) return [];
  const failed = failedAttempts(pods);
  const spent = (some: readonly PodView[]): string => span(0, podHours(some, Date.now()) * 3_600_000);
  const lost =
    failed.length === 0 ? '' : `, ${spent(failed)} of it in ${countText(failed.length, 'failed attempt')}`;
  return [['Pod time', `${spent(pods)}${lost}`]];
}

/** The failed pods that still exist, with their logs. */
function keptPodPairs(pods: readonly PodView[]): Pairs {
  const failed = pods.filter(({ phase, deleted_at }) => phase === 'Failed' && deleted_at === null);
  return [['Failed pods kept', failed.length === 0 ? null : failed.map(({ name }) => name).join(', ')]];
}

/**
 * The user according to the audit log of the cluster, and according to requests through Jobledger. An action without
 * a request is not recorded.
 */
function whoTable({ job, who }: Described): string {
  const rows = who.map(({ action, by, impersonated_by: impersonatedBy, user_agent: program, at }) => [
    action,
    impersonatedBy === null ? by : `${by}, impersonated by ${impersonatedBy}`,
    at,
    program ?? '',
  ]);
  const isGoing = job.deletion_requested_at !== null || job.deleted_at !== null;
  // Jobledger created a Job that was submitted to it, as the row of the submission says.
  const isSubmitted = rows.some(([done]) => done === 'submitted');
  const missing = [
    ...(isSubmitted ? [] : ['created']),
    // A suspension through Jobledger has its row, "requested suspend".
    ...(job.suspend && job.waiting_for?.startsWith(SUSPENDED_BY) !== true ? ['suspended'] : []),
    ...(isGoing ? ['deleted'] : []),
  ]
    .filter((action) => !rows.some(([done]) => done === action))
    .map((action) => [action, 'not recorded', '', '']);
  return table(['ACTION', 'BY', 'AT', 'WITH'], [...rows, ...missing]);
}

function conditionTable(conditions: readonly ConditionView[]): string | null {
  if (conditions.length === 0) return null;
  return table(
    ['SEEN AT', 'TYPE', 'STATUS', 'REASON', 'MESSAGE'],
    conditions.map((each) => [
      each.seen_at,
      each.type,
      each.status ?? 'removed',
      each.reason ?? '',
      each.message ?? '',
    ]),
  );
}

function chainTable(chain: readonly ChainView[]): string {
  const [first] = chain;
  const ends = { resumed: `resumed at ${first?.resumed_at}`, deleted: 'the Job was deleted' };
  const end = Object.entries(ends).find(([state]) => state === first?.status)?.[1];
  const cycle = first?.cycle ?? null;
  return [
    table(
      ['JOB', 'TO HAVE', 'IS', 'SINCE'],
      chain.map((each) => [each.awaited_name, each.condition, each.condition_status, each.since ?? '']),
    ),
    ...(cycle === null ? [] : [`the Job waits for itself: ${cycle}`]),
    ...(end === undefined ? [] : [end]),
  ].join('\n');
}

function section(title: string, content: string | null): string {
  return `${title}:${content === null ? ' none' : `\n${indented(content)}`}`;
}

function numberText(number: number | null): string | null {
  return number === null ? null : String(number);
}
