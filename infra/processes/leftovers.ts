import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive, type ProcessIdentity } from './identity.ts';
import { killGroup } from './child.ts';

const GRACE_MS = 3000;

/**
 * Ends what a killed run left behind in `runDir`: asked first, forced after a grace. Only processes that carry the
 * recorded pid and start time are touched. Returns their names.
 */
export async function reapLeftovers(runDir: string): Promise<string[]> {
  if (!existsSync(runDir)) return [];
  const found = readdirSync(runDir).filter((file) => file.endsWith('.json'));
  const alive = found
    .map((file) => ({ name: path.basename(file, '.json'), identity: identityIn(path.join(runDir, file)) }))
    .filter(
      (entry): entry is { name: string; identity: ProcessIdentity } =>
        entry.identity !== undefined && isAlive(entry.identity),
    );
  for (const { identity } of alive) process.kill(identity.pid, 'SIGTERM');
  await allGone(
    alive.map((entry) => entry.identity),
    GRACE_MS,
  );
  for (const { identity } of alive) if (isAlive(identity)) killGroup(identity.pid);
  await allGone(
    alive.map((entry) => entry.identity),
    GRACE_MS,
  );
  for (const file of found) rmSync(path.join(runDir, file), { force: true });
  return alive.map((entry) => entry.name);
}

function identityIn(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}

async function allGone(identities: readonly ProcessIdentity[], withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (identities.some(isAlive) && Date.now() < deadline) await delay(50);
}
