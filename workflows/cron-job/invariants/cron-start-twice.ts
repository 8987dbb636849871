import type { CronCommand } from '../commands.ts';
import { presentStatus } from '../definitions/present-status.ts';
import type { CronJobState } from '../state.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** Each start is later than the last known start (J-9.40). */
export function cronStartTwice(state: CronJobState, commands: readonly CronCommand[]): BrokenInvariant[] {
  const { cronJob } = state;
  let last = cronJob === null ? undefined : presentStatus(state, cronJob).lastScheduleTime;
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'CreateJob') return [];
    const { scheduledAt } = command;
    const before = last;
    last = scheduledAt;
    if ((parseInstant(scheduledAt) ?? 0) > (parseInstant(before) ?? -Infinity)) return [];
    return [`the start of ${scheduledAt} would be carried out, and that of ${before} was`];
  });
  return toFindings('start-twice', messages);
}
