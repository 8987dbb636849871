import type { CronCommand } from '../../cron-job/commands.ts';
import type { CronJobDecided } from '../../cron-job/events.ts';
import type { OutcomesOf, Starts } from './recorded-starts.ts';

/**
 * The death of the controller of a recorded decision before the outcome of a command was recorded: `before` or
 * `after` the command had an effect; null when the controller did not die.
 */
export function lostOutcome(
  command: CronCommand,
  { id, data }: CronJobDecided,
  { outcomes, starts }: { outcomes: OutcomesOf; starts: Starts },
): 'before' | 'after' | null {
  for (const [at, recorded] of data.commands.entries()) {
    if (outcomes(id, at) !== null) continue;
    if (recorded.kind === 'CreateJob' && command.kind === 'CreateJob') {
      if (recorded.scheduledAt !== command.scheduledAt) continue;
      return starts.created.get(Date.parse(command.scheduledAt))?.decision === id ? 'after' : 'before';
    }
    if (recorded.kind === 'ReplaceJobs' && command.kind === 'ReplaceJobs') {
      const both = recorded.jobs.filter(({ uid }) => command.jobs.some((each) => each.uid === uid));
      if (both.length === 0) continue;
      return both.some(({ name }) => starts.replaced.get(name)?.at === data.now) ? 'after' : 'before';
    }
  }
  return null;
}
