import { instantOf } from '../../job/definitions/instants.ts';
import { isSameJson } from '../../job/record/digest.ts';
import type { CronJobStatus, ObjectReference } from '../../kubernetes/objects.ts';
import type { CronCommand, CronJobEventText } from '../commands.ts';
import type { CronJobFacts } from '../facts.ts';
import type { CronJobState } from '../state.ts';

/** The status with everything that has happened, whether the server has it or not (J-9.20, J-9.30, J-9.38). */
export function presentStatus(state: CronJobState, cronJob: CronJobFacts): CronJobStatus {
  const { status } = cronJob;
  const active = activeOf(state, cronJob).filter(({ uid }) => state.children[uid]?.finished === undefined);
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

/** Listed Jobs and those that are to be listed, finished ones among them. */
function activeOf(
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

export function latest(...times: (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .reduce<string | undefined>(
      (a, b) => (a === undefined || (instantOf(b) ?? 0) > (instantOf(a) ?? 0) ? b : a),
      undefined,
    );
}

/** Writes the status if it differs from the server's; the Events of finished Jobs follow once it is written (J-9.30). */
export function writeStatus(state: CronJobState, cronJob: CronJobFacts, to: CronJobStatus): CronCommand[] {
  const { status: from, resourceVersion } = cronJob;
  const { active = [], ...others } = from;
  if (isSameJson(active.length === 0 ? others : from, to)) return [];
  const words = `active: ${to.active?.map(({ name }) => name).join(', ') ?? 'none'}`;
  const events = activeOf(state, cronJob).flatMap(({ uid, name }) => completionOf(state, uid, name));
  return [
    { kind: 'WriteStatus', resourceVersion, from, to, why: { rule: 'J-9.20', words } },
    ...(events.length === 0
      ? []
      : [
          {
            kind: 'EmitEvents' as const,
            events,
            why: { rule: 'J-9.30' as const, words: 'Jobs have finished' },
          },
        ]),
  ];
}

function completionOf({ children }: CronJobState, uid: string, name: string): CronJobEventText[] {
  const finished = children[uid]?.finished;
  if (finished === undefined) return [];
  const message = `Saw completed job: ${name}, condition: ${finished}`;
  return [{ type: 'Normal', reason: 'SawCompletedJob', message }];
}
