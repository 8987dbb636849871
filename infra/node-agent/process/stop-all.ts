import { setTimeout as delay } from 'node:timers/promises';
import type { AttemptFiles } from './attempt-directory.ts';
import { killGroup, sendTerm, type Containers } from './containers.ts';

const LOOK_EVERY_MS = 20;

/**
 * Ends all containers because the agent ends: SIGTERM, and SIGKILL to what still runs at the limit. Their exit
 * codes are written down and reported when the agent runs again, as after a reboot of a node.
 */
export async function stopAll(containers: Containers, limitMs: number): Promise<void> {
  const until = Date.now() + limitMs;
  containers.living().forEach(sendTerm);
  await whileLiving(containers, until);
  containers.living().forEach(killGroup);
  await whileLiving(containers, until + limitMs / 4);
}

async function whileLiving(containers: Containers, until: number): Promise<AttemptFiles[]> {
  while (containers.living().length > 0 && Date.now() < until) await delay(LOOK_EVERY_MS);
  return containers.living();
}
