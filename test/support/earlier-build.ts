import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildSpec } from '../../infra/processes/keep-running.ts';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { serviceChildren } from '../../cli/verbs/up/service-children.ts';

/** A place in a file that was different in the other build. */
export interface Change {
  file: string;
  now: string;
  was: string;
}

const COPIED = [
  'cli',
  'cores',
  'services',
  'workflows',
  'infra',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];

/** A copy of the source tree with these changes and additional files: an earlier or later build. */
export function earlierBuild(
  changes: readonly Change[],
  files: Readonly<Record<string, string>> = {},
): string {
  const root = mkdtempSync(join(tmpdir(), 'jobledger-earlier-'));
  for (const name of COPIED) cpSync(join(PACKAGE_DIR, name), join(root, name), { recursive: true });
  symlinkSync(join(PACKAGE_DIR, 'node_modules'), join(root, 'node_modules'));
  for (const { file, now, was } of changes) {
    const text = readFileSync(join(root, file), 'utf8');
    if (!text.includes(now)) throw new Error(`${file} holds no "${now}" any more: change the test`);
    writeFileSync(join(root, file), text.replace(now, was));
  }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(root, file), text);
  execFileSync('node', [join(root, 'infra', 'compile.mjs')]);
  return root;
}

/** Runs services of a source tree as child processes beside ours, with the suffix after their names. */
export function servicesOf(
  root: string,
  environment: NodeJS.ProcessEnv,
  names: readonly string[],
  suffix = '-earlier',
): ChildSpec[] {
  return serviceChildren(environment)
    .filter(({ name }) => names.includes(name))
    .map((spec) => ({
      ...spec,
      name: `${spec.name}${suffix}`,
      command: () => ({ ...spec.command(), args: argsOf(root, spec.name) }),
    }));
}

/** Versions before infra/compile.mjs ran from TypeScript. */
function argsOf(root: string, service: string): string[] {
  const program = join('services', service, 'main');
  return existsSync(join(root, 'infra', 'compile.mjs'))
    ? [join(root, 'build', 'programs', `${program}.js`)]
    : ['--import', join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs'), join(root, `${program}.ts`)];
}
