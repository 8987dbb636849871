import type { Command } from './commands.ts';
import type { Reason } from './reason.ts';
import { isoTime } from './instants.ts';
import type { JobState } from './state.ts';

/** Until when commands of these kinds are held back, as the API refused the last one (J-3.2); null when they are not. */
export function heldUntil(state: JobState, now: number, kinds: readonly Command['kind'][]): number | null {
  const times = kinds.flatMap((kind) => state.retries[kind]?.until ?? []).filter((until) => until > now);
  return times.length === 0 ? null : Math.max(...times);
}

/** Why something is held back until then. */
export function heldReason(state: JobState, held: number): Reason {
  const refused = Object.entries(state.retries).find(([, { until }]) => until === held);
  if (refused === undefined) return { rule: 'J-3.2', words: `nothing before ${isoTime(held)}` };
  const [kind, { errors, until, message }] = refused;
  return {
    rule: 'J-3.2',
    words: `no ${kind} before ${isoTime(until)}: ${errors} ${errors === 1 ? 'error' : 'errors'} of the API, the last: ${message}`,
  };
}
