import { existsSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isOwnerRunning } from '../../infra/local/state/state-owner.ts';
import { endLeftovers } from '../../infra/local/processes/leftovers.ts';

/** Ends servers left behind by killed tests, and deletes their data. What a live process holds is left alone. */
export async function reapTestServers(report: (line: string) => void): Promise<void> {
  const folders = readdirSync(tmpdir()).filter((name) => name.startsWith('jobledger-test-'));
  for (const folder of folders.map((name) => join(tmpdir(), name))) {
    // No lock: another client has just made it. A lock whose holder is dead: a killed test.
    if (!existsSync(join(folder, 'servers.lock')) || isOwnerRunning(folder, 'servers')) continue;
    const services = await endLeftovers(join(folder, 'run', 'services'));
    const servers = await endLeftovers(join(folder, 'run', 'servers'));
    rmSync(folder, { recursive: true, force: true });
    if (services.length + servers.length > 0)
      report(`ended what a test left running: ${[...services, ...servers].join(', ')}`);
  }
}
