import { NO_ERRORS } from '../../decision/retry.ts';
import { earliest, nothing } from '../../decision/verdict.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { PlacementCommand } from '../commands.ts';
import { lastingError } from '../definitions/cluster-errors.ts';
import { silenceReason } from '../definitions/silence.ts';
import { retryKey } from '../definitions/retry-key.ts';
import type { PlacementSituation, PlacementVerdict } from './situation.ts';

/** Combines several verdicts in order: all commands, the earliest instant, and the first reason to wait. */
export function combineVerdicts(...verdicts: readonly PlacementVerdict[]): PlacementVerdict {
  const candidates = verdicts.find((each) => each.candidates !== undefined)?.candidates;
  return {
    commands: verdicts.flatMap(({ commands }) => commands),
    nextDecisionAt: earliest(...verdicts.map(({ nextDecisionAt }) => nextDecisionAt)),
    waiting: verdicts.find(({ waiting }) => waiting !== null)?.waiting ?? null,
    ...(candidates !== undefined && { candidates }),
  };
}

/** The commands that no earlier errors hold back, and the instant until which the other commands are held back (J-16.20). */
export function planCommands(
  at: PlacementSituation,
  ...commands: readonly PlacementCommand[]
): PlacementVerdict {
  const held = commands
    .map((command) => ({
      command,
      ...(at.state.retries[retryKey(command)] ?? NO_ERRORS),
    }))
    .filter(({ until }) => until > at.now);
  const [first] = held.toSorted((a, b) => b.until - a.until);
  const isHeld = new Set(held.map(({ command }) => command));
  const message =
    first === undefined
      ? ''
      : `no ${retryKey(first.command)} before ${isoTime(first.until)}: ${first.message}`;
  const verdict: PlacementVerdict = {
    commands: commands.filter((command) => !isHeld.has(command)),
    nextDecisionAt: earliest(...held.map(({ until }) => until)),
    waiting: first === undefined ? null : { rule: 'J-16.20', message },
  };
  return combineVerdicts(verdict, ...held.map(({ command }) => reportErrors(at, command)));
}

/**
 * Reports a cluster in the home that answers, and refuses this command again and again; a cluster that does not
 * answer counts as silent.
 */
function reportErrors(at: PlacementSituation, command: PlacementCommand): PlacementVerdict {
  if (!('cluster' in command) || silenceReason(at.settings, command.cluster) !== null) return nothing;
  if (lastingError(at.state, retryKey(command)) === null) return nothing;
  const { cluster, kind, name } = command;
  const message = `the cluster ${cluster} answers ${kind} of the member ${name} with errors, or not at all`;
  return report(at, 'Warning', 'ClusterErrors', message);
}

/** Emits an Event on the placed Job, once for each message. */
export function report(
  { state }: PlacementSituation,
  type: 'Normal' | 'Warning',
  reason: string,
  message: string,
): PlacementVerdict {
  if (state.reported.includes(message)) return nothing;
  const events = [{ type, reason, message }];
  return {
    ...nothing,
    commands: [
      {
        kind: 'EmitEvents',
        events,
        why: { rule: 'J-16.22', message: `reported: ${reason}` },
      },
    ],
  };
}
