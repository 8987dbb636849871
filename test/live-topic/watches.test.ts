import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import type { Part } from '../../services/shards/watch-names.ts';
import {
  leaderRecord,
  positionRecord,
  unwrittenSince as unwrittenTime,
  watchesIn,
} from '../../services/live-topic/watches.ts';
import { VERSION } from '../../services/adapters/process/package-dir.ts';
import { CLUSTER } from '../support/builders.ts';

const NOON = Date.parse('2026-03-01T12:00:00Z');
const at = (minute: number): string => new Date(NOON + minute * 60_000).toISOString();

function position(watch: string, minute: number): LiveRecord {
  return positionRecord(CLUSTER, watch, { resourceVersion: String(minute), time: at(minute) });
}

const WHOLE = { index: 1, of: 1 };

/** What is in the live topic after an ingester has begun to lead. */
function leader(
  unwritten: number | null,
  parts: readonly Part[] = [undefined],
  shard = WHOLE,
  recordedFields: readonly string[] = [],
): LiveRecord {
  const { key, value } = leaderRecord(CLUSTER, shard, {
    identity: 'one',
    unwrittenSince: unwritten,
    parts,
    recordedFields,
  });
  return {
    cluster: CLUSTER,
    kind: 'leader',
    key: key.split('/').at(-1) ?? '',
    value: JSON.parse(value ?? 'null'),
  };
}

function unwrittenSince(
  cluster: string,
  records: readonly LiveRecord[],
  parts: readonly Part[] = [undefined],
): number | null {
  return unwrittenTime(cluster, records, { shard: WHOLE, parts });
}

describe('the instant since which the live topic may lack events', () => {
  it('is the older of the positions of Jobs and pods', () => {
    const records = [position('jobs', 5), position('pods', 3), position('cronjobs', 1), leader(null)];
    expect(unwrittenSince(CLUSTER, records)).toBe(NOON + 3 * 60_000);
    expect(unwrittenSince('west', records)).toBeNull();
  });

  it('is the start of the first ingester that was killed before it wrote a position, however many ingesters were killed afterwards', () => {
    const first = leader(null);
    const start = unwrittenSince(CLUSTER, [first]);
    expect(start).toBe(Date.parse((first.value as { since: string }).since));
    expect(unwrittenSince(CLUSTER, [leader(NOON)])).toBe(NOON);
    expect(unwrittenSince(CLUSTER, [leader(NOON), position('jobs', 5)])).toBe(NOON);
  });

  it('is missing when the first ingester was not killed', () => {
    expect(unwrittenSince(CLUSTER, [])).toBeNull();
    const stopped = { cluster: CLUSTER, kind: 'leader', key: 'ingester', value: null } as const;
    expect(unwrittenSince(CLUSTER, [stopped])).toBeNull();
  });
});

describe('the instant since which the live topic may lack events about given namespaces', () => {
  const [a, b] = [['a'], ['a', 'b']];
  const positionsIn = (namespace: string, minute: number): LiveRecord[] =>
    ['jobs', 'pods'].map((resource) => position(`${resource}.${namespace}`, minute));

  it('is the oldest position of these namespaces and of the namespaces of the last leader', () => {
    const records = [...positionsIn('a', 5), ...positionsIn('b', 3), ...positionsIn('c', 1)];
    expect(unwrittenSince(CLUSTER, records, a)).toBe(NOON + 5 * 60_000);
    expect(unwrittenSince(CLUSTER, [...records, leader(null, b)], a)).toBe(NOON + 3 * 60_000);
  });

  it('is the position of the whole cluster for a namespace without a separate watch', () => {
    const records = [position('jobs', 7), position('pods', 7), leader(null)];
    expect(unwrittenSince(CLUSTER, records, a)).toBe(NOON + 7 * 60_000);
  });

  it('is not the start of a leader that watched other namespaces', () => {
    const records = [...positionsIn('a', 5), leader(null, a)];
    expect(unwrittenSince(CLUSTER, records, b)).toBe(NOON + 5 * 60_000);
    // Each record of a leader has the instant at which it is made.
    const started = [leader(null, a)];
    expect(unwrittenSince(CLUSTER, started, ['b'])).toBe(unwrittenSince(CLUSTER, started, a));
  });
});

