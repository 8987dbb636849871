import { describe, expect, it } from '@jest/globals';
import {
  epochIn,
  epochRecord,
  recordedEpoch,
  recordedEpochNumber,
  withEpoch,
  type Epoch,
} from '../../services/live-topic/epoch.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';

const EPOCH: Epoch = {
  epoch: 2,
  from: '900',
  to: '400',
  since: '2026-03-01T12:00:00.000Z',
  until: '2026-03-01T12:05:00.000Z',
};

describe('the epoch of a cluster', () => {
  it('is taken from the records of the installation when the live topic was lost', () => {
    const live: LiveRecord[] = [{ cluster: 'west', kind: 'connected', key: 'ledger', value: true }];
    const recorded = recordedEpoch('west', new Map([['epoch/west', JSON.stringify(EPOCH)]]));
    expect(epochIn('west', withEpoch('west', live, recorded))).toEqual(EPOCH);
    const later = epochRecord('west', { ...EPOCH, epoch: 3 });
    expect(epochIn('west', withEpoch('west', [...live, later], recorded))?.epoch).toBe(3);
    expect(withEpoch('west', live, null)).toEqual(live);
  });

  it('is the epoch that its ingester has begun, and is missing in a record that cannot be read', () => {
    const shown = (value: string) => recordedEpochNumber('west', new Map([['epoch/west', value]]));
    expect(shown(JSON.stringify(EPOCH))).toBe(2);
    expect([shown('{"epoch":2}'), shown('{'), recordedEpochNumber('west', new Map())]).toEqual([0, 0, 0]);
  });
});
