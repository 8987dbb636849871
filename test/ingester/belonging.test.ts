import { describe, expect, it } from '@jest/globals';
import { controllingJob } from '../../services/ingester/translate/jobs-of-pod.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import { addMemberObserved } from '../../services/ingester/translate/translate-placed.ts';
import { addAwaitedJobs } from '../../services/ingester/translate/translate-awaited.ts';
import {
  translateCronJob,
  addChildDeleted,
  addChildObserved,
} from '../../services/ingester/translate/translate-cron-job.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type AnyTranslated,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import type { CronJob, Job, ObjectMeta, Pod } from '../../workflows/kubernetes/objects.ts';
import { REDACTION } from '../support/redaction.ts';

const scope: TranslationScope = {
  cluster: 'east',
  claim: 'all',
  redaction: REDACTION,
  cronJobs: true,
};
const time = '2026-01-01T00:00:00.000Z';
const OWN_FINALIZER = 'jobledger.dev/job-tracking';
const RESERVED_FINALIZER = 'batch.kubernetes.io/job-tracking';

const metadata = (namespace: string, name: string, uid: string, resourceVersion: string): ObjectMeta => ({
  name,
  namespace,
  uid,
  resourceVersion,
  creationTimestamp: '2026-01-01T00:00:00Z',
});

const ownedBy = (kind: string, name: string, uid: string): Pick<ObjectMeta, 'ownerReferences'> => ({
  ownerReferences: [{ apiVersion: 'batch/v1', kind, name, uid, controller: true }],
});

const labelled = (uid: string, name = 'pay'): Pick<ObjectMeta, 'labels'> => ({
  labels: { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': name },
});

/** The Job victim/pay, whose UID is victim-job. */
const VICTIM: Job = {
  metadata: metadata('victim', 'pay', 'victim-job', '10'),
  spec: { selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'victim-job' } } },
};

/** The CronJob victim/nightly, whose UID is victim-cron. */
const CRON: CronJob = {
  metadata: metadata('victim', 'nightly', 'victim-cron', '11'),
  spec: { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { containers: [] } } } } },
};

function aPod(more: Partial<ObjectMeta> = {}, namespace = 'attacker'): Pod {
  return {
    metadata: { ...metadata(namespace, 'evil', 'evil-pod', '20'), ...more },
    spec: { containers: [{ name: 'a' }] },
    status: { phase: 'Failed' },
  };
}

function aJob(more: Partial<ObjectMeta> = {}, namespace = 'attacker'): Job {
  return {
    metadata: { ...metadata(namespace, 'evil', 'evil-job', '20'), ...more },
    spec: { suspend: true },
  };
}

function liveWith(...translated: AnyTranslated[]): LiveSet {
  const live = emptyLiveSet();
  for (const { changes } of translated) for (const change of changes) applyChange(live, change);
  return live;
}

const victim = (): LiveSet =>
  liveWith(translateJob(scope, VICTIM, time), translateCronJob(scope, CRON, time));

/** The streams and subjects of what is recorded. */
function eventStreams({ events }: AnyTranslated): string[] {
  return events.map(({ data, subject }) =>
    'jobUid' in data
      ? `${data.jobUid}: ${subject}`
      : 'cronJobUid' in data
        ? `${data.cronJobUid}: ${subject}`
        : '',
  );
}

const ownFinalizer = { finalizers: [OWN_FINALIZER] };
const OWN_STREAM = ['evil-pod: attacker/evil'];

