import { setTimeout as delay } from 'node:timers/promises';

const EVERY_MS = 100;
const ATTEMPT_MS = 5000;

/** Asks again and again until `attempt` neither rejects nor hangs. Rejects only when `signal` is aborted. */
export async function until(attempt: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if (await succeeds(attempt)) return;
    await delay(EVERY_MS, undefined, { signal });
  }
}

async function succeeds(attempt: () => Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ATTEMPT_MS, false, { signal: timer.signal }).catch(() => false);
  const answer = attempt().then(
    () => true,
    () => false,
  );
  const answered = await Promise.race([answer, late]);
  timer.abort();
  return answered;
}
