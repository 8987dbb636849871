import { eventAbout, withheldBecause } from '../../invariants/broken.ts';
import { checkJob } from '../../invariants/check-job.ts';
import { isSameJson } from '../definitions/digest.ts';
import type { Settings } from '../settings.ts';
import type { JobState } from '../state.ts';
import { decide as decideUnchecked } from './decide.ts';
import type { Verdict } from './verdict.ts';

/**
 * The decision, unless its commands break an invariant: then nothing is created, until a decision breaks none. A Warning Event says so
 * once (J-18.1).
 */
export function decide(state: JobState, now: number, settings: Settings): Verdict {
  return withInvariants(state, decideUnchecked(state, now, settings));
}

export function withInvariants(state: JobState, verdict: Verdict): Verdict {
  const broken = checkJob(state, verdict.commands);
  if (broken.length === 0) return verdict;
  const waiting = withheldBecause(broken);
  const commands = verdict.commands.filter(({ kind }) => kind !== 'CreatePods');
  if (!isSameJson(waiting, state.waiting))
    commands.push({ kind: 'EmitEvents', events: [eventAbout(waiting)], why: waiting });
  return { ...verdict, commands, waiting, broken };
}