describe('the stream of a Job that a pod of another namespace names', () => {
  it.each([
    ['by the UID and the name of its owner', ownedBy('Job', 'pay', 'victim-job'), []],
    ['by the UID of its owner under another name', ownedBy('Job', 'x', 'victim-job'), []],
    ['by its labels', labelled('victim-job'), []],
    ['by owner and labels', { ...ownedBy('Job', 'pay', 'victim-job'), ...labelled('victim-job') }, []],
    ['by labels and our finalizer', { ...labelled('victim-job'), ...ownFinalizer }, OWN_STREAM],
    [
      'by labels and the reserved finalizer',
      { ...labelled('victim-job'), finalizers: [RESERVED_FINALIZER] },
      OWN_STREAM,
    ],
    [
      'by owner and our finalizer, and is freed in a stream of its own',
      { ...ownedBy('Job', 'pay', 'victim-job'), ...ownFinalizer },
      OWN_STREAM,
    ],
    [
      'by owner, labels and our finalizer',
      { ...ownedBy('Job', 'pay', 'victim-job'), ...labelled('victim-job'), ...ownFinalizer },
      OWN_STREAM,
    ],
    ['by an annotation', { annotations: { 'jobledger.dev/after': 'victim/pay' } }, []],
  ])('does not contain that pod when the pod names the Job %s', (_what, more, streams) => {
    expect(eventStreams(translatePod(scope, victim(), aPod(more), time))).toEqual(streams);
  });

  it('does not contain a pod of the same namespace that gives the Job another name (upstream’s resolveControllerRef)', () => {
    const pod = aPod(ownedBy('Job', 'renamed', 'victim-job'), 'victim');
    expect(eventStreams(translatePod(scope, victim(), pod, time))).toEqual([]);
    expect(controllingJob(victim(), pod)).toBeUndefined();
  });

  it('contains the pods of the Job', () => {
    const pod = aPod(ownedBy('Job', 'pay', 'victim-job'), 'victim');
    expect(eventStreams(translatePod(scope, victim(), pod, time))).toEqual(['victim-job: victim/pay']);
  });

  it('does not contain a pod that names the Job as a second owner: that pod belongs to the Job in its controller reference', () => {
    const { ownerReferences: [foreign] = [] } = ownedBy('Job', 'pay', 'victim-job');
    const own = { apiVersion: 'batch/v1', kind: 'Job', name: 'mine', uid: 'own-job', controller: true };
    const ownerReferences = [...(foreign === undefined ? [] : [{ ...foreign, controller: false }]), own];
    const pod = aPod({ ownerReferences });
    expect(eventStreams(translatePod(scope, victim(), pod, time))).toEqual(['own-job: attacker/mine']);
  });
});

describe('a pod of another namespace that is already in the stream of a Job', () => {
  const pod = aPod(ownedBy('Job', 'x', 'victim-job'));
  /** The pod came before its Job was known; the core compares again. */
  const recorded = (): LiveSet => {
    const live = liveWith(translatePod(scope, emptyLiveSet(), pod, time));
    for (const change of translateJob(scope, VICTIM, time).changes) applyChange(live, change);
    return live;
  };

  it('is recorded until its deletion', () => {
    const live = recorded();
    const next = { ...pod, metadata: { ...pod.metadata, resourceVersion: '21' } };
    expect(translatePod(scope, live, next, time).events.map(({ id }) => id)).toEqual([
      'east/pod/evil-pod/21',
    ]);
    const at = { pod: next, resourceVersion: '22', time };
    expect(translatePodDeletion(scope, live, 'evil-pod', at).events.map(({ id }) => id)).toEqual([
      'east/pod/evil-pod/21/deleted',
    ]);
  });

  it('is never recorded with the name of that Job', () => {
    const live = recorded();
    const nameless = aPod();
    const at = { resourceVersion: '22', time };
    expect(eventStreams(translatePod(scope, live, nameless, time))).toEqual(['victim-job: attacker/']);
    expect(eventStreams(translatePod(scope, live, pod, time))).toEqual(['victim-job: attacker/x']);
    expect(eventStreams(translatePodDeletion(scope, live, 'evil-pod', { ...at, pod: nameless }))).toEqual([
      'victim-job: attacker/',
    ]);
    expect(eventStreams(translatePodDeletion(scope, live, 'evil-pod', at))).toEqual([
      'victim-job: attacker/',
    ]);
  });
});

