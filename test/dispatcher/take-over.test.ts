import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import { takeOverOtherRuns } from '../../services/dispatcher/runs/take-over.ts';

interface FakeRun {
  job: { cluster: string; uid: string };
  taskQueue: string;
}

/** Runs of an old build, and what was done with them. */
function install({ runs, polled }: { runs: [cluster: string, uid: string][]; polled: string[] }): {
  asked: string[];
  replaced: string[];
  polled: Set<string>;
  /** Jobs whose worker hands them over when asked. */
  handsOver: Set<string>;
  takeOver: () => Promise<boolean>;
} {
  const [asked, replaced]: [string[], string[]] = [[], []];
  const handsOver = new Set<string>();
  const queues = new Set(polled);
  const isOurs = (uid: string): boolean =>
    replaced.includes(uid) || (asked.includes(uid) && handsOver.has(uid));
  const others = (): FakeRun[] =>
    runs
      .map(([cluster, uid]) => ({ job: { cluster, uid }, taskQueue: `${cluster}-old` }))
      .filter(({ job }) => !isOurs(job.uid));
  return {
    asked,
    replaced,
    polled: queues,
    handsOver,
    takeOver: () =>
      takeOverOtherRuns<FakeRun>({
        others: () => Promise.resolve(others()),
        getQueue: (cluster) => `${cluster}-new`,
        isPolled: (queue) => Promise.resolve(queues.has(queue)),
        askToHandOver: ({ job }) => Promise.resolve(void asked.push(job.uid)),
        isRunning: ({ job }) => Promise.resolve(!isOurs(job.uid)),
        takeOver: ({ job }) => Promise.resolve(replaced.push(job.uid) > 0),
        log: silentLog(),
        signal: new AbortController().signal,
      }),
  };
}

describe('workflow runs that another build started', () => {
  it('are replaced when workers of this build poll for tasks, and wait for their own build until then', async () => {
    const { takeOver, replaced, polled } = install({
      runs: [
        ['east', 'a'],
        ['west', 'b'],
      ],
      polled: ['east-new'],
    });
    expect(await takeOver()).toBe(false);
    expect(replaced).toEqual(['a']);
    polled.add('west-new');
    expect(await takeOver()).toBe(true);
    expect(replaced).toEqual(['a', 'b']);
  });

  it('are all replaced, however many runs exist', async () => {
    const runs = Array.from({ length: 125 }, (_none, at): [string, string] => ['east', `job-${at}`]);
    const { takeOver, replaced, asked } = install({ runs, polled: ['east-new'] });
    await takeOver();
    expect(new Set(replaced).size).toBe(125);
    expect(asked).toEqual([]);
  });

  it('are handed over by the worker of their own build while that worker runs', async () => {
    const runs = Array.from({ length: 125 }, (_none, at): [string, string] => ['east', `job-${at}`]);
    const { takeOver, replaced, asked, handsOver } = install({ runs, polled: ['east-new', 'east-old'] });
    for (const [, uid] of runs) handsOver.add(uid);
    expect(await takeOver()).toBe(true);
    expect(new Set(asked).size).toBe(125);
    expect(replaced).toEqual([]);
  });

  it('are replaced when their worker does not hand over in time, and that worker is not asked again', async () => {
    const runs = Array.from({ length: 120 }, (_none, at): [string, string] => ['east', `job-${at}`]);
    const { takeOver, replaced, asked, handsOver } = install({ runs, polled: ['east-new', 'east-old'] });
    handsOver.add('job-1');
    expect(await takeOver()).toBe(true);
    expect(asked).toHaveLength(100);
    expect(replaced).toHaveLength(119);
    expect(replaced).not.toContain('job-1');
  }, 30_000);
});
