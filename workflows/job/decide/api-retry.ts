import type { Command } from '../commands.ts';
import { isoTime } from '../definitions/instants.ts';
import type { JobState, Retry } from '../state.ts';
import type { Verdict } from './verdict.ts';

/** Until when commands are held back, and why. */
export type CommandDelay = Pick<Verdict, 'waiting'> & { lookAgainAt: number };

/** Until when commands of these kinds are held back after API errors (J-3.2); null when they are not. */
export function apiErrorDelay(
  state: JobState,
  now: number,
  kinds: readonly Command['kind'][],
): CommandDelay | null {
  const [last] = kinds
    .flatMap((kind) => withKind(kind, state.retries[kind]))
    .filter(({ until }) => until > now)
    .toSorted((a, b) => b.until - a.until);
  if (last === undefined) return null;
  const { kind, errors, until, message } = last;
  const count = errors === 1 ? '1 error' : `${errors} errors`;
  const words = `no ${kind} before ${isoTime(until)}: ${count} of the API, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: 'J-3.2', words } };
}

function withKind(kind: Command['kind'], retry: Retry | undefined): (Retry & { kind: string })[] {
  return retry === undefined ? [] : [{ kind, ...retry }];
}
