import { checkJob } from '../invariants.ts';
import { withhold } from '../../decision/invariants/withhold.ts';
import type { Command } from '../commands.ts';
import type { Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { Verdict } from './verdict.ts';

/** Decides about a Job; when a command breaks an invariant, the decision creates no pod (J-18.1). */
export function decide(state: JobState, now: number, settings: Settings): Verdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

/** Withholds the creations of a verdict whose commands break an invariant. */
export function withInvariants(state: JobState, verdict: Verdict): Verdict {
  return withhold<Command, Verdict>(verdict, {
    broken: checkJob(state, verdict.commands),
    approval: state.approval,
    before: state.waiting,
    makesRunnable: ({ kind }) => kind === 'CreatePods',
  });
}
