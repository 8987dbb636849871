import type { CronCommand } from '../commands.ts';
import { unknownStart } from '../definitions/unknown-start.ts';
import type { CronJobState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** No Job starts while it is not known whether an earlier start was carried out (J-9.38). */
export function cronStartAfterAnUnknownOne(
  state: CronJobState,
  commands: readonly CronCommand[],
): BrokenInvariant[] {
  const unknown = unknownStart(state);
  if (unknown === null) return [];
  const messages = commands.flatMap((command) =>
    command.kind === 'CreateJob'
      ? [
          `the start of ${command.scheduledAt} would be carried out, and whether that of ${unknown.scheduledAt} was is not known`,
        ]
      : [],
  );
  return toFindings('start-after-an-unknown-one', messages);
}
