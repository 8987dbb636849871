import { setTimeout as delay } from 'node:timers/promises';

/** Turns of one attacker: resolves at most `perSecond` times a second, however many wait. */
export function paced(perSecond: number): () => Promise<void> {
  let next = Date.now();
  return async () => {
    next = Math.max(Date.now(), next + 1000 / perSecond);
    await delay(next - Date.now());
  };
}
