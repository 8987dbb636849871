import { orWait, type Wait, type Wish } from '../../job/decide/hold-back.ts';
import { isoTime } from '../../job/definitions/instants.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSituation } from './situation.ts';

export type CronWish = Wish<CronCommand>;

/** The wish, or what is done instead while API errors hold it back: nothing, unless something is given (J-9.10). */
export function orHeld<W extends CronWish>(
  at: CronSituation,
  wish: W,
  instead: W = { ...wish, commands: [] },
): Omit<W, 'heldWith'> {
  return orWait<CronCommand, W>(wish, instead, (kinds) => waitFor(at, kinds));
}

/** Until when the first of these kinds that is held back is; null when none is. */
function waitFor({ state, now }: CronSituation, kinds: readonly CronCommand['kind'][]): Wait | null {
  for (const kind of kinds) {
    const { errors, until, message } = state.retries[kind] ?? { errors: 0, until: now, message: '' };
    if (until <= now) continue;
    const words = `no ${kind} before ${isoTime(until)}: errors of the API: ${errors}, the last: ${message}`;
    return { lookAgainAt: until, waiting: { rule: 'J-9.10', words } };
  }
  return null;
}
