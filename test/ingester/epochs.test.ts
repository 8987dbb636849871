import { afterEach, describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { ApiRequest, KubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { epochIn, epochRecord, type Epoch } from '../../services/live-topic/epoch.ts';
import type { ReadFurthest } from '../../services/ingester/epochs/furthest.ts';
import { positionToContinue } from '../../services/shards/watch-names.ts';
import type { LiveRecord } from '../../services/live-topic/live-topic.ts';
import { positionRecord } from '../../services/live-topic/watches.ts';
import { readEarlierTerms } from '../../services/ingester/terms/earlier-terms.ts';
import { nextEpoch } from '../../services/ingester/epochs/begin-epoch.ts';
import { restoredEvent } from '../../services/ingester/terms/announce-term.ts';
import {
  findDifferences,
  findLatestVersions,
  objectsToCompare,
  type RecordedVersions,
} from '../../services/ingester/watch/differences.ts';
import { listWatch } from '../../services/ingester/watch/list-watch.ts';
import { emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateCronJob } from '../../services/ingester/translate/translate-cron-job.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type AnyTranslated,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import { createVersionCheck } from '../../services/ingester/epochs/version-check.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { CLUSTER, jobObject, podObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { REDACTION } from '../support/redaction.ts';
import { aCollection, type Collection } from './a-collection.ts';

const time = '2026-03-01T12:00:00.000Z';
const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const RESTORED: Epoch = { epoch: 2, from: '900', to: '400', since: time, until: '2026-03-01T12:05:00.000Z' };

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

interface Watched {
  collection: Collection<Job>;
  /** What began a new epoch. */
  begun: { from: string; to: string }[];
  /** The versions of lists that were recorded. */
  listed: string[];
  continued: () => boolean;
}

/** A watch, with the code that ships, of an API server that the test plays. `next`: the version of its second list. */
function aWatch(
  from: string | undefined,
  at: string,
  {
    next = at,
    furthest,
    requireSame = () => Promise.resolve(),
    recorded = [],
    held = [],
    auditMs = 300_000,
    later = held,
    isRefused = false,
  }: {
    next?: string;
    furthest?: ReadFurthest;
    requireSame?: () => Promise<void>;
    /** The Jobs in the ledger, and those that the API server has. */
    recorded?: readonly Job[];
    held?: readonly Job[];
    /** Those that its second answer shows. */
    later?: readonly Job[];
    auditMs?: number;
    /** Watches are answered 429; they and complete lists are noted. */
    isRefused?: boolean;
  } = {},
): Watched {
  const collection = aCollection<Job>(CLUSTER);
  collection.at(at);
  collection.hold(...held);
  const known: RecordedVersions = new Map(
    recorded.map(({ metadata: { uid, name, namespace, resourceVersion } }) => [
      uid,
      { name, namespace, resourceVersion },
    ]),
  );
  const [begun, listed]: [Watched['begun'], string[]] = [[], []];
  const stopped = new AbortController();
  const { signal } = stopped;
  const client: KubernetesClient = {
    ...collection.client,
    ...(isRefused && {
      stream: () => {
        collection.asked.push('refused');
        return Promise.reject(new UnavailableError('too many requests'));
      },
    }),
    request: async <R>(request: ApiRequest) => {
      if (isRefused && request.path.includes('limit=500')) collection.asked.push('whole');
      const answer = await collection.client.request<R>(request);
      if (next !== at) collection.at(next);
      if (request.path.includes('metadata.name')) collection.hold(...later);
      return answer;
    },
  };
  const check = createVersionCheck({
    client,
    furthest,
    requireSame,
    begin: async (restored) => {
      begun.push(restored);
      stopped.abort();
    },
    signal,
  });
  let deleted: Job['metadata'] | undefined;
  let isContinued = false;
  const running = listWatch<Job>(
    {
      client,
      log: silentLog(),
      path: '/played/jobs',
      from,
      auditMs,
      signal,
      checkVersion: (resourceVersion, older) => {
        const last =
          older === undefined ? objectsToCompare(deleted, findLatestVersions(known, undefined, 2)) : [older];
        const objects = last.map((each) => ({
          ...each,
          path: '/played/jobs',
        }));
        return check({ resource: 'jobs', path: '/played/jobs', resourceVersion, objects });
      },
      onContinued: () => (isContinued = true),
    },
    {
      compare: (pages) => findDifferences(pages, known, { namespace: undefined, mayConcern: () => true }),
      listed: async ({ resourceVersion }) => void listed.push(resourceVersion),
      audited: async ({ resourceVersion }) => void listed.push(resourceVersion),
      happened: async (event) => {
        if (event.type === 'DELETED') deleted = event.object.metadata;
      },
    },
  );
  stops.push(async () => {
    stopped.abort();
    await running;
  });
  return { collection, begun, listed, continued: () => isContinued };
}

describe('a restore of an API server from an older copy', () => {
  it('is confirmed by a second list when the ingester starts, and begins a new epoch before a watch is opened', async () => {
    const { collection, begun } = aWatch('900', '400');
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '900', to: '400' }]);
    expect(collection.asked).toEqual(['list', 'list']);
  });

  it('is detected by the version that another shard has reached', async () => {
    const { begun } = aWatch('400', '400', { furthest: () => Promise.resolve('900') });
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '900', to: '400' }]);
  });

  it('is detected when the stream of a watch ends while the ingester runs', async () => {
    const { collection, begun } = aWatch('900', '900');
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    collection.at('400');
    collection.endWatches();
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '900', to: '400' }]);
  });

  it('is detected when the API server also dropped the history (410)', async () => {
    const { collection, begun, listed } = aWatch('900', '900');
    collection.forgetBefore('1000');
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    collection.at('400');
    await eventually('a new epoch', 10, async () => begun[0] ?? (listed.length > 0 ? null : undefined));
    expect([begun, listed]).toEqual([[{ from: '900', to: '400' }], []]);
  });
});

