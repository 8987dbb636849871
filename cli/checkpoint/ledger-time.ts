import { z } from 'zod';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';

/** The clocks of the signer and of the services that append may differ by this much, in milliseconds. */
const TOLERATED_MS = 300_000;

const EVENT = z.object({ time: z.iso.datetime({ offset: true }) });

/** The RFC 3339 time at which the event of a record was appended; null for a record without an event. */
export function recordTime({ value }: Pick<LedgerRecord, 'value'>): string | null {
  try {
    return EVENT.parse(JSON.parse(value?.toString('utf8') ?? '')).time;
  } catch {
    return null;
  }
}

/** True when a checkpoint was signed before an event that it covers was appended. Both RFC 3339. */
export function isSignedBefore(madeAt: string, appended: string): boolean {
  return Date.parse(madeAt) + TOLERATED_MS < Date.parse(appended);
}
