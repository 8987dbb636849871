import type { JobEvent } from '../events.ts';
import { fold } from '../evolve/evolve.ts';
import { compact, type Compacted } from '../observe/compact.ts';
import { compactedOf, type Recalled } from './recalled.ts';
import { INITIAL_STATE, type JobState } from '../state.ts';
import { foldingStream, foldSteps, foldStepsFrom, foldStream } from './folding.ts';
import type { Folding, StartOf, StepOf } from './folding.ts';

/** A decision about a Job that stands, with the states before and after it. */
export type DecisionStep<E = JobEvent> = StepOf<E, JobState>;

/** A state of a Job, and the events that are not folded into it. */
export type FoldStart = StartOf<Recalled, JobState>;

type JobFolding = Folding<JobEvent, Compacted, JobState>;

const PRESENT: JobFolding = { INITIAL_STATE, compact, fold };
const OF_RECALLED: Folding<Recalled, Compacted, JobState> = { INITIAL_STATE, compact: compactedOf, fold };

/** `foldSteps` of a Job's stream, by the present core unless another is given. */
export function stepsOf(
  stream: readonly JobEvent[],
  core: JobFolding = PRESENT,
): Generator<DecisionStep, void> {
  return foldSteps(stream, core);
}

export function stepsFrom(start: FoldStart): Generator<DecisionStep<Recalled>, void> {
  return foldStepsFrom(start, OF_RECALLED);
}

/** `foldStream` of a Job's stream: its state from the ledger alone. */
export function replay(stream: readonly JobEvent[], core: JobFolding = PRESENT): JobState {
  return foldStream(stream, core);
}

export function replaying(start: FoldStart): Generator<undefined, JobState> {
  return foldingStream(start, OF_RECALLED);
}
