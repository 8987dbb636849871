import { isSameJson } from '../job/definitions/digest.ts';
import type { Reason } from '../job/reason.ts';
import { eventAbout, withheldBecause, type BrokenInvariant } from './broken.ts';

interface Checked<C> {
  commands: C[];
  waiting: Reason | null;
  broken?: BrokenInvariant[];
}

interface DecisionWithheld {
  kind: 'EmitEvents';
  events: ReturnType<typeof eventAbout>[];
  why: Reason;
}

/**
 * The decision, without the commands that make something run if it breaks an invariant, until one breaks none. A Warning Event says so
 * once (J-18.1), before the other commands: after one that fails, the rest may be skipped.
 */
export function withhold<C, V extends Checked<C | DecisionWithheld>>(
  verdict: V,
  {
    broken,
    before,
    makesRunnable,
  }: {
    broken: BrokenInvariant[];
    /** Why nothing more was done at the last decision. */
    before: Reason | null;
    makesRunnable: (command: C | DecisionWithheld) => boolean;
  },
): V {
  if (broken.length === 0) return verdict;
  const waiting = withheldBecause(broken);
  const event: DecisionWithheld = { kind: 'EmitEvents', events: [eventAbout(waiting)], why: waiting };
  const commands = [
    ...(isSameJson(waiting, before) ? [] : [event]),
    ...verdict.commands.filter((command) => !makesRunnable(command)),
  ];
  return { ...verdict, commands, waiting, broken };
}