describe('the stream of a CronJob that a Job of another namespace names', () => {
  const observed = (live: LiveSet, job: Job): AnyTranslated =>
    addChildObserved(scope, live, job, translateJob(scope, job, time), { time, listedAt: undefined });

  it.each([
    ['by the UID and the name of its owner', ownedBy('CronJob', 'nightly', 'victim-cron')],
    ['by the UID of its owner under another name', ownedBy('CronJob', 'x', 'victim-cron')],
    ['by labels', labelled('victim-cron', 'nightly')],
  ])('does not contain that Job when the Job names the CronJob %s', (_what, more) => {
    expect(eventStreams(observed(victim(), aJob(more)))).toEqual(['evil-job: attacker/evil']);
  });

  it('does not contain a Job of the same namespace that gives the CronJob another name', () => {
    const job = aJob(ownedBy('CronJob', 'renamed', 'victim-cron'), 'victim');
    expect(eventStreams(observed(victim(), job))).toEqual(['evil-job: victim/evil']);
  });

  it('contains the Jobs of the CronJob', () => {
    const job = aJob(ownedBy('CronJob', 'nightly', 'victim-cron'), 'victim');
    expect(eventStreams(observed(victim(), job))).toEqual([
      'evil-job: victim/evil',
      'victim-cron: victim/nightly',
    ]);
  });

  it('retains a Job that was already recorded, until its deletion, without the name of the CronJob', () => {
    const job = aJob(ownedBy('CronJob', 'x', 'victim-cron'));
    const live = liveWith(observed(emptyLiveSet(), job));
    for (const change of translateCronJob(scope, CRON, time).changes) applyChange(live, change);
    const orphan = aJob();
    const at = { resourceVersion: '30', time };
    const gone = addChildDeleted(
      scope,
      live,
      'evil-job',
      translateJobDeletion(scope, live, 'evil-job', at),
      at,
    );
    expect(eventStreams(observed(live, job))).toContain('victim-cron: attacker/x');
    expect(eventStreams(observed(live, orphan))).toContain('victim-cron: attacker/');
    expect(eventStreams(gone)).toContain('victim-cron: attacker/');
  });
});

describe('a Job in a chain', () => {
  it.each(['pay', 'victim/pay'])('never waits for a Job of another namespace by the name "%s"', (name) => {
    const job = aJob({ annotations: { 'jobledger.dev/after': name } });
    const translated = addAwaitedJobs(scope, victim(), translateJob(scope, job, time), {
      time,
      resourceVersion: '20',
    });
    expect(JSON.stringify(translated.events)).not.toContain('victim-job');
  });

  it('receives, while it waits in one namespace, no event about a Job of the same name in another namespace', () => {
    const waiting = aJob({ annotations: { 'jobledger.dev/after': 'pay' } });
    const live = liveWith(translateJob(scope, waiting, time));
    const translated = addAwaitedJobs(scope, live, translateJob(scope, VICTIM, time), {
      time,
      resourceVersion: '10',
    });
    expect(eventStreams(translated)).toEqual(['victim-job: victim/pay']);
  });
});

