import type { Command } from '../commands.ts';
import { orHeld } from './hold-back.ts';
import { chainComplaint, heedChain } from './policies/chain.ts';
import { trimFailedPods } from './policies/failed-pods-limit.ts';
import { startAndFinishEvents } from './policies/start-and-finish-events.ts';
import type { Situation } from './situation.ts';
import { together, type Verdict } from './verdict.ts';

/** Adds to a sync what annotations of the Job ask for (section 12 of the rules); nothing without them. */
export function heedAnnotations(at: Situation, verdict: Verdict): Verdict {
  const { job } = at;
  if (job.annotations === undefined) return verdict;
  const { commands } = verdict;
  // Warnings come first: what follows a command that fails is skipped, and they are sent once.
  const more = [...warnings(at), ...commands, ...startAndFinishEvents(job, commands)];
  return together(heedChain(at, { ...verdict, commands: more }), orHeld(at, trimFailedPods(at)));
}

/** Reports invalid annotations, each value once (J-12.8). */
function warnings({ state, job }: Situation): Command[] {
  const { warned } = state;
  const invalid = [...(job.annotations?.invalid ?? []), ...chainComplaint(state, job)];
  const unreported = invalid.filter((message) => !warned.includes(message));
  if (unreported.length === 0) return [];
  const events = unreported.map((message) => ({
    type: 'Warning' as const,
    reason: 'InvalidAnnotation',
    message,
  }));
  const why = { rule: 'J-12.8' as const, words: 'an invalid annotation is ignored' };
  return [{ kind: 'EmitEvents', events, invalid, why }];
}
