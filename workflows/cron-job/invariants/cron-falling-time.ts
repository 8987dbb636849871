import type { CronCommand } from '../commands.ts';
import { parseInstant } from '../../ledger/instants.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** The times of the last start and of the last success never go back. */
export function cronFallingTime(commands: readonly CronCommand[]): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (command.kind !== 'WriteStatus') return [];
    return (['lastScheduleTime', 'lastSuccessfulTime'] as const).flatMap((field) => {
      const [from, to] = [command.from[field], command.to[field]];
      const goesBack = (parseInstant(to) ?? -Infinity) < (parseInstant(from) ?? -Infinity);
      return goesBack ? [`${field} would go back from ${from} to ${to ?? 'none'}`] : [];
    });
  });
  return toFindings('falling-time', messages);
}
