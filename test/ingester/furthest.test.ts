import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { epochRecord } from '../../services/live-topic/epoch.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import { positionRecord } from '../../services/live-topic/watches.ts';
import { createReadFurthest } from '../../services/ingester/epochs/furthest.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

const at = (watch: string, resourceVersion: string, epoch?: number): LiveRecord =>
  positionRecord('east', watch, { resourceVersion, time: '', ...(epoch !== undefined && { epoch }) });
const began = epochRecord('east', { epoch: 1, from: '9', to: '4', since: '', until: '' });

describe('the highest resource version that the shards of a cluster have reached', () => {
  const read = (): Promise<never> => Promise.reject(new Error('read too early'));
  const furthest = (epoch: number, records: LiveRecord[]): ReturnType<typeof createReadFurthest> =>
    createReadFurthest('east', epoch, { records, read, onPassed: () => undefined });

  it('is the highest version of any watch of the resource in the cluster', async () => {
    const others = [
      positionRecord('west', 'jobs', { resourceVersion: '99', time: '' }),
      at('pods.1:2', '50'),
    ];
    const records = [...others, at('jobs', '7'), at('jobs.1:2', '30'), at('jobs.2:2', '9')];
    expect(await furthest(0, records)('jobs')).toBe('30');
    expect(await furthest(0, [])('jobs')).toBeNull();
  });

  it('is a version of the present epoch', async () => {
    expect(await furthest(1, [began, at('jobs.1:2', '30'), at('jobs.2:2', '9', 1)])('jobs')).toBe('9');
  });

  it('is read again after some time, and cannot be read after another shard has begun the next epoch', async () => {
    let [passed, reads] = [0, 0];
    const find = createReadFurthest('east', 0, {
      records: [at('jobs.1:2', '30')],
      read: () => {
        reads += 1;
        return Promise.resolve([began, at('jobs.1:2', '4', 1)]);
      },
      onPassed: () => (passed += 1),
    });
    expect(await find('jobs')).toBe('30');
    await jest.advanceTimersByTimeAsync(6000);
    await expect(Promise.all([find('jobs'), find('pods')])).rejects.toThrow(
      /another shard has found that the API server was restored/,
    );
    expect(reads).toBe(1);
    expect(passed).toBeGreaterThan(0);
  });
});
