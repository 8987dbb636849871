import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildSpec } from '../../infra/local/processes/keep-running.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { stampOfSources } from '../../services/installation/stamp.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';

/** A place in a file that was different in the other build. */
export interface Change {
  file: string;
  now: string;
  was: string;
}

const COPIED = [
  'cli',
  'services',
  'workflows',
  'infra',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** A copy of the source tree in a new folder, with the same packages. */
export function copyOfTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'jobledger-earlier-'));
  for (const name of COPIED.filter((each) => existsSync(join(PACKAGE_DIR, each))))
    cpSync(join(PACKAGE_DIR, name), join(root, name), { recursive: true });
  symlinkSync(join(PACKAGE_DIR, 'node_modules'), join(root, 'node_modules'));
  return root;
}

/** Makes this source tree the first release for the copy, which then accepts the stamp of this tree, whatever its own formats are. */
export function releaseFirst(root: string): void {
  const file = join(root, 'services', 'installation', 'stamp.ts');
  const text = readFileSync(file, 'utf8');
  if (text.includes("FIRST_RELEASE: string | null = '")) return;
  const released = text.replace(
    'FIRST_RELEASE: string | null = null;',
    `FIRST_RELEASE: string | null = '${stampOfSources(PACKAGE_DIR)}';`,
  );
  if (released === text) throw new Error(`${file} has no stamp to set: change test/support/earlier-build.ts`);
  writeFileSync(file, released);
}

/** A copy of the source tree with these changes, compiled. It reads what this tree has written. */
export function earlierBuild(changes: readonly Change[]): string {
  const root = copyOfTree();
  releaseFirst(root);
  for (const { file, now, was } of changes) {
    const text = readFileSync(join(root, file), 'utf8');
    if (!text.includes(now)) throw new Error(`${file} holds no "${now}" any more: change the test`);
    writeFileSync(join(root, file), text.replace(now, was));
  }
  execFileSync('node', [join(root, 'infra', 'compile.mjs')]);
  return root;
}

/** Runs services of a source tree as child processes beside ours, with the suffix after their names. */
export function serviceSpecs(
  root: string,
  environment: NodeJS.ProcessEnv,
  names: readonly string[],
  suffix: string,
): ChildSpec[] {
  return serviceChildren(environment)
    .filter(({ name }) => names.includes(name))
    .map((spec) => ({
      ...spec,
      name: `${spec.name}${suffix}`,
      command: () => ({ ...spec.command(), args: [programPath(root, `services/${spec.name}/main`)] }),
    }));
}

/** A compiled program of a source tree. */
export function programPath(root: string, name: string): string {
  return join(root, 'build', 'programs', `${name}.js`);
}
