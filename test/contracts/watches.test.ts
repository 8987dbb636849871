import type { LiveRecord } from '../../services/contracts/live-topic.ts';
import { leaderRecord, unwrittenSince } from '../../services/contracts/watches.ts';
import { CLUSTER } from '../support/builders.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const at = (minute: number): string => new Date(NOON + minute * 60_000).toISOString();

function position(resource: string, minute: number): LiveRecord {
  const value = { resourceVersion: '1', time: at(minute) };
  return { cluster: CLUSTER, kind: 'position', key: resource, value };
}

/** What is in the live topic after an ingester has begun to lead. */
function leader(unwritten: number | null): LiveRecord {
  const { value } = leaderRecord(CLUSTER, {
    identity: 'one',
    unwrittenSince: unwritten,
    namespaces: [],
  });
  return { cluster: CLUSTER, kind: 'leader', key: 'ingester', value: JSON.parse(value ?? 'null') };
}

describe('since when the live topic may lack what was appended', () => {
  it('is the older of the positions of Jobs and pods', () => {
    const records = [position('jobs', 5), position('pods', 3), position('cronjobs', 1), leader(null)];
    expect(unwrittenSince(CLUSTER, records)).toBe(NOON + 3 * 60_000);
    expect(unwrittenSince('west', records)).toBeNull();
  });

  it('is the start of the ingester that has not written a position, whatever number of them were killed', () => {
    const first = leader(null);
    const start = unwrittenSince(CLUSTER, [first]);
    expect(start).toBe(Date.parse((first.value as { since: string }).since));
    expect(unwrittenSince(CLUSTER, [leader(NOON)])).toBe(NOON);
    expect(unwrittenSince(CLUSTER, [leader(NOON), position('jobs', 5)])).toBe(NOON);
  });

  it('is never when the first ingester was not killed', () => {
    expect(unwrittenSince(CLUSTER, [])).toBeNull();
    const stopped = { cluster: CLUSTER, kind: 'leader', key: 'ingester', value: null } as const;
    expect(unwrittenSince(CLUSTER, [stopped])).toBeNull();
  });
});
