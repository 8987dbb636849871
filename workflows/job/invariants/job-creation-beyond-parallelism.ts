import type { Command } from '../commands.ts';
import { isActive } from '../definitions/pod-phase.ts';
import type { JobState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** A Job never gets more pods than may run at once. */
export function jobCreationBeyondParallelism(
  { job, pods }: JobState,
  commands: readonly Command[],
): BrokenInvariant[] {
  const created = commands.flatMap((command) => (command.kind === 'CreatePods' ? command.pods : [])).length;
  if (created === 0) return [];
  const active = Object.values(pods).filter(isActive).length;
  const parallelism = job?.spec.parallelism ?? 1;
  if (active + created <= parallelism) return [];
  return toFindings('creation-beyond-parallelism', [
    `${created} pods would be created beside ${active} active ones, and the parallelism is ${parallelism}`,
  ]);
}
