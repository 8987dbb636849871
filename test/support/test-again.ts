import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { filesAtOnce } from './files-at-once.ts';
import { reapTestServers } from './reap-test-servers.ts';
import { runJest } from './run-jest.ts';

// `npm run test:again -- 5 test/integration`: runs the matching files on servers five times, as many at a time as `npm test`, beside
// a busy loop for each core, and prints how often each test failed. `--loops 0`: on an idle machine.
const { values, positionals } = parseArgs({
  options: { loops: { type: 'string', default: String(availableParallelism()) } },
  allowPositionals: true,
});
const [count = '', ...patterns] = positionals;
const [times, loops] = [Number(count), Number(values.loops)];
if (!Number.isInteger(times) || times < 1 || !Number.isInteger(loops) || loops < 0) {
  process.stderr.write('usage: npm run test:again -- TIMES [--loops N] [PATTERN...]\n');
  process.exit(2);
}
const report = (line: string): void => void process.stdout.write(`${line}\n`);
const LIMIT_MINUTES = 120;

const busy = Array.from({ length: loops }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
const failures = new Map<string, number>();
try {
  for (let run = 1; run <= times; run += 1) {
    const {
      files,
      passed,
      failed,
      failures: found,
    } = await runJest('servers', [`--maxWorkers=${filesAtOnce()}`, ...patterns], {
      limitMinutes: LIMIT_MINUTES,
    });
    if (files.length === 0) throw new Error(`no file on real servers matches ${patterns.join(' ')}`);
    for (const { test } of found) failures.set(test, (failures.get(test) ?? 0) + 1);
    report(`run ${run} of ${times}: ${passed} passed, ${failed} failed`);
  }
} finally {
  for (const loop of busy) loop.kill('SIGKILL');
  await reapTestServers(report);
}
for (const [test, failed] of [...failures].toSorted(([, a], [, b]) => b - a))
  report(`${failed} of ${times}  ${test}`);
report(failures.size === 0 ? 'no test failed' : `${failures.size} tests failed at least once`);
process.exitCode = failures.size === 0 ? 0 : 1;
