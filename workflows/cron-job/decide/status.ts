import { nothing, sendOnly } from '../../decision/verdict.ts';
import { isSameJson } from '../../ledger/digest.ts';
import { versionEpoch } from '../../decision/version-epoch.ts';
import type { CronCommand, CronJobEventText } from '../commands.ts';
import { activeChildren } from '../definitions/present-status.ts';
import type { CronPlan } from './hold-back.ts';
import type { CronSituation } from './situation.ts';
import type { CronJobState } from '../state.ts';

/**
 * Writes the status if it differs from the status on the server; the Events of finished Jobs follow after the write
 * (J-9.30).
 */
export function writeStatus({ state, cronJob, status: to }: CronSituation): CronPlan {
  const { status: from, resourceVersion } = cronJob;
  const { active = [], ...others } = from;
  if (isSameJson(active.length === 0 ? others : from, to)) return nothing;
  const message = `active: ${to.active?.map(({ name }) => name).join(', ') ?? 'none'}`;
  const write: CronCommand = {
    kind: 'WriteStatus',
    resourceVersion,
    ...versionEpoch({ epoch: state.epoch, version: state.versions.cronJob }),
    from,
    to,
    why: { rule: 'J-9.20', message },
  };
  const events = activeChildren(state, cronJob).flatMap(({ uid, name }) =>
    completionEvents(state, uid, name),
  );
  if (events.length === 0) return sendOnly(write);
  return sendOnly<CronCommand>(write, {
    kind: 'EmitEvents',
    events,
    why: { rule: 'J-9.30', message: 'Jobs have finished' },
  });
}

/** The Event about a child that has finished; none while the child runs. */
function completionEvents({ children }: CronJobState, uid: string, name: string): CronJobEventText[] {
  const finished = children[uid]?.finished;
  if (finished === undefined) return [];
  const message = `Saw completed job: ${name}, condition: ${finished}`;
  return [{ type: 'Normal', reason: 'SawCompletedJob', message }];
}
