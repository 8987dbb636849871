import { NO_ERRORS } from '../../decision/retry.ts';
import { unlessDelayed, type CommandDelay, type Plan } from '../../decision/hold-back.ts';
import { isoTime } from '../../ledger/instants.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSituation } from './situation.ts';

export type CronPlan = Plan<CronCommand>;

/**
 * Returns the plan, or its replacement while API errors hold the plan back: no command, unless a replacement is given
 * (J-9.10).
 */
export function unlessHeldBack<W extends CronPlan>(
  at: CronSituation,
  plan: W,
  instead: W = { ...plan, commands: [] },
): Omit<W, 'heldWith'> {
  return unlessDelayed<CronCommand, W>(plan, instead, (kinds) => waitFor(at, kinds));
}

/** The first time at which a held-back kind of command may be sent again; null when no kind is held back. */
function waitFor({ state, now }: CronSituation, kinds: readonly CronCommand['kind'][]): CommandDelay | null {
  for (const kind of kinds) {
    const { errors, until, message } = state.retries[kind] ?? NO_ERRORS;
    if (until <= now) continue;
    const text = `no ${kind} before ${isoTime(until)}: errors of the API: ${errors}, the last: ${message}`;
    return { nextDecisionAt: until, waiting: { rule: 'J-9.10', message: text } };
  }
  return null;
}
