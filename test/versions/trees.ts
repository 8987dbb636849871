import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { copyOfTree, releaseFirst } from '../support/earlier-build.ts';

const run = promisify(execFile);

/**
 * The versions, in order. `present` is this source tree, which plays the first release. Each of the others is invented: it is the
 * version before it with the patches in its folder, one of the cores, one of an event and its feature level, one of a column.
 */
const VERSIONS = ['present', 'next', 'after'] as const;
export type Version = (typeof VERSIONS)[number];

/** What each version has that the one before it lacks. */
export const NEXT = { core: '2', level: 2, migration: '0002-next.sql' };
export const AFTER = { core: '3', level: 3, migration: '0003-after.sql' };

/** The compiled source trees of the versions. */
export interface VersionTrees {
  readonly root: Readonly<Record<Version, string>>;
  remove(): void;
}

export async function versionTrees(): Promise<VersionTrees> {
  const made = await Promise.all(VERSIONS.map(async (name) => [name, await versionTree(name)] as const));
  return {
    root: Object.fromEntries(made) as Record<Version, string>,
    remove() {
      for (const [, root] of made) rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The compiled source tree of one version. @throws when a patch no longer applies. */
export async function versionTree(version: Version): Promise<string> {
  const root = copyOfTree();
  try {
    for (const each of VERSIONS.slice(0, VERSIONS.indexOf(version) + 1)) await become(root, each);
    await run(process.execPath, [join(root, 'infra', 'compile.mjs')]);
  } catch (error) {
    rmSync(root, { recursive: true, force: true });
    throw error;
  }
  return root;
}

/** Makes the tree of the version before into that of this one: the cores are frozen before one of them changes. */
async function become(root: string, version: Version): Promise<void> {
  if (version === 'present') releaseFirst(root);
  else await run(process.execPath, [join(root, 'infra', 'freeze-core.ts')], { cwd: root });
  const folder = join(PACKAGE_DIR, 'test', 'versions', version);
  for (const name of readdirSync(folder).toSorted())
    await apply(root, join(folder, name)).catch((error: unknown) => {
      const { stderr } = error as { stderr: string };
      throw new Error(
        `test/versions/${version}/${name} does not apply to this source tree: change it so that it has the same effect\n${stderr}`,
        { cause: error },
      );
    });
}

/** `--recount`: a patch may be edited without counting its lines. */
async function apply(root: string, patch: string): Promise<void> {
  // The folder is in no repository, even when that of temporary files is.
  const env = { ...process.env, GIT_CEILING_DIRECTORIES: dirname(root) };
  await run('git', ['apply', '--recount', patch], { cwd: root, env });
}
