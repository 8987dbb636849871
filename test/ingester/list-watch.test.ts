import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import { JOB_UID, jobObject, podObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import type { KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { hasNamespace } from '../../services/shards/shards.ts';
import type { ListWatchOptions } from '../../services/ingester/watch/list-watch.ts';
import { applyChange } from '../../services/ingester/live-set/live-set.ts';
import type { Collection } from './a-collection.ts';
import { followJobs, followPods, type Following } from './a-reader.ts';

let running: Following<Job> | Following<Pod> | undefined;

afterEach(async () => running?.stop());

function jobs(): Following<Job> {
  const following = followJobs();
  running = following;
  return following;
}

function pods(): Following<Pod> {
  const following = followPods();
  running = following;
  return following;
}

function pod(name: string, version: number): Pod {
  const { metadata, ...rest } = podObject({ name });
  return { ...rest, metadata: { ...metadata, resourceVersion: String(version) } };
}

function job(name: string, version: number): Job {
  const { metadata, ...rest } = jobObject({ name, uid: `uid-of-${name}` });
  return { ...rest, metadata: { ...metadata, resourceVersion: String(version) } };
}

/** Its template violates the API's schema: redacting it throws. */
function brokenJob(name: string, version: number): Job {
  const whole = job(name, version);
  return { ...whole, spec: { ...whole.spec, template: {} as NonNullable<Job['spec']['template']> } };
}

/** Its conditions violate the API's schema, and without them nothing can be decided. */
function unreadablePod(name: string, version: number): Pod {
  return { ...pod(name, version), status: { conditions: {} as [] } };
}

const eventIds = (events: readonly JobEvent[]): string[] => events.map(({ id }) => id.replace(/^east\//, ''));

describe('an object from a list', () => {
  it('is recorded with the version of the collection, unlike an object from a watch', async () => {
    const { collection, events, start, appended } = pods();
    collection.hold(pod('b', 30), pod('a', 20));
    collection.at('50');
    start();
    await appended(2);
    collection.append('MODIFIED', pod('a', 60));
    await appended(3);
    expect(events.map(({ id, data }) => [id, 'listedAt' in data ? data.listedAt : 'watched'])).toEqual([
      ['east/pod/uid-of-a/20/listed/50', '50'],
      ['east/pod/uid-of-b/30/listed/50', '50'],
      ['east/pod/uid-of-a/60', 'watched'],
    ]);
  });

  it('is recorded after the gap when a compaction removed the history (410), in ascending version', async () => {
    const { collection, events, start, appended } = pods();
    collection.forgetBefore('40');
    collection.hold(pod('b', 45), pod('a', 42));
    collection.at('50');
    start({ from: '10' });
    await appended(3);
    expect(eventIds(events)).toEqual([
      'gap/pods/10/50',
      'pod/uid-of-a/42/listed/50',
      'pod/uid-of-b/45/listed/50',
    ]);
  });

  it('is a different event when a watch showed its version before under another claim', async () => {
    const first = pods();
    first.collection.at('10');
    first.start();
    first.collection.append('ADDED', pod('a', 20));
    await first.appended(1);
    await first.stop();
    const again = pods();
    again.collection.hold(pod('a', 20));
    again.collection.at('30');
    again.start({ from: '20', relist: 'the claim changed to all' });
    await again.appended(2);
    const [watched] = first.events;
    const listed = again.events.at(-1);
    expect([watched?.id, listed?.id]).toEqual(['east/pod/uid-of-a/20', 'east/pod/uid-of-a/20/listed/30']);
    expect(watched?.digest).not.toBe(listed?.digest);
  });
});

async function untilWatched({ collection }: Pick<Following<Pod | Job>, 'collection'>): Promise<void> {
  await eventually('the watch is open', 5, async () => (collection.asked.length >= 2 ? true : undefined));
}

/** Takes the next periodic list, at this version, and lets the watch reach it. */
async function list(
  { collection }: Pick<Following<Pod | Job>, 'collection'>,
  version: string,
): Promise<void> {
  const { length } = collection.asked;
  collection.at(version);
  collection.endWatches();
  await eventually('a list and a watch', 5, async () =>
    collection.asked.length >= length + 2 ? true : undefined,
  );
  collection.bookmark(version);
}

describe('the periodic list', () => {
  it('finds events that the watch missed, though the watch is far ahead, and records the gap', async () => {
    const following = pods();
    const { collection, events, start, appended } = following;
    collection.at('10');
    start({ auditMs: 1 });
    await untilWatched({ collection });
    collection.append('ADDED', pod('reported', 30));
    await appended(1);
    collection.hold(pod('reported', 30), pod('missed', 20));
    await list(following, '40');
    await appended(3);
    expect(eventIds(events)).toEqual([
      'pod/uid-of-reported/30',
      'gap/pods/10/40',
      'pod/uid-of-missed/20/listed/40',
    ]);
  });

  it('becomes, when it finds no missed event, the begin of the gap that the next list records, also after a restart', async () => {
    const first = pods();
    first.collection.at('10');
    first.start({ auditMs: 1 });
    await untilWatched(first);
    first.collection.append('ADDED', pod('a', 15));
    first.collection.hold(pod('a', 15));
    await list(first, '20');
    first.collection.append('MODIFIED', pod('a', 30));
    await eventually('the position', 5, async () =>
      first.live.positions.pods?.resourceVersion === '30' ? true : undefined,
    );
    await first.stop();
    const again = pods();
    Object.assign(again.live, first.live);
    again.collection.at('50');
    again.start({ auditMs: 0, from: '30' });
    await untilWatched(again);
    again.collection.bookmark('50');
    await again.appended(2);
    expect(eventIds(again.events)).toEqual(['gap/pods/20/50', `pod/uid-of-a/gone/${JOB_UID}`]);
  });

  it.each([
    ['is due when it was due before', 100_000, 200],
    ['is due after half a minute when it was due long ago', 900_000, 30],
  ])('does not move its due time when other processes take over: it %s', async (_, agoMs, seconds) => {
    const { collection, start } = pods();
    const opened: string[] = [];
    const client: KubernetesClient = {
      ...collection.client,
      stream: (request) => {
        opened.push(request.path);
        return collection.client.stream(request);
      },
    };
    start({ client, from: '30', comparedAt: new Date(Date.now() - agoMs).toISOString() });
    const path = await eventually('the watch', 10, async () => opened[0]);
    expect(new URL(path, 'http://played').searchParams.get('timeoutSeconds')).toBe(String(seconds));
  });

  it('records no gap for a pod that now matches a Job, because the watch reported the pod', async () => {
    const following = pods();
    const { collection, events, live, start, appended } = following;
    const labels = { app: 'a' };
    const orphan = podObject({ name: 'orphan', controller: 'none', untracked: true, version: '15', labels });
    collection.at('10');
    start({ auditMs: 1 });
    await untilWatched({ collection });
    collection.append('ADDED', orphan);
    collection.hold(orphan);
    await eventually('the position', 5, async () =>
      live.positions.pods?.resourceVersion === '15' ? true : undefined,
    );
    const entry = {
      namespace: 'default',
      name: 'job',
      resourceVersion: '16',
      managedBy: OWN_MANAGER,
      selector: { matchLabels: { app: 'a' } },
    };
    applyChange(live, { resource: 'jobs', uid: 'uid-of-job', entry });
    await list(following, '20');
    await appended(1);
    expect(eventIds(events)).toEqual(['pod/uid-of-orphan/15/uid-of-job/listed/20']);
  });

  it('does not record an object as existing that was deleted right after the list', async () => {
    const { collection, events, live, start, appended } = pods();
    collection.hold(pod('a', 5));
    collection.at('10');
    start({ auditMs: 1 });
    await appended(1);
    collection.at('20');
    collection.endWatches();
    await eventually('the list is taken', 5, async () => (collection.asked.length >= 4 ? true : undefined));
    collection.append('DELETED', pod('a', 30));
    await appended(2);
    collection.bookmark('40');
    await eventually('the bookmark', 5, async () =>
      live.positions.pods?.resourceVersion === '40' ? true : undefined,
    );
    expect(eventIds(events)).toEqual(['pod/uid-of-a/5/listed/10', 'pod/uid-of-a/30/deleted']);
    expect([...live.pods.keys()]).toEqual([]);
  });
});

describe('a Job that is too large for the ledger even with only the fields that decisions need', () => {
  it('is omitted with an error, and the ingester records later events', async () => {
    const { collection, events, errors, live, start, appended } = jobs();
    const values = Array.from({ length: 100_000 }, (_none, at) => `value-${at}`);
    const selector = { matchExpressions: [{ key: 'app', operator: 'In', values }] };
    const { spec, ...large } = job('large', 20);
    start({ from: '10' });
    collection.append('ADDED', { ...large, spec: { ...spec, selector } });
    collection.append('ADDED', job('after', 30));
    await appended(1);
    expect(eventIds(events)).toEqual(['job/uid-of-after/30']);
    expect(errors).toEqual(['an object is not recorded, and nothing is decided about it']);
    expect([...live.jobs.keys()]).toEqual(['uid-of-after']);
  });
});

describe('a Job that has more than 16 MiB in the watch', () => {
  it('is omitted with an error that names the Job, and the ingester records later events', async () => {
    const { collection, events, errors, notRecorded, live, start, appended } = jobs();
    const { metadata, ...large } = job('large', 20);
    start({ from: '10' });
    const annotations = { note: 'x'.repeat(17 * 1024 * 1024) };
    collection.append('ADDED', { ...large, metadata: { ...metadata, annotations } });
    collection.append('ADDED', job('after', 30));
    await appended(1);
    expect(eventIds(events)).toEqual(['job/uid-of-after/30']);
    expect(errors).toEqual(['an object is not recorded, and nothing is decided about it']);
    expect(notRecorded).toEqual(['jobs']);
    expect([...live.jobs.keys()]).toEqual(['uid-of-after']);
    expect(collection.asked).toEqual(['10']);
  });
});

describe('an object that the ingester cannot translate into an event', () => {
  it('is read again and then recorded without the broken part, and the ingester records later events', async () => {
    const { collection, events, errors, start, appended } = jobs();
    start({ from: '10' });
    collection.append('ADDED', job('before', 20));
    collection.append('ADDED', brokenJob('broken', 30));
    collection.append('ADDED', job('after', 40));
    await appended(3);
    expect(eventIds(events)).toEqual([
      'job/uid-of-before/20',
      'job/uid-of-broken/30/reduced',
      'job/uid-of-after/40',
    ]);
    expect(events[1]?.data).toMatchObject({
      withoutTemplate: true,
      object: { metadata: { name: 'broken' }, spec: { template: { spec: { containers: [] } } } },
    });
    expect(collection.asked).toEqual(['10', '20', '20']);
    expect(errors).toEqual([
      'an object cannot be translated; it will be read again',
      'an object cannot be translated; it will be read once more and recorded without template or spec',
    ]);
  });

  it('is omitted with an error when no part can be omitted, and the other objects are recorded', async () => {
    const { collection, events, errors, notRecorded, live, start, appended } = pods();
    start({ from: '10' });
    collection.append('ADDED', pod('before', 20));
    collection.append('ADDED', unreadablePod('unreadable', 30));
    collection.append('ADDED', pod('after', 40));
    await appended(2);
    expect(eventIds(events)).toEqual(['pod/uid-of-before/20', 'pod/uid-of-after/40']);
    expect(errors).toEqual([
      'an object cannot be translated; it will be read again',
      'an object cannot be translated; it will be read once more and recorded without template or spec',
      'an object is not recorded, and nothing is decided about it',
    ]);
    await eventually('the position is behind it', 10, async () =>
      live.positions.pods?.resourceVersion === '40' ? true : undefined,
    );
    expect(live.pods.has('uid-of-unreadable')).toBe(false);
    expect(notRecorded).toEqual(['pods']);
  });

  it('does not restart the watch with each of its versions', async () => {
    const { collection, events, errors, start, appended } = jobs();
    start({ from: '10' });
    for (const version of [20, 30, 40]) collection.append('MODIFIED', brokenJob('broken', version));
    await appended(3);
    expect(eventIds(events)).toEqual([
      'job/uid-of-broken/20/reduced',
      'job/uid-of-broken/30/reduced',
      'job/uid-of-broken/40/reduced',
    ]);
    expect(collection.asked).toEqual(['10', '10', '10']);
    expect(errors).toHaveLength(2);
  });

  it('does not restart the watch with each of its versions, whatever events come between them', async () => {
    const { collection, events, errors, start, appended } = jobs();
    start({ from: '10' });
    for (const version of [20, 30, 40, 50, 60, 70])
      collection.append(
        'MODIFIED',
        version % 20 === 0 ? brokenJob('broken', version) : job('broken', version),
      );
    await appended(6);
    expect(eventIds(events).at(-1)).toBe('job/uid-of-broken/70');
    expect(collection.asked.filter((each) => each !== 'list').length).toBeLessThanOrEqual(3);
    expect(errors).toHaveLength(2);
  });

  it('does not restart the watch with each object of an author who creates many such objects', async () => {
    const { collection, events, errors, start, appended } = jobs();
    start({ from: '10' });
    for (let at = 20; at < 28; at += 1) collection.append('ADDED', brokenJob(`broken-${at}`, at));
    await appended(8);
    expect(new Set(eventIds(events)).size).toBe(8);
    // Three objects are read three times.
    expect(collection.asked.filter((each) => each !== 'list').length).toBeLessThanOrEqual(7);
    expect(errors).toHaveLength(6 + 5);
  });

  it('does not prevent the record of the rest of a list, nor of deletions', async () => {
    const { collection, events, live, start, appended } = jobs();
    const entry = { namespace: 'default', name: 'gone', resourceVersion: '5', selector: {} };
    live.jobs.set('uid-of-gone', entry);
    collection.hold(job('first', 20), brokenJob('broken', 30), job('last', 40));
    collection.at('50');
    start();
    await appended(4);
    expect(eventIds(events)).toEqual([
      'job/uid-of-first/20',
      'job/uid-of-last/40',
      'job/uid-of-gone/gone',
      'job/uid-of-broken/30/reduced',
    ]);
    expect(collection.asked.slice(0, 3)).toEqual(['list', 'list', 'list']);
  });

  it('does not stop the periodic list, and is recorded by the next list', async () => {
    const { collection, events, start, appended } = jobs();
    collection.at('10');
    start({ auditMs: 1 });
    await untilWatched({ collection });
    collection.hold(brokenJob('broken', 15), job('missed', 16));
    for (const version of ['20', '30', '40']) await list({ collection }, version);
    await appended(4);
    expect(eventIds(events)).toEqual([
      'gap/jobs/10/20',
      'job/uid-of-missed/16',
      'gap/jobs/10/40',
      'job/uid-of-broken/15/reduced',
    ]);
  });
});

describe('the check of a cluster before a list', () => {
  it('runs before the first list, and not before later lists', async () => {
    const { collection, start } = pods();
    const { calls, options } = called();
    collection.at('50');
    start(options);
    await eventually('caught up', 10, async () => calls.at(-1) === 'caught up' || undefined);
    await listAgain(collection);
    expect(calls).toEqual(['before the list', 'caught up']);
  });

  it('runs when the position is too old', async () => {
    const { collection, start } = pods();
    const { calls, options } = called();
    collection.forgetBefore('40');
    collection.at('50');
    start({ from: '10', ...options });
    await eventually('caught up', 10, async () => calls.at(-1) === 'caught up' || undefined);
    expect(calls).toEqual(['before the list', 'caught up']);
  });

  it('does not run when a bookmark has shown that the watch has replayed every event', async () => {
    const { collection, start } = pods();
    const { calls, options } = called();
    start({ from: '10', ...options });
    await eventually('a watch', 10, async () => collection.asked.includes('10') || undefined);
    collection.bookmark('30');
    await eventually('caught up', 10, async () => calls.length > 0 || undefined);
    await listAgain(collection);
    expect(calls).toEqual(['caught up']);
  });

  /** What a watch called, in order. */
  function called(): {
    calls: string[];
    options: Pick<ListWatchOptions, 'beforeFirstList' | 'onCaughtUp'>;
  } {
    const calls: string[] = [];
    const beforeFirstList = async (): Promise<void> => void calls.push('before the list');
    return { calls, options: { beforeFirstList, onCaughtUp: () => calls.push('caught up') } };
  }

  /** The watch ends, its position is too old, and the collection is listed once more. */
  async function listAgain({ asked, at, forgetBefore, endWatches }: Collection<Pod>): Promise<void> {
    const lists = (): number => asked.filter((each) => each === 'list').length;
    const before = lists();
    at('70');
    forgetBefore('65');
    endWatches();
    await eventually('a watch after another list', 10, async () => {
      const isWatched = lists() === before + 1 && asked.at(-1) === '70';
      return isWatched || undefined;
    });
  }
});

function inTeam(namespace: string, name: string, version: number): Job {
  const { metadata, ...rest } = job(name, version);
  return { ...rest, metadata: { ...metadata, namespace } };
}

describe('a watch that a proxy ends at once, without an event', () => {
  it('is opened again after growing pauses', async () => {
    const { collection, start } = jobs();
    const opened: number[] = [];
    const stream: KubernetesClient['stream'] = async () => {
      opened.push(performance.now());
      await setImmediate();
      return new PassThrough().end();
    };
    start({ from: '10', client: { ...collection.client, stream } });
    await eventually('three watches', 10, async () => opened.length >= 3 || undefined);
    const [first = 0, , third = 0] = opened;
    // Half of 200 ms, and half of 400 ms.
    expect(third - first).toBeGreaterThan(250);
  });
});

describe('a watch of a shard', () => {
  // In the second shard of two are namespaces c and d, not a and b.
  const keeps = (namespace: string): boolean => hasNamespace({ index: 2, of: 2 }, namespace);
  const shard = (): Following<Job> => {
    const following = followJobs('2:2');
    running = following;
    return following;
  };

  it('records its own objects in a list and in events, and omits the objects of other shards', async () => {
    const { collection, live, events, start, appended } = shard();
    collection.hold(inTeam('a', 'theirs', 10), inTeam('c', 'ours', 11));
    collection.at('20');
    start({ keeps });
    await appended(1);
    collection.append('ADDED', inTeam('b', 'theirs-too', 30));
    await eventually(
      'its position passes it',
      10,
      async () => live.positions['jobs.2:2']?.resourceVersion === '30' || undefined,
    );
    collection.append('ADDED', inTeam('d', 'ours-too', 40));
    collection.append('DELETED', inTeam('a', 'theirs', 50));
    collection.append('DELETED', inTeam('c', 'ours', 60));
    await appended(3);
    expect(eventIds(events)).toEqual([
      'job/uid-of-ours/11',
      'job/uid-of-ours-too/40',
      'job/uid-of-ours/60/deleted',
    ]);
    expect([...live.jobs.keys()]).toEqual(['uid-of-ours-too']);
  });

  it('omits the objects of other shards whatever the order of their fields, which a proxy may change', async () => {
    const { collection, events, start, appended } = shard();
    const theirs = inTeam('a', 'theirs', 30);
    const { name, ...others } = theirs.metadata;
    start({ from: '10', keeps });
    collection.append('ADDED', { ...theirs, metadata: { ...others, labels: { namespace: 'c' }, name } });
    collection.append('ADDED', inTeam('c', 'ours', 40));
    await appended(1);
    expect(eventIds(events)).toEqual(['job/uid-of-ours/40']);
  });

  it('does not count as caught up at an omitted event, but at the bookmark after the last replayed event', async () => {
    const { collection, live, start } = shard();
    let isCaughtUp = false;
    start({ from: '10', keeps, onCaughtUp: () => (isCaughtUp = true) });
    collection.append('ADDED', inTeam('a', 'theirs', 30));
    const reached = (version: string): Promise<true> =>
      eventually(
        version,
        10,
        async () => live.positions['jobs.2:2']?.resourceVersion === version || undefined,
      );
    await reached('30');
    expect(isCaughtUp).toBe(false);
    collection.bookmark('31');
    await reached('31');
    expect(isCaughtUp).toBe(true);
  });

  it('records a gap with the name of the shard after a 410', async () => {
    const { collection, events, start, appended } = shard();
    collection.hold(inTeam('c', 'ours', 40), inTeam('a', 'theirs', 41));
    collection.at('50');
    collection.forgetBefore('30');
    start({ from: '12', keeps });
    await appended(2);
    expect(eventIds(events)).toEqual(['gap/jobs.2:2/12/50', 'job/uid-of-ours/40']);
    expect(events[0]?.data).toMatchObject({ resource: 'jobs', reason: 'shard 2 of 2: too old' });
    expect(events[0]?.data).not.toHaveProperty('namespace');
  });
});

describe('a watch of one namespace', () => {
  it('records a gap of its own and a new list after a 410, and no deletion in another namespace', async () => {
    const following = followJobs('team-a');
    running = following;
    const { collection, live, events, start, appended } = following;
    for (const each of [inTeam('team-a', 'gone', 10), inTeam('team-b', 'there', 11)])
      live.jobs.set(each.metadata.uid, {
        namespace: each.metadata.namespace,
        name: each.metadata.name,
        resourceVersion: each.metadata.resourceVersion,
        selector: {},
      });
    const time = '2026-03-01T12:00:00.000Z';
    live.positions['jobs.team-a'] = { resourceVersion: '12', time };
    collection.hold(inTeam('team-a', 'new', 40));
    collection.at('50');
    collection.forgetBefore('30');
    start({ from: '12' });
    await appended(3);
    expect(events.map(({ id, type }) => `${type} ${id}`)).toEqual([
      'cluster.gap east/gap/jobs.team-a/12/50',
      'job.observed east/job/uid-of-new/40',
      'job.deleted east/job/uid-of-gone/gone',
    ]);
    expect(events[0]?.data).toMatchObject({
      resource: 'jobs',
      namespace: 'team-a',
      since: time,
      reason: 'namespace team-a: too old',
    });
    expect([...live.jobs.keys()]).toEqual(['uid-of-there', 'uid-of-new']);
    expect(live.positions).toMatchObject({ 'jobs.team-a': { resourceVersion: '50' } });
    expect(live.positions.jobs).toBeUndefined();
    await following.drained();
    const positions = (): string[] => following.writes.flat().filter((write) => write.includes('position'));
    await eventually('the position is written', 10, async () => (positions().length > 0 ? true : undefined));
    expect(positions().every((write) => write.startsWith('east/position/jobs.team-a '))).toBe(true);
  });
});

describe('a watch while the API server does not answer', () => {
  it('is tried repeatedly, but logged only at the first attempt and at each tenth', async () => {
    const { collection, start, warnings } = jobs();
    let asked = 0;
    const client: KubernetesClient = {
      ...collection.client,
      request: () => {
        asked += 1;
        return Promise.reject(new Error('connect ECONNREFUSED'));
      },
    };
    start({ client });
    await eventually('four attempts', 10, async () => (asked >= 4 ? true : undefined));
    expect(warnings).toEqual(['the watch ended; restarting it']);
  }, 15_000);
});
