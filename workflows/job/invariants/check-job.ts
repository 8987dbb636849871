import type { Command } from '../commands.ts';
import type { JobState } from '../state.ts';
import type { BrokenInvariant } from '../../decision/invariants/broken.ts';
import { fallingCounter } from '../../batch/falling-counter.ts';
import { jobCreationBeyondParallelism } from './job-creation-beyond-parallelism.ts';
import { jobUnrecordedUid } from './job-unrecorded-uid.ts';

/** The invariants that commands of a Job break. */
export function checkJob(state: JobState, commands: readonly Command[]): BrokenInvariant[] {
  return [
    ...jobCreationBeyondParallelism(state, commands),
    ...jobUnrecordedUid(state, commands),
    ...commands.flatMap((command) =>
      command.kind === 'WriteStatus' && state.job !== null ? fallingCounter(state.job.spec, command) : [],
    ),
  ];
}
