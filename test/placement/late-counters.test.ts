import { describe, expect, it } from '@jest/globals';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import * as jobCore from '../../workflows/job/core.ts';
import { jobFacts } from '../../workflows/job/observe/compact.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aPlacedWorld } from './a-placed-world.ts';

describe('the counters that a member continues (J-16.10)', () => {
  it('do not remove a later completed index when the request that writes them arrives late', async () => {
    const world = aPlacedWorld({ spec: { completions: 4, parallelism: 4 } });
    await world.work();
    const started = { startTime: '2026-03-01T12:00:00Z' };
    world.shows('west', 'pi', { ...started, active: 2, ready: 2, succeeded: 2, completedIndexes: '0,1' });
    await world.work();
    world.availability = { west: { cordoned: { by: 'anna', at: 0, drain: true } } };
    await world.work();
    world.shows('west', 'pi', {
      succeeded: 2,
      completedIndexes: '0,1',
      conditions: [{ type: 'Suspended', status: 'True' }],
    });
    const north = world.api('north');
    const onTheirWay: ApiRequest[] = [];
    north.before = (request) => {
      if (!request.path.endsWith('/status') || onTheirWay.length > 0) return;
      onTheirWay.push(request);
      throw new UnavailableError('the answer was lost');
    };
    // The counters are asked for once more, and the member runs.
    await world.workFor(5);
    expect(world.job('north', 'pi-m2').spec.suspend).not.toBe(true);
    world.shows('north', 'pi-m2', { ...started, active: 1, ready: 1, succeeded: 3, completedIndexes: '0-2' });
    await world.work();
    let controller: JobState = jobCore.INITIAL_STATE;
    const observed = (): void => {
      const job = jobFacts(structuredClone(world.job('north', 'pi-m2')));
      controller = jobCore.fold(controller, [{ id: '', digest: '', type: 'job.observed', job }]);
    };
    observed();
    // The first request arrives, five seconds after it was sent. The API server takes it: completions equals parallelism (J-1.40 aa).
    for (const request of onTheirWay) await north.client.request(request).catch(() => {});
    observed();
    const created = jobCore
      .decide(controller, world.now, DEFAULT_SETTINGS)
      .commands.flatMap((command) =>
        command.kind === 'CreatePods' ? command.pods.map(({ index }) => index) : [],
      );
    expect(world.job('north', 'pi-m2').status?.completedIndexes).toBe('0-2');
    expect(created).not.toContain(2);
  });
});
