import type { JobDeleted, JobObserved } from '../../../workflows/job/events.ts';
import type { Condition } from '../../../workflows/kubernetes/objects.ts';
import type { ConditionRow, JobRow } from '../../read-model/tables/jobs.ts';
import { toTimestamp, versionNumber } from './instants.ts';
import { isNewerObject } from './job-object.ts';
import { jobNameIn } from './subjects.ts';

/** The changes of a Job's conditions that an observation or deletion shows. */
export function conditionChanges(
  before: JobRow | undefined,
  event: JobObserved | JobDeleted,
): ConditionRow[] {
  const { object } = event.data;
  if (object === undefined || !isNewerObject(before, object, event.data)) return [];
  const old = before?.conditions ?? [];
  const now = object.status?.conditions ?? [];
  const changed = now.filter(
    (condition) => !isSameCondition(condition, findConditionOfType(old, condition.type)),
  );
  const gone = old.filter((condition) => findConditionOfType(now, condition.type) === undefined);
  const shared = {
    cluster: event.data.cluster,
    job_uid: event.data.jobUid,
    namespace: jobNameIn(event).namespace,
    job_name: jobNameIn(event).name,
    seen_at: toTimestamp(event.time) ?? event.time,
    resource_version: versionNumber(object.metadata.resourceVersion, event.data),
    event_id: event.id,
  };
  return [
    ...changed.map((condition) => ({ ...shared, ...conditionContent(condition) })),
    ...gone.map(({ type }) => ({ ...shared, ...conditionContent({ type }) })),
  ];
}

/**
 * The condition of a type. The API server accepts a list with two conditions of one type; the first condition counts,
 * as upstream.
 */
function findConditionOfType(conditions: readonly Condition[], type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

function isSameCondition(a: Condition, b: Condition | undefined): boolean {
  return (
    a.status === b?.status &&
    a.reason === b.reason &&
    a.message === b.message &&
    a.lastTransitionTime === b.lastTransitionTime
  );
}

function conditionContent(condition: Pick<Condition, 'type'> & Partial<Condition>) {
  return {
    type: condition.type,
    status: condition.status ?? null,
    reason: condition.reason ?? null,
    message: condition.message ?? null,
    last_transition_time: toTimestamp(condition.lastTransitionTime),
  };
}
