import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';

it('the native test runner reports each failure of test files that run in one process', () => {
  const jest = createRequire(import.meta.url).resolve('jest/bin/jest');
  const outputFile = join(tmpdir(), `jobledger-native-${process.pid}.json`);
  const config = join(import.meta.dirname, 'fixtures', 'jest.config.mjs');
  const args = [jest, '--config', config, '--runInBand', '--json', `--outputFile=${outputFile}`];
  const { status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as {
    testResults: { name: string; assertionResults: { status: string; failureMessages: string[] }[] }[];
  };
  const messages = testResults
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ assertionResults }) =>
      assertionResults.map((each) => each.failureMessages[0]?.split('\n')[0] ?? each.status),
    );
  expect({ status, messages }).toEqual({
    status: 1,
    messages: [
      ['passed', 'passed', 'Error: a failure', 'Error: an unhandled rejection'],
      ['passed', 'passed', expect.stringContaining('Exceeded timeout of 100 ms')],
    ],
  });
}, 60_000);
