import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from './identity.ts';
import { killGroup } from './child.ts';

const GRACE_MS = 3000;

/**
 * Ends the processes that a killed run left behind, as recorded in `runDir`: first with their stop signal, then with
 * SIGKILL after 3 s. Ends only processes with the recorded pid and start time. Returns their names.
 */
export async function endLeftovers(runDir: string): Promise<string[]> {
  if (!existsSync(runDir)) return [];
  const files = readdirSync(runDir).filter((file) => file.endsWith('.json'));
  const alive = files
    .map((file) => readLeftover(path.join(runDir, file)))
    .filter((left) => left !== undefined);
  for (const left of alive) process.kill(left.pid, left.stopSignal);
  await waitUntilGone(alive);
  for (const left of alive) if (isAlive(left)) killGroup(left.pid);
  await waitUntilGone(alive);
  for (const file of files) rmSync(path.join(runDir, file), { force: true });
  return alive.map((left) => left.name);
}

interface Leftover extends ProcessIdentity {
  readonly name: string;
  readonly stopSignal: NodeJS.Signals;
}

/** The process that a file written by `launch` identifies; undefined when the process is not alive. */
function readLeftover(file: string): Leftover | undefined {
  try {
    const left = JSON.parse(readFileSync(file, 'utf8')) as Omit<Leftover, 'name'>;
    return isAlive(left) ? { ...left, name: path.basename(file, '.json') } : undefined;
  } catch {
    return undefined;
  }
}

async function waitUntilGone(identities: readonly ProcessIdentity[]): Promise<void> {
  const deadline = Date.now() + GRACE_MS;
  while (identities.some(isAlive) && Date.now() < deadline) await delay(50);
}