describe('the Jobs whose selectors may match a pod without controller', () => {
  const OTHERS = 100;

  /** Others in their own namespaces, and `victim/pay`. Counts from now on how often a Job of the others is looked at. */
  function amongOthers(): { live: LiveSet; looks: () => number } {
    let looks = 0;
    const live = liveWith(translateJob(scope, VICTIM, time));
    for (let each = 0; each < OTHERS; each += 1) {
      const uid = `other-${each}`;
      const selector = { matchLabels: { 'batch.kubernetes.io/controller-uid': uid } };
      const job = aJob({ uid, name: uid }, each % 2 === 0 ? `team-${each}` : 'victim');
      for (const change of translateJob(scope, { ...job, spec: { selector } }, time).changes)
        applyChange(live, change);
      const entry = live.jobs.get(uid);
      if (entry === undefined) throw new Error('not live');
      const { namespace } = entry;
      Object.defineProperty(entry, 'namespace', { get: () => ((looks += 1), namespace) });
    }
    return { live, looks: () => looks };
  }

  const matched = (live: LiveSet, pod: Pod): string[] =>
    translatePod(scope, live, pod, time).events.map(({ data }) => ('jobUid' in data ? data.jobUid : ''));

  it('are found without a search of all namespaces, or of Jobs whose selector names another UID', () => {
    const { live, looks } = amongOthers();
    expect(matched(live, aPod({ labels: { dag: 'x' } }, 'victim'))).toEqual([]);
    expect(matched(live, aPod({ ...labelled('victim-job') }, 'victim'))).toEqual(['victim-job']);
    expect(looks()).toBe(0);
  });

  it('include each Job of the namespace with its own selector, until the Job is deleted', () => {
    const { live } = amongOthers();
    const [pod, elsewhere] = [aPod({ labels: { dag: 'x' } }, 'victim'), aPod({ labels: { dag: 'x' } })];
    for (const uid of ['manual-1', 'manual-2']) {
      const job = {
        ...aJob({ uid, name: uid }, 'victim'),
        spec: { selector: { matchLabels: { dag: 'x' } } },
      };
      for (const change of translateJob(scope, job, time).changes) applyChange(live, change);
    }
    expect(matched(live, pod)).toEqual(['manual-1', 'manual-2']);
    expect(matched(live, elsewhere)).toEqual([]);
    applyChange(live, { resource: 'jobs', uid: 'manual-1', entry: null });
    expect(matched(live, pod)).toEqual(['manual-2']);
  });

  it('are at most fifty, and unfinished Jobs have priority', () => {
    const { live } = amongOthers();
    const ended = [{ type: 'Complete', status: 'True', lastTransitionTime: time }];
    for (let at = 0; at < 200; at += 1) {
      const job = {
        ...aJob({ uid: `manual-${at}`, name: `manual-${at}` }, 'victim'),
        spec: { selector: { matchLabels: { dag: 'x' } } },
        ...(at < 199 && { status: { conditions: ended } }),
      };
      for (const change of translateJob(scope, job, time).changes) applyChange(live, change);
    }
    const found = matched(live, aPod({ labels: { dag: 'x' } }, 'victim'));
    expect(found).toHaveLength(50);
    expect(found[0]).toBe('manual-199');
  });
});

describe('an object whose owner has another kind than the owner reference names', () => {
  it('is not recorded in the stream of that owner', () => {
    const live = emptyLiveSet();
    const cronJob: CronJob = {
      metadata: metadata('evil', 'tick', 'a-cron-job', '1'),
      spec: { schedule: '* * * * *', jobTemplate: { spec: {} } },
    };
    put(live, translateCronJob(scope, cronJob, time));
    const placed = { ...metadata('evil', 'pay', 'a-placed-job', '2') };
    put(
      live,
      translateJob(
        scope,
        { ...VICTIM, metadata: placed, spec: { ...VICTIM.spec, managedBy: 'jobledger.dev/placement' } },
        time,
      ),
    );
    put(live, translateJob(scope, VICTIM, time));
    const createPod = (name: string, uid: string): Pod => ({
      metadata: { ...metadata('evil', 'p', 'pod', '3'), ...ownedBy('Job', name, uid) },
      spec: { containers: [] },
    });
    expect(translatePod(scope, live, createPod('tick', 'a-cron-job'), time).events).toEqual([]);
    expect(translatePod(scope, live, createPod('pay', 'a-placed-job'), time).events).toEqual([]);
    expect(translatePod(scope, live, createPod('pay', 'u'.repeat(65)), time).events).toEqual([]);
    const job = {
      ...VICTIM,
      metadata: { ...metadata('victim', 'evil', 'a-job', '4'), ...ownedBy('CronJob', 'pay', 'victim-job') },
    };
    const { events } = addChildObserved(scope, live, job, translateJob(scope, job, time), {
      time,
      listedAt: undefined,
    });
    expect(events.map(({ id }) => id)).toEqual(['east/job/a-job/4']);
  });
});

