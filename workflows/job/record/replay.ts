import type { JobEvent } from '../events.ts';
import { fold } from '../evolve/evolve.ts';
import { compact, type Compacted } from '../observe/compact.ts';
import { INITIAL_STATE, type JobState } from '../state.ts';
import { foldSteps, foldStream } from './folding.ts';
import type { Folding, StepOf } from './folding.ts';

/** A valid decision about a Job, with the states before and after it. */
export type DecisionStep = StepOf<JobEvent, JobState>;

type JobFolding = Folding<JobEvent, Compacted, JobState>;

const PRESENT: JobFolding = { INITIAL_STATE, compact, fold };

/** `foldSteps` of a Job's stream, by the present core unless another is given. */
export function decisionSteps(
  stream: readonly JobEvent[],
  core: JobFolding = PRESENT,
): Generator<DecisionStep, void> {
  return foldSteps(stream, core);
}

/** `foldStream` of a Job's stream: its state from the ledger alone. */
export function replay(stream: readonly JobEvent[], core: JobFolding = PRESENT): JobState {
  return foldStream(stream, core);
}
