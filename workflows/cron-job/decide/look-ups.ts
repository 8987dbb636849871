import { nothing, sendOnly } from '../../decision/verdict.ts';
import { parseInstant } from '../../ledger/instants.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import { isOfEarlierEpoch } from '../definitions/earlier-epoch.ts';
import type { Child } from '../state.ts';
import type { CronPlan } from './hold-back.ts';
import type { CronSituation } from './situation.ts';

/** Reads the CronJob when its status lacks running Jobs; reads it once for each Job (J-9.30). */
export function lookUpUnlisted({ state: { children }, status: { active = [] } }: CronSituation): CronPlan {
  const listed = new Set(active.map(({ uid }) => uid));
  const jobs = Object.entries(children)
    .filter(
      ([uid, child]) =>
        !listed.has(uid) && isRunning(child) && child.unexpected !== true && !isOfEarlierEpoch(child),
    )
    .map(([uid, { name }]) => ({ uid, name }));
  if (jobs.length === 0) return nothing;
  const why = {
    rule: 'J-9.30',
    message: `running Jobs that the status does not list: ${jobs.length}`,
  } as const;
  return sendOnly({ kind: 'LookUpCronJob', jobs, why });
}

/** True for a child that has neither finished nor been deleted. */
function isRunning({ finished, deleted }: Child): boolean {
  return finished === undefined && deleted !== true;
}

/**
 * Reads Jobs that the status lists and that are no children, and reads them again when the next start is due
 * (J-9.31). The command also reads Jobs that were not seen since the API server was restored, because the copy may
 * lack a Job that no watch has ever shown.
 */
export function lookUpMissing(
  { state: { children, found }, status: { active = [] } }: CronSituation,
  due: number | null,
): CronPlan {
  const missing = active
    .filter(({ uid }) => children[uid] === undefined || children[uid].deleted === true)
    .filter(({ uid }) => (found[uid] ?? -Infinity) < (due ?? 0))
    .map(({ uid, name }) => ({ uid, name }));
  const unseen = Object.entries(children)
    .filter(([, child]) => isRunning(child) && isOfEarlierEpoch(child))
    .map(([uid, { name }]) => ({ uid, name }));
  const jobs = [...missing, ...unseen];
  if (jobs.length === 0) return nothing;
  const why = { rule: 'J-9.31', message: `Jobs that were not observed: ${jobs.length}` } as const;
  return sendOnly({ kind: 'LookUpJobs', jobs, why });
}

/** The last start in a status, or the creation of the CronJob when the status has none, in milliseconds (J-9.40). */
export function lastStart({ lastScheduleTime }: CronJobStatus, createdAt: number): number {
  return parseInstant(lastScheduleTime) ?? createdAt;
}
