import { isoTime } from '../../job/definitions/instants.ts';
import type { CronCommand } from '../commands.ts';
import type { CronJobState } from '../state.ts';
import type { CronVerdict } from './verdict.ts';

export type Held = Pick<CronVerdict, 'lookAgainAt' | 'waiting'>;

/** Until when a command of this kind is held back after API errors (J-9.10); null when it is not. */
export function heldBack(state: CronJobState, now: number, kind: CronCommand['kind']): Held | null {
  const retry = state.retries[kind];
  if (retry === undefined || retry.until <= now) return null;
  const { errors, until, message } = retry;
  const words = `no ${kind} before ${isoTime(until)}: errors of the API: ${errors}, the last: ${message}`;
  return { lookAgainAt: until, waiting: { rule: 'J-9.10', words } };
}
