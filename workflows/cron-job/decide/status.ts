import { isSameJson } from '../../job/definitions/digest.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import type { CronCommand, CronJobEventText } from '../commands.ts';
import { activeOf } from '../definitions/present-status.ts';
import type { CronJobFacts } from '../facts.ts';
import type { CronJobState } from '../state.ts';

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
