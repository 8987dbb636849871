import type { JobEvent } from '../events.ts';
import { fold } from '../evolve/evolve.ts';
import { compact, type Compacted } from '../observe/compact.ts';
import { INITIAL_STATE, type JobState } from '../state.ts';
import { foldSteps, foldStream } from '../../decision/folding.ts';
import type { Folding, StepOf } from '../../decision/folding.ts';

/** An effective decision about a Job, with the states before and after it. */
export type DecisionStep = StepOf<JobEvent, JobState>;

type JobFolding = Folding<JobEvent, Compacted, JobState>;

const PRESENT: JobFolding = { INITIAL_STATE, compact, fold };

/** Calls `foldSteps` for the stream of a Job, with the present core unless another core is given. */
export function decisionSteps(
  stream: readonly JobEvent[],
  core: JobFolding = PRESENT,
): Generator<DecisionStep, void> {
  return foldSteps(stream, core);
}

/** Calls `foldStream` for the stream of a Job: computes its state from the ledger alone. */
export function replay(stream: readonly JobEvent[], core: JobFolding = PRESENT): JobState {
  return foldStream(stream, core);
}
