import type { Command } from './commands.ts';
import type { Reason } from './reason.ts';
import { isoTime } from './instants.ts';
import type { JobState } from './state.ts';

/** Until when commands of these kinds are held back, as the API refused the last one (J-3.2); null when they are not. */
export function heldUntil(state: JobState, now: number, kinds: readonly Command['kind'][]): number | null {
  const { kind, until } = state.retry;
  return kind !== null && kinds.includes(kind) && until > now ? until : null;
}

export function heldReason(state: JobState): Reason {
  const { errors, until, kind, message } = state.retry;
  return {
    rule: 'J-3.2',
    words: `no ${kind} before ${isoTime(until)}: ${errors} ${errors === 1 ? 'error' : 'errors'} of the API, the last: ${message}`,
  };
}
