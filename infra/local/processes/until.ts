import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;
const ATTEMPT_MS = 5000;

/** Retries `attempt` every 100 ms until it resolves within 5 s. Rejects only when `signal` is aborted. */
export async function retryUntilResolved(
  attempt: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await resolvesInTime(attempt)) return;
    await delay(EVERY_MS, undefined, { signal });
  }
}

async function resolvesInTime(attempt: () => Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ATTEMPT_MS, false, { signal: timer.signal }).catch(() => false);
  const result = attempt().then(
    () => true,
    () => false,
  );
  const succeeded = await Promise.race([result, late]);
  timer.abort();
  return succeeded;
}
