import { busySeconds, cpuSeconds, sumMemory, statIn, processTree } from './processes.ts';

describe('a process that is read from /proc', () => {
  it('is read though its name contains spaces and parentheses', () => {
    const rest = 'S 7 1 1 0 -1 0 0 0 0 0 150 50 30 20 20 0 1';
    expect(statIn(`42 (a (b) c) ${rest}`)).toEqual({ pid: 42, parent: 7, cpuSeconds: 2.5 });
  });

  it('is read with all its descendants', () => {
    const stat = (pid: number, parent: number) => ({ pid, parent, cpuSeconds: 0 });
    const all = [stat(1, 0), stat(2, 1), stat(3, 2), stat(4, 1), stat(5, 0)];
    expect(processTree(2, all).map(({ pid }) => pid)).toEqual([2, 3]);
    expect(processTree(1, all).map(({ pid }) => pid)).toEqual([1, 2, 3, 4]);
  });

  it('has a CPU time above zero when it is the process of this test', () => {
    const own = [{ name: 'this', pid: process.pid }];
    expect(cpuSeconds(own)['this']).toBeGreaterThan(0);
  });
});

describe('the memory of measured processes', () => {
  const status = (peak: number, own: number, files: number, shared: number): string =>
    `VmHWM:\t${peak} kB\nRssAnon:\t${own} kB\nRssFile:\t${files} kB\nRssShmem:\t${shared} kB\n`;

  it('is the peak when only one process is measured', () =>
    expect(sumMemory([status(900, 10, 20, 30)])).toBe(900));

  it('counts the shared memory of several processes once', () => {
    expect(sumMemory([status(900, 10, 20, 30), status(800, 5, 25, 10)])).toBe(10 + 5 + 25 + 30);
  });
});

describe('the CPU of the machine', () => {
  it('counts as busy except when it is idle or waits for a disk', () => {
    expect(busySeconds('cpu  100 200 300 40000 5000 10 20 70 0 0\ncpu0 1 1 1 1\n')).toBe(7);
  });
});
