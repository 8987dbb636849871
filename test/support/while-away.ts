import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';

/** Stops all services, runs `happen`, makes the API server forget these changes, and starts the services again. */
export async function whileAway(installation: Installation, happen: () => Promise<void>): Promise<void> {
  await installation.haltServices();
  await happen();
  // A new API server has an empty watch cache: it answers older versions with 410.
  await installation.kill('local-kube-apiserver');
  await installation.answers('local-kube-apiserver');
  await installation.startServices();
}

/** Commands of containers that run until the test releases them, by files in a folder. */
export interface HeldCommands {
  /** A command with which a pod runs until `release` is called with the name. */
  held(name: string): { command: string[] };
  release(name: string): void;
}

export function heldCommands(folder: string): HeldCommands {
  return {
    held: (name) => ({ command: ['sh', '-c', `until [ -e ${join(folder, name)} ]; do sleep 0.1; done`] }),
    release: (name) => writeFileSync(join(folder, name), ''),
  };
}
