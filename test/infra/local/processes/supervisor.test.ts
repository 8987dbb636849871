import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startGroups } from '../../../../infra/local/processes/start-groups.ts';
import type { ChildSpec } from '../../../../infra/local/processes/keep-running.ts';
import { fullDiskAdvice } from '../../../../infra/local/processes/full-disk.ts';
import { runToEnd } from '../../../../infra/local/processes/run-to-end.ts';
import { createSupervisor, type Supervisor } from '../../../../infra/local/processes/supervisor.ts';
import { eventually } from '../../../support/eventually.ts';

let dir: string;
let supervisor: Supervisor;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'jobledger-supervisor-'));
  supervisor = createSupervisor({
    runDir: join(dir, 'run'),
    logsDir: join(dir, 'logs'),
    report: () => undefined,
  });
});

afterEach(async () => {
  await supervisor.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** A Node process that runs this program. */
function program(text: string): ChildSpec {
  return {
    name: 'program',
    stage: 1,
    command: () => ({ file: process.execPath, args: ['-e', text], env: {} }),
    ready: async () => undefined,
    stopWithinMs: 1000,
  };
}

describe('the disk of a state directory', () => {
  it('counts as full when too little space is left for the servers', () => {
    expect(fullDiskAdvice(dir, 63)).toBe(
      `the disk of ${dir} is full (63 MB left): free 64 MB or more there, and start again`,
    );
    expect(fullDiskAdvice(dir, 64)).toBeUndefined();
    expect(fullDiskAdvice(dir)).toBeUndefined();
  });
});

describe('a program that fails', () => {
  it('is reported with its own error output, without its command line', async () => {
    const failed = (script: string): Promise<void> =>
      runToEnd('it failed', [process.execPath, '-e', script, 'argument'], {});
    await expect(failed("console.error('disk full'); process.exit(3)")).rejects.toThrow(
      /^it failed: disk full$/,
    );
    await expect(failed('process.exit(3)')).rejects.toThrow(/^it failed: \S+ ended with 3$/);
  });
});

describe('a start of the servers that is stopped', () => {
  const runs = 'setInterval(() => undefined, 1000)';

  it('starts no server when the stop came first', async () => {
    const groups = [[[program(runs)], [program(runs)]]];
    const start = startGroups(groups, { supervisor, specs: new Map(), signal: AbortSignal.abort() });
    await expect(start).rejects.toThrow('aborted');
    expect(() => supervisor.pid('program')).toThrow('no supervised process is named program');
  });

  it('starts no later stage, even if a server answers during the stop', async () => {
    const stop = new AbortController();
    const answer = Promise.withResolvers<void>();
    const later: string[] = [];
    const step = async (): Promise<void> => void later.push('step');
    const groups = [[[{ ...program(runs), ready: () => answer.promise }], [step]]];
    const start = startGroups(groups, { supervisor, specs: new Map(), signal: stop.signal });
    stop.abort();
    await expect(start).rejects.toThrow('the start was cancelled');
    answer.resolve();
    await supervisor.stop();
    expect(later).toEqual([]);
  });
});

describe('a supervised process', () => {
  it('is started again each time it is killed on request, however often that happens', async () => {
    await supervisor.start(program('setInterval(() => undefined, 1000)'));
    const pids = new Set<number>();
    for (let kills = 0; kills < 7; kills += 1) {
      const pid = await eventually('it runs', 10, async () => supervisor.pid('program'));
      pids.add(pid);
      await supervisor.kill('program');
    }
    expect(pids.size).toBe(7);
    await eventually('it runs again', 10, async () => supervisor.pid('program'));
  });

  it('stays stopped after it has ended by itself five times within a minute', async () => {
    await supervisor.start(program('process.exit(3)'));
    expect((await supervisor.failed).error.message).toContain('program ended 5 times within a minute');
  });

  it('stays stopped with a reason from the log of its last run, not from the log of an earlier run', async () => {
    mkdirSync(join(dir, 'logs'));
    writeFileSync(join(dir, 'logs', 'program.log'), 'Error: of the run before\n');
    await supervisor.start({ ...program('process.exit(3)'), fatalCodes: [3] }).catch(() => undefined);
    const silent = await supervisor.failed;
    expect(silent.error.message).toMatch(/says: exit status 3$/);
    expect(silent.lastLines).toEqual([]);
  });

  it('stays stopped after the disk was full', async () => {
    const prepare = (): Promise<void> =>
      Promise.reject(Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }));
    await expect(supervisor.start({ ...program(''), prepare })).rejects.toThrow(
      'program ended because a disk is full (could not be started: ENOSPC: no space left on device, write): free some space, and start again',
    );
  });
});
