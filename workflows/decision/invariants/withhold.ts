import { isSameJson } from '../../ledger/digest.ts';
import type { Reason } from '../reason.ts';
import { approvedReason, coversAll, type Approval } from './approval.ts';
import { eventAbout, withheldBecause, type BrokenInvariant } from './broken.ts';

interface Checked<C> {
  commands: C[];
  waiting: Reason | null;
  broken?: BrokenInvariant[];
}

/**
 * The command for the Event about a withheld decision. Every kind has the command EmitEvents, which creates Kubernetes
 * Events.
 */
interface DecisionWithheld {
  kind: 'EmitEvents';
  events: ReturnType<typeof eventAbout>[];
  why: Reason;
}

/**
 * Returns the decision; if the decision breaks an invariant, leaves out the commands that make work run, until a
 * decision breaks no invariant or a person has approved the broken invariants (J-18.2). A Warning Event reports this
 * once (J-18.1); its command precedes the other commands, because commands after a failed command may be skipped.
 */
export function withhold<C extends { why: Reason }, V extends Checked<C | DecisionWithheld>>(
  verdict: V,
  {
    broken,
    approval,
    before,
    makesRunnable,
  }: {
    broken: BrokenInvariant[];
    approval: Approval | null;
    /** The reason why the last decision made no further changes. */
    before: Reason | null;
    /** True for a command that makes work run. */
    makesRunnable: (command: C | DecisionWithheld) => boolean;
  },
): V {
  if (broken.length === 0) return verdict;
  if (coversAll(approval, broken)) {
    const commands = verdict.commands.map((command) =>
      makesRunnable(command) ? { ...command, why: approvedReason(command.why, approval, broken) } : command,
    );
    return { ...verdict, commands, broken };
  }
  const waiting = withheldBecause(broken);
  const event: DecisionWithheld = { kind: 'EmitEvents', events: [eventAbout(waiting)], why: waiting };
  const commands = [
    ...(isSameJson(waiting, before) ? [] : [event]),
    ...verdict.commands.filter((command) => !makesRunnable(command)),
  ];
  return { ...verdict, commands, waiting, broken };
}
