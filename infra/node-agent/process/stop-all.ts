import { setTimeout as delay } from 'node:timers/promises';
import type { Containers } from './containers.ts';

const LOOK_EVERY_MS = 20;

/**
 * Stops all containers when the agent stops: SIGTERM first, then SIGKILL to those still running after `limitMs`. Their
 * exit codes are stored, and reported when the agent runs again, as after a node's reboot.
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
