import { isDeepStrictEqual } from 'node:util';
import { pause } from '../../adapters/waiting/pause.ts';

const LOOK_MS = 500;

/** Calls `tell` whenever what is said of the clusters has changed, until `signal` is aborted. */
export async function onNewWords(
  words: () => object,
  { signal, tell }: { signal: AbortSignal; tell: () => Promise<void> },
): Promise<void> {
  let known = words();
  for (;;) {
    await pause(LOOK_MS, signal);
    if (signal.aborted) return;
    const now = words();
    if (isDeepStrictEqual(now, known)) continue;
    known = now;
    await tell();
  }
}
