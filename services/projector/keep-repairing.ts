import { messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { pause } from '../adapters/waiting/pause.ts';

/** The interval of checks: an older projector may run beside this one until the upgrade is complete. */
const INTERVAL_MS = 10_000;

/** Repairs what a projector of an earlier version has left out, now and every ten seconds. `failed` is logged after an error. */
export async function keepRepairing(
  repair: () => Promise<void>,
  { failed, log, signal }: { failed: string; log: Log; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    try {
      await repair();
    } catch (error) {
      if (!signal.aborted) log.warn({ error: messageOf(error) }, failed);
    }
    await pause(INTERVAL_MS, signal);
  }
}