describe('an object whose owner another client changes repeatedly', () => {
  it('is recorded only in the streams of its present owner and of its last five owners', () => {
    const live = emptyLiveSet();
    const createPod = (version: number): Pod => ({
      metadata: {
        ...metadata('evil', 'p', 'pod', String(version)),
        ...ownedBy('Job', 'x', `job-${version}`),
      },
      spec: { containers: [] },
    });
    const createJob = (version: number): Job => ({
      ...VICTIM,
      metadata: {
        ...metadata('evil', 'j', 'job', String(version)),
        ...ownedBy('CronJob', 'x', `cron-${version}`),
      },
    });
    const counts = Array.from({ length: 20 }, (_none, version) => {
      const pod = translatePod(scope, live, createPod(version), time);
      put(live, pod);
      const own = translateJob(scope, createJob(version), time);
      const child = addChildObserved(scope, live, createJob(version), own, { time, listedAt: undefined });
      put(live, child);
      return [pod.events.length, child.events.length];
    });
    expect(counts.at(1)).toEqual([2, 3]);
    expect(counts.at(-1)).toEqual([6, 7]);
  });
});

function put(live: LiveSet, { changes }: AnyTranslated): void {
  for (const change of changes) applyChange(live, change);
}

describe('the entry of a Job in the live set', () => {
  const remembered = (job: Job): string => {
    const live = liveWith(
      addMemberObserved(scope, emptyLiveSet(), job, translateJob(scope, job, time), time),
    );
    return JSON.stringify([...live.jobs]);
  };

  it('is short, however long the selector of the Job is', () => {
    const values = Array.from({ length: 20_000 }, (_, at) => `value-${at}`);
    const job = aJob();
    const selector = {
      matchLabels: { trap: 'all' },
      matchExpressions: [{ key: 'x', operator: 'NotIn', values }],
    };
    const written: Job = { ...job, spec: { ...job.spec, selector } };
    expect(remembered(written).length).toBeLessThan(8192);
  });

  it('is short, however long the name of the home is', () => {
    const annotations = { 'jobledger.dev/placed-for': `west/attacker/${'x'.repeat(50_000)}/some-uid` };
    expect(remembered(aJob({ annotations })).length).toBeLessThan(8192);
  });
});

describe('the size of the records that one object causes', () => {
  const eventsSize = ({ events }: AnyTranslated): number => JSON.stringify(events).length;
  const long = 'x'.repeat(300_000);

  it('is bounded for a pod in the streams of many Jobs, also at its deletion', () => {
    const { maxBytes } = REDACTION;
    const matching = Array.from({ length: 40 }, (_, at) => {
      const job = aJob({ name: `job-${at}`, uid: `job-${at}` });
      return translateJob(
        scope,
        { ...job, spec: { ...job.spec, selector: { matchLabels: { trap: 'all' } } } },
        time,
      );
    });
    const live = liveWith(...matching);
    const pod: Pod = { ...aPod({ labels: { trap: 'all' } }), status: { phase: 'Failed', message: long } };
    const seen = translatePod(scope, live, pod, time);
    expect(seen.events).toHaveLength(40);
    expect(eventsSize(seen)).toBeLessThan(maxBytes + 100_000);
    for (const change of seen.changes) applyChange(live, change);
    const gone = translatePodDeletion(scope, live, pod.metadata.uid, { pod, resourceVersion: '30', time });
    expect(gone.events).toHaveLength(40);
    expect(eventsSize(gone)).toBeLessThan(maxBytes + 100_000);
  });

  it('is bounded for a Job that ended for a long reason, and for which many Jobs wait', () => {
    const waiting = Array.from({ length: 40 }, (_, at) => {
      const annotations = { 'jobledger.dev/after': 'evil' };
      return translateJob(scope, aJob({ name: `job-${at}`, uid: `job-${at}`, annotations }), time);
    });
    const live = liveWith(...waiting);
    const job: Job = {
      ...aJob(),
      status: { conditions: [{ type: 'Failed', status: 'True', reason: long, lastTransitionTime: time }] },
    };
    const seen = addAwaitedJobs(scope, live, translateJob(scope, job, time), { time, resourceVersion: '20' });
    expect(seen.events).toHaveLength(41);
    expect(eventsSize(seen)).toBeLessThan(2 * long.length);
  });
});
