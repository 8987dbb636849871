import type { Command } from '../commands.ts';
import type { JobState } from '../state.ts';
import { toFindings, unrecordedText, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** A command about a pod names a pod that the stream has recorded. */
export function jobUnrecordedUid(
  { pods, keptPods }: JobState,
  commands: readonly Command[],
): BrokenInvariant[] {
  const messages = commands.flatMap((command) => {
    if (!('pods' in command) || command.kind === 'CreatePods') return [];
    const unknown = command.pods.filter(({ uid }) => pods[uid] === undefined && keptPods[uid] === undefined);
    return unrecordedText(`${command.kind} names the pod`, unknown);
  });
  return toFindings('unrecorded-uid', messages);
}
