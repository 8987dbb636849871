import { describe, expect, it, jest } from '@jest/globals';
import { pause } from '../../services/adapters/waiting/pause.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createWatchesReader } from '../../services/api/watches.ts';
import type { ClusterWatches } from '../../services/live-topic/watches.ts';

type Watches = Map<string, ClusterWatches>;

const WATCHES: Watches = new Map();

describe('the watches of the clusters in the API', () => {
  it('are read once for all callers who ask within some seconds', async () => {
    const read = jest.fn(() => Promise.resolve(WATCHES));
    const watches = createWatchesReader(read, silentLog());
    expect(await Promise.all([watches(), watches()])).toEqual([WATCHES, WATCHES]);
    expect(await watches()).toBe(WATCHES);
    expect(read).toHaveBeenCalledTimes(1);
  });

  it('are unknown while Kafka cannot be read, and are requested again', async () => {
    const read = jest.fn<() => Promise<Watches>>().mockRejectedValueOnce(new Error('away'));
    read.mockResolvedValueOnce(WATCHES);
    const watches = createWatchesReader(read, silentLog());
    expect([await watches(), await watches()]).toEqual([null, WATCHES]);
  });

  it('are unknown while Kafka does not answer, and are shown when it answers', async () => {
    let answer: (watches: Watches) => void = () => undefined;
    const read = jest.fn(() => new Promise<Watches>((resolve) => (answer = resolve)));
    const watches = createWatchesReader(read, silentLog(), { answerMs: 1000 });
    expect(await watches()).toBeNull();
    // The next one does not wait as long again.
    const late = pause(800, new AbortController().signal).then(() => 'late');
    expect(await Promise.race([watches(), late])).toBeNull();
    answer(WATCHES);
    expect(await watches()).toBe(WATCHES);
    expect(read).toHaveBeenCalledTimes(1);
  });
});
