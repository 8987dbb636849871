import type { CronCommand } from '../cron-job/commands.ts';
import { presentStatus } from '../cron-job/definitions/present-status.ts';
import type { CronJobState } from '../cron-job/state.ts';
import { parseInstant } from '../job/definitions/instants.ts';
import { toFindings, type BrokenInvariant } from './broken.ts';

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
