import { parseInstant } from '../../ledger/instants.ts';
import type { CronJobStatus, ObjectReference } from '../../kubernetes/objects.ts';
import type { CronJobFacts } from '../facts.ts';
import type { CronJobState } from '../state.ts';

/** The status with every recorded change, whether the server has it or not (J-9.20, J-9.30, J-9.38). */
export function presentStatus(state: CronJobState, cronJob: CronJobFacts): CronJobStatus {
  const { status } = cronJob;
  const active = activeChildren(state, cronJob).filter(
    ({ uid }) => state.children[uid]?.finished === undefined,
  );
  const lastScheduleTime = latest(
    status.lastScheduleTime,
    state.lastStart ?? undefined,
    ...state.started.map((each) => each.scheduledAt),
  );
  const lastSuccessfulTime = latest(status.lastSuccessfulTime, state.lastSuccess ?? undefined);
  return {
    ...(active.length > 0 && { active }),
    ...(lastScheduleTime !== undefined && { lastScheduleTime }),
    ...(lastSuccessfulTime !== undefined && { lastSuccessfulTime }),
  };
}

/** The Jobs that the status lists and the Jobs that it must list, including finished Jobs. */
export function activeChildren(
  { started, removed }: CronJobState,
  { status, namespace }: CronJobFacts,
): ObjectReference[] {
  const listed = status.active ?? [];
  const known = new Set(listed.map(({ uid }) => uid));
  const added = started
    .filter(({ uid }) => !known.has(uid))
    .map(({ uid, name, resourceVersion }) => ({
      kind: 'Job',
      apiVersion: 'batch/v1',
      namespace,
      name,
      uid,
      resourceVersion,
    }));
  return [...listed, ...added].filter(({ uid }) => !removed.includes(uid));
}

/** The latest of some times in the format of the API; undefined when all are undefined. */
export function latest(...times: (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .reduce<string | undefined>(
      (a, b) => (a === undefined || (parseInstant(b) ?? 0) > (parseInstant(a) ?? 0) ? b : a),
      undefined,
    );
}
