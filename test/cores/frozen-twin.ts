import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The compiled twin of a present core: its frozen file, or until it is frozen what `npm run freeze-core` would write. */
export async function frozenTwin<C>(name: string): Promise<C> {
  const frozen = resolve('workflows/cores/released', name);
  if (existsSync(frozen)) return (await import(frozen)) as C;
  const folder = mkdtempSync(join(tmpdir(), 'jobledger-cores-'));
  try {
    execFileSync(process.execPath, ['infra/freeze-core.ts', '--into', folder]);
    return (await import(join(folder, name))) as C;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
