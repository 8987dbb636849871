import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { tryLock } from '../../infra/processes/lock.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { eventually } from './eventually.ts';

const run = promisify(execFile);

/**
 * The source tree of a released version, with the packages of its own lockfile, ready to run beside ours. It is kept in
 * the build folder. @throws when the clone lacks its commit.
 */
export async function releasedVersion(commit: string): Promise<string> {
  const root = join(PACKAGE_DIR, 'build', 'versions', commit);
  const unlock = await locked(`${root}.lock`);
  try {
    if (!existsSync(join(root, '.ready'))) await checkOut(commit, root);
  } finally {
    unlock();
  }
  return root;
}

async function checkOut(commit: string, root: string): Promise<void> {
  rmSync(root, { recursive: true, force: true });
  await git('worktree', 'prune');
  await git('worktree', 'add', '--detach', root, commit);
  // Its `prepare` script compiles it, for which the development dependencies are needed.
  await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, maxBuffer: 2 ** 26 });
  mkdirSync(join(root, '.ready'));
}

/** Test files run side by side, and two may want the same version. Resolves to the function that unlocks. */
function locked(file: string): Promise<() => void> {
  return eventually(`nobody else holds ${file}`, 300, () => {
    const attempt = tryLock(file, 'a test wants the version');
    return Promise.resolve('release' in attempt ? attempt.release : undefined);
  });
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
