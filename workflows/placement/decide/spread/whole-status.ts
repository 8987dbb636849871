import {
  conditionAt,
  INTERIM_CONDITION,
  isFinished,
  suspendedCondition,
  trueCondition,
  withCondition,
} from '../../../batch/conditions.ts';
import { formatIndexes } from '../../../batch/completion-indexes.ts';
import { apiTime } from '../../../ledger/instants.ts';
import type { Condition, JobStatus } from '../../../kubernetes/objects.ts';
import { unknownCreation } from '../../definitions/cluster-errors.ts';
import { hasFinished } from '../../definitions/grants.ts';
import { openParts, podBound, unfinishedItself } from '../../definitions/parts.ts';
import { silenceReason } from '../../definitions/silence.ts';
import { shownCount } from '../../definitions/successes.ts';
import type { PlacementSituation, PlacementVerdict } from '../situation.ts';
import { notBeforeStart, placedCondition, replaceStatus, type PlacedAs } from '../status.ts';
import type { WholeEnd } from './ending.ts';
import type { Totals } from './totals.ts';

interface Whole {
  totals: Totals;
  end: WholeEnd | null;
  /** The other verdict of this decision, which the condition describes. */
  rest: PlacementVerdict;
}

/** Writes the sums of the members, and the end of the Job once no member can have a pod (J-17.6). */
export function writeWholeStatus(at: PlacementSituation, whole: Whole): PlacementVerdict {
  const { job, state } = at;
  const isBegun = openParts(state).length > 0 || state.grants.length > 0;
  if (!isBegun && whole.rest.waiting === null && job.spec.suspend !== true)
    return replaceStatus(at, whole.rest, null);
  return replaceStatus(at, whole.rest, nextStatus(at, whole), whole.end?.why);
}

/** The next status of a spread Job. */
function nextStatus(at: PlacementSituation, whole: Whole): JobStatus {
  const { job, state, now } = at;
  const { totals, end } = whole;
  const time = apiTime(now);
  const isOver = end !== null && mayEnd(at);
  let conditions = withSuspension(job.status.conditions ?? [], {
    isSuspended: job.spec.suspend === true,
    time,
  });
  if (end !== null) {
    const { type, reason, message } = end;
    const types = isOver ? [INTERIM_CONDITION[type], type] : [INTERIM_CONDITION[type]];
    for (const each of types)
      if (trueCondition({ conditions }, each) === undefined)
        conditions = withCondition(
          conditions,
          conditionAt(time, { type: each, status: 'True', reason, message }),
        );
  }
  const where = placedCondition(at, whereabouts(at, whole));
  if (where !== null) conditions = withCondition(conditions, where);
  const isSuspended = trueCondition({ conditions }, 'Suspended') !== undefined;
  // A start time that the status shows must not change (J-1.40).
  const began = job.status.startTime ?? state.startedAt ?? firstStart(at);
  const startTime = isOver ? (began ?? time) : isSuspended ? undefined : began;
  const { finished, failed } = totals;
  const succeeded = shownCount(job, totals.succeeded);
  const completed = formatIndexes(finished.completed);
  const [active, ready, terminating] = isOver ? [0, 0, 0] : [totals.active, totals.ready, totals.terminating];
  return {
    conditions,
    ...(startTime !== undefined && { startTime }),
    ...(isOver &&
      end.type === 'Complete' && {
        completionTime: notBeforeStart(startTime, time),
      }),
    ...(active > 0 && { active }),
    ready: Math.min(ready, active),
    terminating,
    ...(succeeded > 0 && { succeeded }),
    ...(failed > 0 && { failed }),
    ...(completed !== '' && { completedIndexes: completed }),
    ...(finished.failed !== null && {
      failedIndexes: formatIndexes(finished.failed),
    }),
    uncountedTerminatedPods: {},
  };
}

/**
 * True when no member has a pod, and no member can start a pod. A member that does not answer may have as many pods
 * as its indexes allow.
 */
function mayEnd({ state, job }: PlacementSituation): boolean {
  const { completions = 0 } = job.spec;
  return openParts(state).every(
    (grant) =>
      hasFinished(grant) ||
      (podBound(grant, unfinishedItself(grant, completions)) === 0 &&
        (grant.member?.status.terminating ?? 0) === 0),
  );
}

/** The conditions with the condition `Suspended` of the Job. */
function withSuspension(
  conditions: readonly Condition[],
  { isSuspended, time }: { isSuspended: boolean; time: string },
): Condition[] {
  const before = conditions.find(({ type }) => type === 'Suspended');
  const isNews = isSuspended ? before?.status !== 'True' : before?.status === 'True';
  if (!isNews || isFinished({ conditions: [...conditions] })) return [...conditions];
  return withCondition(conditions, conditionAt(time, suspendedCondition(isSuspended)));
}

/** The earliest start of a member. */
function firstStart({ state }: PlacementSituation): string | undefined {
  return openParts(state)
    .flatMap(({ member }) => member?.status.startTime ?? [])
    .toSorted()[0];
}

/** The clusters in which a spread Job runs, or the reason why the Job runs in no cluster. */
function whereabouts({ state, settings, job }: PlacementSituation, { rest }: Whole): PlacedAs | null {
  const open = openParts(state);
  if (open.length === 0)
    return rest.waiting === null
      ? null
      : { status: 'False', reason: 'NotPlaced', message: rest.waiting.message };
  const silent = open.flatMap(({ cluster }) => silenceReason(settings, cluster) ?? []);
  if (silent.length > 0)
    return {
      status: 'Unknown',
      reason: 'ClusterSilent',
      message: `${silent.join('; ')}; what runs there is not known`,
    };
  const unknown = open.flatMap((grant) => unknownCreation(state, grant) ?? []);
  if (unknown.length > 0)
    return { status: 'Unknown', reason: 'CreationUnknown', message: unknown.join('; ') };
  const members = open.map(({ cluster, name }) => `${cluster} as ${job.namespace}/${name}`);
  return {
    status: 'True',
    reason: 'Placed',
    message: `runs in the clusters ${members.join(', ')}`,
  };
}