describe('a restore that the versions of the API server do not show', () => {
  const recorded = [jobObject({ uid: 'a', version: '300' }), jobObject({ uid: 'b', version: '890' })];

  it('is detected by the object of the last record', async () => {
    const held = [jobObject({ uid: 'a', version: '300' }), jobObject({ uid: 'b', version: '850' })];
    const { begun } = aWatch('900', '1000900', { recorded, held });
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '890', to: '850' }]);
  });

  it('is detected by the object before the last when the last object has a version beyond the watch', async () => {
    const held = [jobObject({ uid: 'a', version: '250' }), jobObject({ uid: 'b', version: '1000' })];
    const { begun } = aWatch('900', '1000900', { recorded, held });
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '300', to: '250' }]);
  });

  it.each([
    ['is gone', []],
    ['has a version that the watch has passed', [jobObject({ uid: 'c', version: '898' })]],
    ['and the one before have versions beyond the watch', [jobObject({ uid: 'c', version: '999' })]],
  ])(
    'is detected by a list before the watch opens when the object of the last record %s',
    async (_, last) => {
      const held = [
        jobObject({ uid: 'a', version: '250' }),
        jobObject({ uid: 'b', version: '1000' }),
        ...last,
      ];
      const further = [...recorded, jobObject({ uid: 'c', version: '895' })];
      const { begun, collection } = aWatch('900', '1000900', { recorded: further, held });
      await eventually('a new epoch', 10, async () => begun[0]);
      expect(begun).toEqual([{ from: '300', to: '250' }]);
      expect(collection.asked).not.toContain('900');
    },
  );

  it('is detected by the last object that the watch showed as deleted, when no other object was lost', async () => {
    const { collection, begun } = aWatch('900', '900', { recorded, held: recorded });
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    collection.append('DELETED', jobObject({ uid: 'c', version: '950' }));
    collection.bookmark('960');
    collection.at('970');
    collection.endWatches();
    await eventually('it continues', 10, async () => (collection.asked.includes('960') ? true : undefined));
    expect(begun).toEqual([]);
    collection.hold(jobObject({ uid: 'c', version: '895' }));
    collection.endWatches();
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '950', to: '895' }]);
  });

  it('is not assumed, and the watch opens without a complete list, when the recorded objects still exist', async () => {
    const held = [jobObject({ uid: 'a', version: '300' }), jobObject({ uid: 'b', version: '1000' })];
    const { collection } = aWatch('900', '1000900', { recorded, held });
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    expect(collection.asked).toEqual(['list', 'list', 'list', '900']);
  });

  it('is detected by the list before the watch opens when all recent objects are deleted', async () => {
    const { begun, collection, listed } = aWatch('900', '950', { recorded, held: [] });
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    expect(listed).toEqual([]);
    collection.bookmark('950');
    await eventually('the list is compared', 10, async () => listed[0]);
    expect([listed, begun]).toEqual([['950'], []]);
  });

  it('is searched for with few lists while the API server refuses to watch', async () => {
    const { collection } = aWatch('900', '950', { recorded, held: [], isRefused: true });
    const attempts = (): number => collection.asked.filter((each) => each === 'refused').length;
    await eventually('five attempts', 10, async () => (attempts() >= 5 ? true : undefined));
    const whole = collection.asked.filter((each) => each === 'whole').length;
    expect(whole).toBeLessThan(4);
  });

  it('is detected by the next list when only another object has an older version', async () => {
    const held = [jobObject({ uid: 'a', version: '250' }), jobObject({ uid: 'b', version: '890' })];
    const { begun } = aWatch('900', '1000900', { recorded, held, auditMs: 0 });
    await eventually('a new epoch', 10, async () => begun[0]);
    expect(begun).toEqual([{ from: '300', to: '250' }]);
  });

  it('is not assumed when a second read of the object has the recorded version', async () => {
    const held = [jobObject({ uid: 'b', version: '850' })];
    const { begun, collection } = aWatch('900', '1000900', { recorded, held, later: recorded });
    await eventually('the watch', 10, async () =>
      collection.asked.includes('900') ? true : begun[0] && true,
    );
    expect(begun).toEqual([]);
  });

  it('leads to one epoch, and not to a second one after the first list was interrupted and left no position', async () => {
    const held = [jobObject({ uid: 'b', version: '850' })];
    const first = aWatch(undefined, '1000900', { recorded, held });
    await eventually('a new epoch', 10, async () => first.begun[0]);
    const { hasEarlierEpochs } = readEarlierTerms(SCOPE, [epochRecord(CLUSTER, RESTORED)], undefined);
    const forgotten = recorded.map(({ metadata: { uid } }) => jobObject({ uid, version: '0' }));
    const known = hasEarlierEpochs('jobs') ? forgotten : recorded;
    const { begun, listed } = aWatch(undefined, '1000900', { recorded: known, held });
    await eventually('a list', 10, async () => listed[0] ?? begun[0]);
    expect([begun, listed]).toEqual([[], ['1000900']]);
  });

  it('is not assumed when every object has the recorded version, a later version or another UID', async () => {
    const held = [jobObject({ uid: 'a', version: '1000' }), jobObject({ uid: 'c', version: '800' })];
    const { begun, collection } = aWatch('900', '1000900', { recorded, held, auditMs: 0 });
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    expect(begun).toEqual([]);
  });
});

