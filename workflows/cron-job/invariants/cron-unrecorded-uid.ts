import type { CronCommand } from '../commands.ts';
import type { CronJobState } from '../state.ts';
import { toFindings, unrecordedText, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** A command about a Job names a Job that the stream has recorded, or that the status lists. */
export function cronUnrecordedUid(
  { children, started, cronJob }: CronJobState,
  commands: readonly CronCommand[],
): BrokenInvariant[] {
  const listed = new Set([...started, ...(cronJob?.status.active ?? [])].map(({ uid }) => uid));
  const messages = commands.flatMap((command) => {
    if (!('jobs' in command)) return [];
    const unknown = command.jobs.filter(({ uid }) => children[uid] === undefined && !listed.has(uid));
    return unrecordedText(`${command.kind} names the Job`, unknown);
  });
  return toFindings('unrecorded-uid', messages);
}
