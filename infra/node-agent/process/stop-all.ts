import { setTimeout as delay } from 'node:timers/promises';
import type { Containers } from './containers.ts';

const LOOK_EVERY_MS = 20;

/**
 * Ends all containers because the agent ends: SIGTERM, and SIGKILL to what still runs at the limit. Their exit
 * codes are written down and reported when the agent runs again, as after a reboot of a node.
 */
export async function stopAll(containers: Containers, limitMs: number): Promise<void> {
  containers.close();
  const until = Date.now() + limitMs;
  for (const files of containers.living()) containers.terminate(files);
  await whileLiving(containers, until);
  for (const files of containers.living()) containers.kill(files);
  await whileLiving(containers, until + limitMs / 4);
}

async function whileLiving(containers: Containers, until: number): Promise<void> {
  while (containers.living().length > 0 && Date.now() < until) await delay(LOOK_EVERY_MS);
}
