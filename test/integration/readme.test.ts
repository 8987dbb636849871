import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { PACKAGE_DIR } from '../../services/adapters/process/package-dir.ts';
import { install, type Installation } from '../support/installation.ts';

// The commands of the README run unchanged in a folder that looks like a clone in which "jobledger up" runs.

const FOLDERS = ['cli', 'services', 'workflows', 'infra', 'examples', 'build', 'node_modules'];
const FILES = ['package.json'];

let installation: Installation;
const clone = mkdtempSync(path.join(tmpdir(), 'jobledger-readme-'));

beforeAll(async () => {
  installation = await install();
  await installation.startServices();
  for (const name of [...FOLDERS, ...FILES])
    symlinkSync(path.join(PACKAGE_DIR, name), path.join(clone, name));
  symlinkSync(installation.stateDir, path.join(clone, '.jobledger'));
}, 240_000);
afterAll(async () => {
  await installation?.stop();
  rmSync(clone, { recursive: true, force: true });
}, 60_000);

interface Command {
  line: string;
  /** The README shows these lines of the output. */
  output: string[];
}

/** Returns the commands in the console blocks below a heading of the README. */
function commandsBelow(heading: string): Command[] {
  const [, section = ''] =
    new RegExp(`^## ${heading}\\n(.*?)(?=^## )`, 'ms').exec(readFileSync('README.md', 'utf8')) ?? [];
  const blocks = Array.from(section.matchAll(/^```console\n(.*?)^```$/gms), ([, block = '']) => block);
  const commands: Command[] = [];
  for (const line of blocks
    .join('')
    .split('\n')
    .filter((each) => each !== ''))
    if (line.startsWith('$ ')) commands.push({ line: line.slice(2), output: [] });
    else commands.at(-1)?.output.push(line);
  return commands;
}

/** Removes parts that differ from run to run: numbers, times, and the ends of the names of pods. */
function comparable(line: string): string {
  return line
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b(flaky|pi)-[a-z0-9]{5}\b/g, '$1-POD')
    .replaceAll(/\d+(\.\d+)?/g, 'N')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** Returns the output of each command; one shell runs the commands one after the other. */
async function printedBy(commands: readonly Command[]): Promise<string[]> {
  const { kubectl = 'kubectl' } = installation.servers.addresses;
  const PATH = [path.dirname(kubectl), path.dirname(process.execPath), process.env['PATH']].join(':');
  const between = '--- the next command ---';
  const script = ['set -e', ...commands.flatMap(({ line }) => [line, `echo '${between}'`])].join('\n');
  const options = { cwd: clone, env: { ...installation.environment, PATH }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options);
  return stdout.split(`${between}\n`);
}

describe('the commands in the README', () => {
  it.each(['Try it', 'What it gives'])(
    'print the output that the README shows: the commands of "%s"',
    async (heading) => {
      const commands = commandsBelow(heading);
      expect(commands.length).toBeGreaterThan(3);
      const printed = await printedBy(commands);
      for (const [at, { line, output }] of commands.entries()) {
        const lines = (printed[at] ?? '').split('\n').map(comparable);
        expect({ line, lines }).toEqual({ line, lines: expect.arrayContaining(output.map(comparable)) });
      }
    },
    240_000,
  );
});

describe('the README of the repository', () => {
  it('has at most 7,000 bytes, so that it can be read in a minute', () => {
    expect(readFileSync('README.md').length).toBeLessThanOrEqual(7000);
  });
});
