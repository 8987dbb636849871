import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { whileLocked } from '../../infra/tools/cache.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';

const run = promisify(execFile);

/**
 * The source tree of a released version, with the packages of its own lockfile, ready to run beside ours. It is kept in
 * the build folder. @throws when the clone lacks its commit.
 */
export async function releasedVersion(commit: string): Promise<string> {
  const root = join(PACKAGE_DIR, 'build', 'versions', commit);
  const isReady = (): boolean => existsSync(join(root, '.ready'));
  if (isReady()) return root;
  const around = { say: () => undefined, signal: new AbortController().signal };
  await whileLocked(root, around, () => (isReady() ? Promise.resolve() : makeTree(root, commit)));
  return root;
}

async function makeTree(root: string, commit: string): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', root, commit);
  // Its `prepare` script compiles it, for which the development dependencies are needed.
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, maxBuffer: 2 ** 26 });
  mkdirSync(join(root, '.ready'));
}

async function git(...args: string[]): Promise<void> {
  try {
    await run('git', args, { cwd: PACKAGE_DIR });
  } catch (cause) {
    throw new Error(`git ${args.join(' ')} failed; these tests need the whole history of the repository`, {
      cause,
    });
  }
}
