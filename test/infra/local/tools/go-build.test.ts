import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { goTools } from '../../../../infra/local/tools/catalog.ts';
import { buildGoTool, packagesProgress } from '../../../../infra/local/tools/go-build.ts';
import { kubernetesVersion } from '../../../../infra/local/tools/kubernetes-versions.ts';
import { eventually } from '../../../support/eventually.ts';

const before = process.env['PATH'];
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'jobledger-build-'));
  jest.useFakeTimers({
    doNotFake: ['Date', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'setTimeout'],
  });
});
afterEach(() => {
  jest.useRealTimers();
  process.env['PATH'] = before;
  rmSync(folder, { recursive: true });
});

/** A program "go" that compiles two of three packages, and the third one when the file `rest` is there. */
function installGo(): void {
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  writeFileSync(path.join(folder, 'go.mod'), 'go 1.26\n');
  const script = `#!/bin/sh
case "$1" in
  mod) echo '{ "GoMod": "${folder}/go.mod", "Dir": "${folder}" }' ;;
  list) printf 'one\\ntwo\\nthree\\n' ;;
  build)
    printf 'one\\ntwo\\n' >&2
    until [ -e ${folder}/rest ]; do sleep 0.05; done
    echo three >&2 ;;
esac
`;
  writeFileSync(path.join(bin, 'go'), script);
  chmodSync(path.join(bin, 'go'), 0o755);
  process.env['PATH'] = `${bin}${path.delimiter}${before}`;
}

describe('the progress report about a server that Go compiles', () => {
  it('shows how many packages are compiled, and the estimated remaining time', async () => {
    installGo();
    const [tool] = goTools(kubernetesVersion('1.37'));
    const lines: string[] = [];
    const build = buildGoTool(tool, {
      target: path.join(folder, 'program'),
      workDir: folder,
      report: (line) => lines.push(line),
      signal: new AbortController().signal,
    });
    const task = `building kube-apiserver ${tool.version}`;
    await eventually('a line says that two are compiled', 20, () => {
      jest.advanceTimersByTime(10_000);
      return Promise.resolve(lines.some((line) => line.includes('2 of 3 packages')) ? true : undefined);
    });
    expect(lines).toContain(`${task} from 3 packages (only once; the result is cached)`);
    expect(lines).toContainEqual(expect.stringMatching(/ … \d+ s, 2 of 3 packages, about \d+ s left$/));
    writeFileSync(path.join(folder, 'rest'), '');
    await build;
  });

  it('shows no remaining time before the first package is compiled', () => {
    expect(packagesProgress(0, 1430, 10_000)).toBe('');
    expect(packagesProgress(715, 1430, 60_000)).toBe(', 715 of 1430 packages, about 60 s left');
    expect(packagesProgress(1430, 1430, 90_000)).toBe(', 1430 of 1430 packages, about 0 s left');
    // A warning of the compiler is a line too.
    expect(packagesProgress(1431, 1430, 90_000)).toBe('');
  });
});