describe('a watch whose address leads to another cluster', () => {
  it.each(['400', '900', '1000'])('is not opened, whatever the versions of that cluster: %s', async (at) => {
    let refusals = 0;
    const requireSame = (): Promise<void> => {
      refusals += 1;
      return Promise.reject(new UnavailableError('another cluster'));
    };
    const { collection, begun, listed, continued } = aWatch('900', at, { requireSame });
    await eventually('two attempts', 10, async () => (refusals >= 2 ? true : undefined));
    expect([collection.asked, begun, listed, continued()]).toEqual([[], [], [], false]);
  });
});

describe('a watch of an API server whose versions continue', () => {
  it('continues after one short list', async () => {
    const { collection, begun, continued } = aWatch('900', '900');
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    expect([collection.asked, begun, continued()]).toEqual([['list', '900'], [], true]);
  });

  it('continues after one list from a copy that is behind', async () => {
    const { collection, begun } = aWatch('900', '400', { next: '901' });
    await eventually('the watch', 10, async () => (collection.asked.includes('900') ? true : undefined));
    expect(begun).toEqual([]);
  });
});

describe('a new epoch of a cluster', () => {
  it('has the number after the last epoch', () => {
    expect(nextEpoch(null, { from: '900', to: '400', since: time })).toMatchObject({ epoch: 1, from: '900' });
    expect(nextEpoch(RESTORED, { from: '500', to: '450', since: time })).toMatchObject({ epoch: 3 });
  });

  it('is known after a restart, and recorded with the same id and content', () => {
    const known = epochIn(CLUSTER, [
      epochRecord('west', { ...RESTORED, epoch: 7 }),
      epochRecord(CLUSTER, RESTORED),
    ]);
    expect(known).toEqual(RESTORED);
    expect(restoredEvent(CLUSTER, RESTORED)).toEqual(restoredEvent(CLUSTER, RESTORED));
    expect(restoredEvent(CLUSTER, RESTORED)).toMatchObject({
      id: `${CLUSTER}/restored/2/900/400`,
      type: 'cluster.restored',
      data: { cluster: CLUSTER, epoch: 2, from: '900', to: '400' },
    });
  });

  const position = (of: string, resourceVersion: string, epoch?: number) =>
    positionRecord(CLUSTER, of, { resourceVersion, time, ...(epoch !== undefined && { epoch }) });

  it('requires a new list for a watch with a position from an earlier epoch, but not for a watch with a position from the new epoch', () => {
    const records = [epochRecord(CLUSTER, RESTORED), position('jobs', '410', 2), position('pods', '900', 1)];
    const { positions, isRestored } = readEarlierTerms(SCOPE, records, undefined);
    expect([isRestored('jobs'), isRestored('pods'), isRestored('cronjobs')]).toEqual([false, true, false]);
    expect(Object.keys(positions)).toEqual(['jobs']);
  });

  it('requires a new list for a watch without a position, unless nothing was restored or no ingester has this watch', () => {
    const of = (records: LiveRecord[], scope: TranslationScope): boolean[] => {
      const { isRestored } = readEarlierTerms(scope, records, 'a');
      return [isRestored('jobs'), isRestored('pods'), isRestored('cronjobs')];
    };
    const records = [
      epochRecord(CLUSTER, RESTORED),
      position('jobs.a', '410', 2),
      position('pods.b', '410', 2),
    ];
    expect(of(records, { ...SCOPE, cronJobs: true })).toEqual([false, true, true]);
    expect(of(records, SCOPE)).toEqual([false, true, false]);
    expect(of(records.slice(1), { ...SCOPE, cronJobs: true })).toEqual([false, false, false]);
  });

  it('may leave recorded versions of an earlier epoch when only one namespace was watched during the new epoch', () => {
    const records = [
      epochRecord(CLUSTER, RESTORED),
      position('jobs.a', '410', 2),
      position('pods', '410', 2),
    ];
    const { hasEarlierEpochs, isRestored, positions } = readEarlierTerms(SCOPE, records, undefined);
    expect([isRestored('jobs'), hasEarlierEpochs('jobs'), hasEarlierEpochs('pods')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(positions.jobs?.resourceVersion).toBe('410');
    expect(readEarlierTerms(SCOPE, records.slice(1), undefined).hasEarlierEpochs('jobs')).toBe(false);
  });

  it('gives its positions precedence over the position of an older watch of the whole cluster, though that position has a higher version', () => {
    const positions = {
      jobs: { resourceVersion: '900', epoch: 1 },
      'jobs.team-a': { resourceVersion: '410', epoch: 2 },
    };
    expect(positionToContinue(positions, 'jobs', 'team-a').position).toEqual(positions['jobs.team-a']);
  });

  it('is part of the ids and the data of its records, because versions return with other content', () => {
    const scope: TranslationScope = { ...SCOPE, epoch: 2 };
    const live = emptyLiveSet();
    const cronJob = { metadata: jobObject().metadata, spec: { schedule: '* * * * *' } } as never;
    const job = jobObject({ uid: 'j', version: '410' });
    const pod = podObject({ uid: 'p', name: 'x', controller: 'j', version: '411' });
    live.pods.set('p', { namespace: 'default', name: 'x', resourceVersion: '0', jobs: ['j'] });
    const recorded: AnyTranslated[] = [
      translateJob(scope, job, time),
      translateJobDeletion(scope, live, 'j', { resourceVersion: '412', time }),
      translateJobDeletion(scope, live, 'j', { job, resourceVersion: '412', time }),
      translatePod(scope, live, pod, time, '420'),
      translatePodDeletion(scope, live, 'p', { resourceVersion: '412', time }),
      translateCronJob(scope, cronJob, time),
    ];
    const events = recorded.flatMap((each) => each.events);
    expect(events.map(({ id }) => id.endsWith('/epoch/2'))).toEqual(events.map(() => true));
    expect(events.map(({ data }) => ('epoch' in data ? data.epoch : null))).toEqual(events.map(() => 2));
    expect(events[0]?.id).toBe(`${CLUSTER}/job/j/410/epoch/2`);
    expect(translateJob(SCOPE, job, time).events[0]?.id).toBe(`${CLUSTER}/job/j/410`);
  });
});