describe('the instant since which the live topic may lack events about a shard', () => {
  const shard = { index: 2, of: 2 };
  const own = { shard, parts: ['2:2'] };
  const partPositions = (part: string, minute: number): LiveRecord[] =>
    ['jobs', 'pods'].map((resource) => position(`${resource}.${part}`, minute));

  it('is the position of that shard, whatever happened to the other shard', () => {
    const other = [...partPositions('1:2', 1), leader(NOON, ['1:2'], { index: 1, of: 2 })];
    const records = [...other, ...partPositions('2:2', 5), leader(null, ['2:2'], shard)];
    expect(unwrittenTime(CLUSTER, records, own)).toBe(NOON + 5 * 60_000);
  });

  it('is the position of the whole cluster, or of the earlier shards of its namespaces, for a new shard', () => {
    const whole = [position('jobs', 7), position('pods', 7), leader(null)];
    expect(unwrittenTime(CLUSTER, whole, own)).toBe(NOON + 7 * 60_000);
    const quarters = [1, 2, 3, 4].flatMap((index) => partPositions(`${index}:4`, index));
    expect(unwrittenTime(CLUSTER, quarters, own)).toBe(NOON + 2 * 60_000);
  });

  it('is the start of the first ingester when that ingester was killed and its shard had some of the same namespaces', () => {
    const killed = leader(NOON, ['4:4'], { index: 4, of: 4 });
    expect(unwrittenTime(CLUSTER, [killed], own)).toBe(NOON);
    const elsewhere = leader(NOON, ['3:4'], { index: 3, of: 4 });
    expect(unwrittenTime(CLUSTER, [elsewhere], own)).toBeNull();
  });
});

describe('the list of the leaders of several shards', () => {
  const first = leader(null, ['1:2'], { index: 1, of: 2 });
  const second = leader(null, ['2:2'], { index: 2, of: 2 });

  it('names all leaders, or no leader while one is missing', () => {
    expect(watchesIn([second, first]).leader).toBe('one one');
    expect(watchesIn([second]).leader).toBeNull();
  });

  it('shows the version of each leader, and an empty place for a missing leader', () => {
    const since = expect.stringMatching(/^2.*Z$/);
    const missing = { shard: 1, leader: null, since: null, version: null };
    const present = { shard: 2, leader: 'one', since, version: VERSION };
    expect(watchesIn([second]).shards).toEqual([missing, present]);
    expect(watchesIn([second, first]).shards).toMatchObject([{ shard: 1, leader: 'one' }, present]);
    expect(watchesIn([leader(null)]).shards).toMatchObject([{ shard: 1, leader: 'one' }]);
    expect(watchesIn([position('jobs', 1)]).shards).toEqual([]);
  });

  it('contains the additional fields of any leader', () => {
    const command = leader(null, ['1:2'], { index: 1, of: 2 }, ['pod.spec.containers.command']);
    const both = leader(null, ['2:2'], { index: 2, of: 2 }, ['job.metadata.annotations[a.b/c]', 'pod.x']);
    expect(watchesIn([command, both]).recordedFields).toEqual([
      'job.metadata.annotations[a.b/c]',
      'pod.spec.containers.command',
      'pod.x',
    ]);
    expect(watchesIn([second, first]).recordedFields).toEqual([]);
    expect(watchesIn([position('jobs', 1)]).recordedFields).toBeNull();
  });

  it('gives as the time of the last received event the time of the shard that has been silent longest', () => {
    const records = [first, second, position('jobs.1:2', 5), position('jobs.2:2', 3), position('jobs', 1)];
    expect(watchesIn(records).jobsReceivedAt).toBe(at(3));
  });
});

describe('the time at which an event of a cluster was last received', () => {
  const receivedAt = (records: readonly LiveRecord[]): unknown => watchesIn(records).jobsReceivedAt;

  it('is the time of the watch of the cluster', () => {
    expect(receivedAt([position('jobs', 5), position('jobs.a', 9), leader(null)])).toBe(at(5));
  });

  it('is the time of the watched namespace that has been silent longest', () => {
    const records = [
      position('jobs.a', 5),
      position('jobs.b', 3),
      position('jobs.c', 1),
      position('jobs', 0),
    ];
    expect(receivedAt([...records, leader(null, ['a', 'b'])])).toBe(at(3));
  });

  it('is the newest time of any ingester when no ingester leads', () => {
    expect(receivedAt([position('jobs.a', 5), position('jobs', 4)])).toBe(at(5));
    expect(receivedAt([])).toBeNull();
  });
});
