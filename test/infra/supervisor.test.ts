import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildSpec } from '../../infra/processes/keep-running.ts';
import { createSupervisor, type Supervisor } from '../../infra/processes/supervisor.ts';
import { eventually } from '../support/eventually.ts';

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

describe('a supervised process', () => {
  it('is started again each time it is killed on request, however often', async () => {
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

  it('is given up after it has ended by itself five times within a minute', async () => {
    await supervisor.start(program('process.exit(3)'));
    expect((await supervisor.failed).error.message).toContain('program ended 5 times within a minute');
  });
});
