import type { Command } from '../job/commands.ts';
import type { JobState } from '../job/state.ts';
import type { BrokenInvariant } from './broken.ts';
import { fallingCounter } from './falling-counter.ts';
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
