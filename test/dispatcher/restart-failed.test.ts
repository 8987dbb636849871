import { silentLog } from '../../services/adapters/process/log.ts';
import { createRestartFailed } from '../../services/dispatcher/runs/restart-failed.ts';

/** A dispatcher that has the partitions of the Jobs of east, and the runs that have failed. */
function aDispatcher(failed: { id: string; runId: string }[]) {
  const clock = { now: Date.parse('2026-03-01T12:00:00Z') };
  const restarted: string[] = [];
  const asked: string[] = [];
  const look = createRestartFailed({
    async *failed(since) {
      asked.push(since.toISOString());
      yield* failed;
    },
    isAssigned: (key) => key.startsWith('east/'),
    restart: ({ runId }) => Promise.resolve(void restarted.push(runId)),
    log: silentLog(),
    now: () => clock.now,
  });
  return { look, clock, restarted, asked };
}

describe('workflow runs that have failed', () => {
  it('are replaced once, and only in the partitions of this dispatcher', async () => {
    const failed = [
      { id: 'east/a', runId: 'run-1' },
      { id: 'west/b', runId: 'run-2' },
    ];
    const { look, clock, restarted, asked } = aDispatcher(failed);
    await look();
    failed.push({ id: 'east/a', runId: 'run-3' });
    clock.now += 10_000;
    await look();
    expect(restarted).toEqual(['run-1', 'run-3']);
    expect(asked).toEqual(['2026-03-01T11:50:00.000Z', '2026-03-01T11:50:10.000Z']);
  });

  it('are searched for every ten seconds', async () => {
    const { look, clock, asked } = aDispatcher([]);
    await look();
    clock.now += 9999;
    await look();
    expect(asked).toHaveLength(1);
  });

  it('are searched for again at once when a search failed', async () => {
    let fails = true;
    const restarted: string[] = [];
    const look = createRestartFailed({
      async *failed() {
        yield* [{ id: 'east/a', runId: 'run-1' }];
      },
      isAssigned: () => true,
      restart: async ({ runId }) => {
        if (fails) throw new Error('14 UNAVAILABLE');
        restarted.push(runId);
      },
      log: silentLog(),
      now: () => 1_000_000,
    });
    await expect(look()).rejects.toThrow('UNAVAILABLE');
    fails = false;
    await look();
    expect(restarted).toEqual(['run-1']);
  });
});
