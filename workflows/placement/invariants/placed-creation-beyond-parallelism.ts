import { countIndexes } from '../../batch/completion-indexes.ts';
import { grantedIndexes } from '../../batch/index-grant.ts';
import type { PlacementCommand } from '../commands.ts';
import { openParts, podBound, unfinishedItself } from '../definitions/parts.ts';
import type { PlacementState } from '../state.ts';
import { toFindings, type BrokenInvariant } from '../../decision/invariants/broken.ts';

/** A new member together with the existing members runs no more pods at once than the Job allows (J-17.5). */
export function placedCreationBeyondParallelism(
  state: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  const { job } = state;
  const known = new Set(state.grants.map(({ number }) => number));
  const gifts = commands.flatMap((command) => {
    if (command.kind !== 'CreateMember' && command.kind !== 'RenewGuard') return [];
    if (known.has(command.grant)) return [];
    if (command.kind === 'CreateMember')
      return [{ cluster: command.cluster, pods: command.spec.parallelism ?? 1, indexes: command.indexes }];
    return command.part === undefined
      ? []
      : [{ cluster: command.cluster, pods: command.part.parallelism, indexes: command.part.indexes }];
  });
  if (job === null || gifts.length === 0) return [];
  const { parallelism = 1, completions = 0 } = job.spec;
  const before = openParts(state).reduce(
    (sum, grant) => sum + podBound(grant, unfinishedItself(grant, completions)),
    0,
  );
  const more = gifts.reduce(
    (sum, { pods, indexes }) =>
      sum + (indexes === undefined ? pods : Math.min(pods, countIndexes(grantedIndexes({ indexes })))),
    0,
  );
  if (before + more <= parallelism) return [];
  return toFindings('creation-beyond-parallelism', [
    `new members in ${gifts.map(({ cluster }) => cluster).join(', ')} could run ${more} pods beside ${before} others, and the parallelism is ${parallelism}`,
  ]);
}
