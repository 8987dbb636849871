import { appendFileSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { workflowBundle } from '../../services/adapters/temporal/bundle.ts';
import { earlierBuild, type Change } from '../support/earlier-build.ts';

const trees: string[] = [];

afterAll(() => {
  for (const tree of trees) rmSync(tree, { recursive: true, force: true });
});

async function bundleChanged(
  changes: readonly Change[],
  more: (tree: string) => void = () => undefined,
): Promise<string> {
  const tree = earlierBuild(changes);
  trees.push(tree);
  more(tree);
  return (await workflowBundle(tree)).build;
}

describe('the name of a build of the workflow code', () => {
  it('is the same for a copy of the source tree in another folder', async () => {
    expect(await bundleChanged([])).toBe((await workflowBundle(PACKAGE_DIR)).build);
  }, 30_000);

  it('is the same after a change of a comment, a development dependency or a lockfile line', async () => {
    const tree = await bundleChanged(
      [{ file: 'workflows/safe-to-repeat.ts', now: '/** The maximum number', was: '/** Most' }],
      (root) => {
        appendFileSync(join(root, 'package-lock.json'), '\n');
        appendFileSync(join(root, 'package.json'), '\n');
        appendFileSync(join(root, 'services/adapters/errors.ts'), '\n// Not for workflows.\n');
      },
    );
    expect(tree).toBe((await workflowBundle(PACKAGE_DIR)).build);
  }, 30_000);

  it('differs after any change of the workflow code itself', async () => {
    const { build } = await workflowBundle(PACKAGE_DIR);
    const others = await Promise.all([
      bundleChanged([{ file: 'workflows/safe-to-repeat.ts', now: 'MOST_PODS = 20', was: 'MOST_PODS = 21' }]),
      bundleChanged([
        {
          file: 'workflows/activity-options.ts',
          now: "initialInterval: '200ms'",
          was: "initialInterval: '201ms'",
        },
      ]),
    ]);
    expect(new Set([build, ...others]).size).toBe(3);
  }, 30_000);
});

describe('the bundle of the workflow code', () => {
  it('retains object spread syntax, because no code is rewritten for older versions of Node', async () => {
    const code = readFileSync((await workflowBundle(PACKAGE_DIR)).file, 'utf8');
    expect(code).toContain('async function jobWorkflow(');
    expect(code).not.toMatch(/_object_spread|_object_without_properties/);
  }, 30_000);
});
