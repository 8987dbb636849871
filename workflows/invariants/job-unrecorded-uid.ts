import type { Command } from '../job/commands.ts';
import type { JobState } from '../job/state.ts';
import { findings, type BrokenInvariant } from './broken.ts';

/** A command about a pod is about one that the stream has recorded. */
export function jobUnrecordedUid(
  { pods, keptPods }: JobState,
  commands: readonly Command[],
): BrokenInvariant[] {
  const words = commands.flatMap((command) => {
    if (!('pods' in command) || command.kind === 'CreatePods') return [];
    const unknown = command.pods.find(({ uid }) => pods[uid] === undefined && keptPods[uid] === undefined);
    return unknown === undefined
      ? []
      : [`${command.kind} names the pod ${unknown.name}, which is not recorded`];
  });
  return findings('unrecorded-uid', words);
}
