import type { CronCommand } from '../commands.ts';
import { presentStatus } from '../definitions/present-status.ts';
import type { CronJobState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/**
 * No Job starts beside a running Job, unless `concurrencyPolicy` allows it, or the same decision has replaced the
 * running Job (J-9.36, J-9.37).
 */
export function cronStartBesideAnother(
  state: CronJobState,
  commands: readonly CronCommand[],
): BrokenInvariant[] {
  const { cronJob } = state;
  const { concurrencyPolicy = 'Allow' } = cronJob?.spec ?? {};
  if (cronJob === null || concurrencyPolicy === 'Allow') return [];
  const replaced = new Set<string>();
  const messages = commands.flatMap((command) => {
    if (command.kind === 'ReplaceJobs') for (const { uid } of command.jobs) replaced.add(uid);
    if (command.kind !== 'CreateJob') return [];
    const { active = [] } = presentStatus(state, cronJob);
    const beside = active.filter(({ uid }) => concurrencyPolicy === 'Forbid' || !replaced.has(uid));
    if (beside.length === 0) return [];
    const names = beside.map(({ name }) => name).join(', ');
    return [`the start of ${command.scheduledAt} would run beside ${names} (${concurrencyPolicy})`];
  });
  return toFindings('start-beside-another', messages);
}
