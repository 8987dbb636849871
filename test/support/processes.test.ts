import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { eventually } from './eventually.ts';
import { freeze } from './processes.ts';

let parent: ChildProcess | undefined;

afterEach(() => {
  if (parent?.pid !== undefined) process.kill(-parent.pid, 'SIGKILL');
});

/** `T`: stopped. */
function processState(pid: number): string | undefined {
  return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;

onLinux('a frozen process', () => {
  it('stops with its children, and continues with them', async () => {
    parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { detached: true });
    const [line] = (await once(parent.stdout ?? parent, 'data')) as [Buffer];
    const pids = [parent.pid ?? 0, Number(line.toString())];
    const over = freeze(pids[0] ?? 0, 1500);
    await eventually('both stand still', 5, () =>
      Promise.resolve(pids.every((pid) => processState(pid) === 'T') || undefined),
    );
    await over;
    expect(pids.map(processState)).not.toContain('T');
  });
});
