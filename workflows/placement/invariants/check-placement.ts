import type { PlacementCommand } from '../commands.ts';
import type { PlacementState } from '../state.ts';
import type { BrokenInvariant } from '../../decision/invariants/broken.ts';
import { endedWithoutProof } from './ended-without-proof.ts';
import { fallingCounter } from '../../batch/falling-counter.ts';
import { indexInTwoGrants } from './index-in-two-grants.ts';
import { placedCreationBeyondParallelism } from './placed-creation-beyond-parallelism.ts';
import { placedUnrecordedUid } from './placed-unrecorded-uid.ts';
import { refusedAfterAnUnansweredRequest } from './refused-after-an-unanswered-request.ts';

/** The invariants that commands of a placed Job break. */
export function checkPlacement(
  state: PlacementState,
  commands: readonly PlacementCommand[],
): BrokenInvariant[] {
  return [
    ...indexInTwoGrants(state, commands),
    ...placedCreationBeyondParallelism(state, commands),
    ...refusedAfterAnUnansweredRequest(state, commands),
    ...endedWithoutProof(state, commands),
    ...placedUnrecordedUid(state, commands),
    ...commands.flatMap((command) =>
      command.kind === 'WriteStatus' && state.job !== null ? fallingCounter(state.job.spec, command) : [],
    ),
  ];
}
