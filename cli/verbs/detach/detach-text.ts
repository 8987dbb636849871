import { PLACEMENT_FINALIZER } from '../../../workflows/kubernetes/names.ts';
import { countText } from '../../print/counted.ts';
import { indented, table } from '../../print/table.ts';
import type { Freed } from './free-pods.ts';
import type { Left } from './left.ts';
import type { FreedJobs } from './free-placed-jobs.ts';
import { fullName } from './full-names.ts';
import { sumPlan, type PlannedJob, type PlannedPod, type DetachPlan } from './plan.ts';

/** The cluster and claim, for the first line. */
export interface Described {
  cluster: string;
  claim: string;
  namespaces: readonly string[];
}

/** The result of a dry run. `hindered` has the reasons why a detachment would be refused now. */
export function planText(
  plan: DetachPlan,
  { of, left, hindered }: { of: Described; left: readonly Left[]; hindered: readonly string[] },
): string {
  return joinSections([
    `${planTitle(of)}; nothing is changed or recorded (--dry-run)`,
    ...(hindered.length === 0 ? [] : [listText('the detachment would be refused now:', hindered)]),
    ...freedLines(plan),
    leftText(left),
  ]);
}

/** The result of a detachment. */
export function detachedText(
  plan: DetachPlan,
  {
    of,
    by,
    freed,
    placed,
    left,
  }: { of: Described; by: string; freed: Freed; placed: FreedJobs; left: readonly Left[] },
): string {
  const { uncountedPodCount, runningPodCount } = sumPlan(plan);
  const done = [
    `${countText(freed.freed, 'pod')} freed`,
    ...(freed.gone === 0 ? [] : [`${freed.gone} gone since the plan was made`]),
    `${countText(uncountedPodCount, 'ended pod')} not counted`,
    `${countText(runningPodCount, 'running pod')} that no controller will count`,
    ...(placed.freed === 0 ? [] : [`${countText(placed.freed, 'placed Job')} freed`]),
    ...(placed.gone === 0 ? [] : [`${countText(placed.gone, 'placed Job')} gone since the plan was made`]),
  ];
  return joinSections([
    `${planTitle(of)}, by ${by}: ${done.join(', ')}`,
    ...(freed.failed.length === 0
      ? []
      : [
          listText(
            `${countText(freed.failed.length, 'pod')} not freed; run "jobledger admin detach" again:`,
            freed.failed.map(({ pod, reason }) => `${pod}: ${reason}`),
          ),
        ]),
    ...(placed.failed.length === 0
      ? []
      : [
          listText(
            `${countText(placed.failed.length, 'placed Job')} not freed; run "jobledger admin detach" again:`,
            placed.failed.map(({ job, reason }) => `${job}: ${reason}`),
          ),
        ]),
    leftText(left),
  ]);
}

/** The first line, with the cluster, its namespaces and the claim. */
function planTitle({ cluster, claim, namespaces }: Described): string {
  const where = namespaces.length === 0 ? '' : ` in ${namespaces.join(', ')}`;
  return `detaching the cluster "${cluster}"${where}, claim ${claim}`;
}

/** The tables of the Jobs that a detachment affects, with the objects whose finalizer it removes. */
function freedLines(plan: DetachPlan): string[] {
  return [...freedPodLines(plan), ...freedPlacedJobLines(plan)];
}

/** The table of placed Jobs, with the Jobs whose finalizer the detachment removes. */
function freedPlacedJobLines({ placed }: DetachPlan): string[] {
  if (placed.length === 0) return [];
  const held = placed.filter((job) => job.held);
  return [
    table(
      ['PLACED JOB', 'AFTERWARDS', 'MEMBERS'],
      placed.map(({ open, members, ...job }) => [
        fullName(job),
        open ? 'open (no controller)' : 'finished',
        members.join(', '),
      ]),
    ),
    ...(held.length === 0
      ? []
      : [listText(`the finalizer ${PLACEMENT_FINALIZER} would be removed from`, held.map(fullName))]),
  ];
}

/** The table of Jobs, with the pods whose finalizer the detachment removes. */
function freedPodLines({ jobs, orphans }: DetachPlan): string[] {
  if (jobs.length === 0 && orphans.length === 0)
    return ['no pod has a finalizer to remove, and no Job is open'];
  const freed = [
    ...jobs
      .filter(({ pods }) => pods.length > 0)
      .map((job) => `${fullName(job)}: ${podsText(job.pods, job)}`),
    ...(orphans.length === 0 ? [] : [`without a Job: ${orphans.map(orphanText).join(', ')}`]),
  ];
  return [
    ...(jobs.length === 0 ? [] : [jobTable(jobs)]),
    freed.length === 0
      ? 'no pod has a finalizer to remove'
      : listText('the tracking finalizer would be removed from', freed),
  ];
}

/** A table of Jobs with the numbers of their pods, and their state after the detachment. */
function jobTable(jobs: readonly PlannedJob[]): string {
  return table(
    ['JOB', 'PODS', 'RUNNING', 'UNCOUNTED', 'AFTERWARDS'],
    jobs.map((job) => [
      fullName(job),
      String(job.pods.length),
      String(job.runningPodCount),
      String(job.uncountedPodCount),
      [...(job.deleting ? ['being deleted'] : []), job.open ? 'open (no controller)' : 'finished'].join(', '),
    ]),
  );
}

/** The pods of a Job, each with its phase. */
function podsText(pods: readonly PlannedPod[], { open }: PlannedJob): string {
  return pods
    .map(({ name, phase, ended }) => `${name} (${phase}${ended && open ? ', uncounted' : ''})`)
    .join(', ');
}

/** A pod without a Job, with its phase. */
function orphanText(pod: PlannedPod): string {
  return `${fullName(pod)} (${pod.phase})`;
}

/** The list of the objects that a detachment leaves. */
function leftText(left: readonly Left[]): string {
  return listText(
    'what is left:',
    left.map(({ what, todo }) => `${what}: ${todo}`),
  );
}

/** A title with indented lines below it. */
function listText(title: string, lines: readonly string[]): string {
  return `${title}\n${indented(lines.join('\n'))}`;
}

/** Joins sections with an empty line between them. */
function joinSections(parts: readonly string[]): string {
  return parts.join('\n\n');
}
