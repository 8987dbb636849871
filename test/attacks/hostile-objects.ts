import type { CronJob, Job, Pod } from '../../workflows/kubernetes/objects.ts';
import {
  AFTER,
  BUILT_IN_MANAGER,
  COMPLETION_INDEX,
  CONTROLLER_UID_LABEL,
  JOB_NAME_LABEL,
  OWN_FINALIZER,
  OWN_MANAGER,
  PLACEMENT_MANAGER,
  RESERVED_FINALIZER,
  SCHEDULED_TIMESTAMP,
} from '../../workflows/kubernetes/names.ts';

/** An object of another tenant whose name and UID the attacker knows. */
export interface Target {
  kind: 'Job' | 'CronJob';
  namespace: string;
  name: string;
  uid: string;
}

/** The requests of an attack: each call is one request in the attacker's namespace, made in its turn. */
export interface Hands {
  namespace: string;
  create<T>(resource: Resource, object: object): Promise<T | undefined>;
  patch(resource: Resource, name: string, patch: object, more?: PatchOptions): Promise<void>;
  remove(resource: Resource, name: string, propagationPolicy?: string): Promise<void>;
  list<T>(resource: Resource): Promise<T[]>;
  /** In [0, 1). */
  random: () => number;
  /** A name that no object has. */
  newName: () => string;
  targets: () => readonly Target[];
}

interface PatchOptions {
  subresource?: 'status';
  fieldManager?: string;
}

export type Resource = 'jobs' | 'cronjobs' | 'pods';

type Attack = (hands: Hands) => Promise<unknown>;

const MAX_INT32 = 2_147_483_647;
/** Texts that break out of what they are written into: a line, a header, a terminal, markup, a statement, a label. */
const TEXTS = [
  'a\r\nx-injected: yes\r\n\r\n',
  '\u001b[2J\u001b]0;owned\u0007',
  '<img src=x onerror=alert(1)>',
  "'; drop schema jobledger cascade; --",
  '"} 1\njobledger_pods_total{cluster="',
  '\u202e\ud83d\ude00\ufeff\u0000'.replace('\u0000', ''),
  '__proto__',
  '{"$ref":"#"}',
  '../../../../etc/passwd',
  'x'.repeat(60_000),
];
const KEYS = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'length'];
/** Texts where a whole number is expected. */
const NUMBERS = [
  '9999999999',
  '2147483648',
  '-1',
  '1e9',
  '0x10',
  '9'.repeat(400),
  '',
  ' 1',
  '1.5',
  'NaN',
  'Infinity',
];
const INSTANTS = [
  '9999-12-31T23:59:59Z',
  '0001-01-02T00:00:00Z',
  '1970-01-01T00:00:00Z',
  '2262-04-11T23:47:16Z',
];

/** Each writes what no honest tenant writes. The API server may refuse any of it. */
export const ATTACKS: Readonly<Record<string, Attack>> = {
  'placed-for names a stream': ({ create, targets, namespace, random, newName }) => {
    const { name, uid, namespace: theirs } = choose(targets(), random);
    const homes = [
      `local/${namespace}/x/${uid}`,
      `local/${theirs}/${name}/${uid}`,
      `nowhere/${theirs}/${name}/${uid}`,
      `${'c'.repeat(100_000)}${newName()}/${namespace}/x/${uid}`,
      `${newName()}"\n\u001b[31m/${namespace}/x/y`,
      '////',
      `local/${namespace}/x/${'u'.repeat(5000)}`,
    ];
    return create(
      'jobs',
      aJob(newName(), random, {
        annotations: {
          'jobledger.dev/placed-for': choose(homes, random),
          'jobledger.dev/grant': choose([...NUMBERS, '1', '1:0-5'], random),
          'jobledger.dev/indexes': choose(['1:0-2147483647', '0-9', ...NUMBERS, '1:'.repeat(20_000)], random),
          'jobledger.dev/guarded': uid,
          'jobledger.dev/continued-failures': choose(
            [
              '{"failed":2147483647}',
              '['.repeat(30_000),
              'null',
              '{"failed":-5,"indexes":{"__proto__":1}}',
              '7',
            ],
            random,
          ),
        },
      }),
    );
  },
  'a Job whose owner is of another kind': ({ create, targets, random, newName }) =>
    create(
      'jobs',
      aJob(newName(), random, {
        ownerReferences: [ownedBy(choose(['CronJob', 'Job', 'Pod', 'Workflow'], random), targets(), random)],
      }),
    ),
  'a pod whose owner is of another tenant': ({ create, targets, random, newName }) =>
    create(
      'pods',
      aPod(newName(), {
        finalizers: choose(
          [[OWN_FINALIZER], [RESERVED_FINALIZER], [OWN_FINALIZER, RESERVED_FINALIZER], []],
          random,
        ),
        ownerReferences: [ownedBy(choose(['Job', 'CronJob'], random), targets(), random)],
        annotations: { [COMPLETION_INDEX]: choose(NUMBERS, random) },
      }),
    ),
  'a pod with labels of another tenant': ({ create, targets, random, newName }) => {
    const { name, uid } = choose(targets(), random);
    return create(
      'pods',
      aPod(newName(), {
        finalizers: [OWN_FINALIZER],
        labels: {
          [CONTROLLER_UID_LABEL]: uid,
          'controller-uid': uid,
          [JOB_NAME_LABEL]: name,
          'job-name': name,
        },
      }),
    );
  },
  'largest sizes': ({ create, random, newName }) =>
    create(
      'jobs',
      aJob(
        newName(),
        random,
        {},
        choose<object>(
          [
            { parallelism: MAX_INT32 },
            { parallelism: MAX_INT32, completions: MAX_INT32 },
            { parallelism: 100_000, completions: 100_000, completionMode: 'Indexed' },
            { parallelism: 10, completions: MAX_INT32, completionMode: 'Indexed' },
            {
              parallelism: 100,
              completions: 100_000,
              completionMode: 'Indexed',
              backoffLimitPerIndex: MAX_INT32,
              maxFailedIndexes: 100_000,
            },
            {
              backoffLimit: MAX_INT32,
              activeDeadlineSeconds: 2 ** 52,
              ttlSecondsAfterFinished: MAX_INT32,
              suspend: true,
            },
            { parallelism: 0, completions: 0, activeDeadlineSeconds: 1, ttlSecondsAfterFinished: 0 },
            {
              completionMode: 'Indexed',
              completions: 100_000,
              parallelism: 1,
              successPolicy: {
                rules: [{ succeededIndexes: Array.from({ length: 9000 }, (_, at) => at * 3).join(',') }],
              },
            },
            {
              podFailurePolicy: {
                rules: Array.from({ length: 20 }, () => ({
                  action: 'Count',
                  onExitCodes: { operator: 'In', values: Array.from({ length: 255 }, (_, at) => at + 1) },
                })),
              },
            },
          ],
          random,
        ),
      ),
    ),
  'a pod that fails at once, for ever': ({ create, random, newName }) =>
    create('jobs', aJob(newName(), random, {}, { backoffLimit: MAX_INT32, parallelism: 3 }, ['false'])),
  'hostile texts and many keys': ({ create, random, newName }) => {
    const many = Array.from({ length: 300 }, () => [`example.com/${newName()}`, choose(NUMBERS, random)]);
    return create(
      'jobs',
      aJob(newName(), random, {
        annotations: Object.fromEntries([
          ...many,
          ...KEYS.map((key) => [key, choose(TEXTS, random)]),
          ['example.com/text', choose(TEXTS, random)],
          ['jobledger.dev/submission', choose(TEXTS, random)],
          ['jobledger.dev/submitted-by', choose(TEXTS, random)],
          ['jobledger.dev/retry-of', choose(TEXTS, random)],
          ['jobledger.dev/backoff-seconds', choose(NUMBERS, random)],
          ['jobledger.dev/failed-pods-limit', choose(NUMBERS, random)],
          ['jobledger.dev/start-and-finish-events', choose(TEXTS, random)],
          [SCHEDULED_TIMESTAMP, choose([...INSTANTS, ...TEXTS], random)],
        ]),
        labels: Object.fromEntries(many.slice(0, 100).map(([key]) => [key, newName()])),
      }),
    );
  },
  'a placed Job with hostile preferences': ({ create, random, newName }) =>
    create(
      'jobs',
      aJob(
        newName(),
        random,
        {
          annotations: {
            'jobledger.dev/clusters': choose(
              [
                'local',
                'local,'.repeat(20_000),
                'a in ( , , ,!',
                'side in (local),'.repeat(3000),
                ...TEXTS,
                '*',
              ],
              random,
            ),
            'jobledger.dev/spill-after': choose([...NUMBERS, '10'], random),
            'jobledger.dev/spread': choose(['true', '2147483647', ...NUMBERS], random),
            'jobledger.dev/if-cluster-is-lost': choose(
              ['Wait', 'MoveAfter=9999999999s', 'MoveWhenStopped', ...TEXTS],
              random,
            ),
          },
        },
        choose<object>(
          [
            { parallelism: MAX_INT32 },
            { parallelism: 50_000, completions: 50_000, completionMode: 'Indexed' },
            {},
          ],
          random,
        ),
        ['true'],
        PLACEMENT_MANAGER,
      ),
    ),
  'Jobs that wait for each other': async ({ create, patch, random, newName }) => {
    const [hub, waiting, third] = [newName(), newName(), newName()];
    const after = (...names: string[]): object => ({ annotations: { [AFTER]: names.join(',') } });
    await create('jobs', aJob(hub, random, after(third), { suspend: true }, ['true'], OWN_MANAGER));
    await create('jobs', aJob(waiting, random, after(hub, hub), { suspend: true }, ['true'], OWN_MANAGER));
    await create(
      'jobs',
      aJob(third, random, after(waiting, third), { suspend: true }, ['true'], OWN_MANAGER),
    );
    for (const letter of ['x', 'y'])
      await patch('jobs', hub, {
        metadata: after(...Array.from({ length: 2000 }, (_, at) => `${letter}${at}`)),
      });
    await patch('jobs', hub, { metadata: after(choose(TEXTS, random)) });
  },
  'one Job patched many times': async ({ create, patch, random, newName }) => {
    const name = newName();
    await create('jobs', aJob(name, random, {}, { suspend: true }));
    for (let at = 0; at < 6; at += 1) {
      const fieldManager = newName();
      await patch(
        'jobs',
        name,
        {
          metadata: { annotations: { [`example.com/${newName()}`]: 'x'.repeat(8000) } },
          spec: { suspend: at % 2 === 0, parallelism: MAX_INT32 - at },
        },
        { fieldManager },
      );
    }
  },
  'a status that nobody reached': async ({ create, patch, random, newName }) => {
    const name = newName();
    await create('jobs', aJob(name, random, {}, { suspend: random() < 0.5 }, ['sleep', '2']));
    const condition = (type: string) => ({
      type,
      status: 'True',
      reason: 'Owned',
      message: choose(TEXTS, random).slice(0, 30_000),
      lastTransitionTime: choose(INSTANTS, random),
    });
    const status = choose<object>(
      [
        { active: MAX_INT32, ready: MAX_INT32, startTime: choose(INSTANTS, random) },
        { succeeded: MAX_INT32, failed: MAX_INT32, startTime: choose(INSTANTS, random) },
        { completedIndexes: '0-2147483647', startTime: choose(INSTANTS, random) },
        { failedIndexes: '5,3,1,'.repeat(3000), startTime: choose(INSTANTS, random) },
        {
          uncountedTerminatedPods: { succeeded: Array.from({ length: 1000 }, newName), failed: ['a', 'a'] },
          startTime: choose(INSTANTS, random),
        },
        {
          conditions: [condition('Suspended'), condition('FailureTarget'), condition('jobledger.dev/Placed')],
        },
        {
          conditions: [condition('SuccessCriteriaMet'), condition('Complete')],
          startTime: INSTANTS[1],
          completionTime: INSTANTS[0],
          succeeded: 1,
        },
        { conditions: Array.from({ length: 200 }, () => condition(newName())) },
      ],
      random,
    );
    await patch('jobs', name, { status }, { subresource: 'status' });
  },
  'the statuses and marks of pods': async ({ list, patch, random }) => {
    const pods = await list<Pod>('pods');
    if (pods.length === 0) return;
    const { name } = choose(pods, random).metadata;
    const finishedAt = choose(INSTANTS, random);
    const terminated = {
      exitCode: choose([0, 1, 255, MAX_INT32, -MAX_INT32], random),
      reason: 'Owned',
      message: choose(TEXTS, random),
      startedAt: finishedAt,
      finishedAt,
    };
    const containerStatuses = [
      {
        name: 'main',
        image: 'none',
        imageID: 'none',
        ready: false,
        restartCount: MAX_INT32,
        state: { terminated },
      },
    ];
    await patch(
      'pods',
      name,
      {
        status: {
          phase: choose(['Succeeded', 'Failed', 'Unknown', 'Pending', 'Owned'], random),
          reason: choose(TEXTS, random),
          containerStatuses,
        },
      },
      { subresource: 'status' },
    );
    await patch('pods', name, {
      metadata: choose<object>(
        [
          { annotations: { [COMPLETION_INDEX]: choose(NUMBERS, random) } },
          { finalizers: [] },
          { finalizers: [OWN_FINALIZER, 'example.com/forever'] },
          { ownerReferences: [] },
          { labels: { [CONTROLLER_UID_LABEL]: null, 'batch.kubernetes.io/job-completion-index': '99' } },
        ],
        random,
      ),
    });
  },
  'a selector of everything, and an orphan for all': async ({ create, patch, random, newName }) => {
    const orphan = newName();
    const values = Array.from({ length: 500 }, () => newName());
    for (let at = 0; at < 3; at += 1)
      await create('jobs', {
        ...aJob(newName(), random, {}, {}, ['true'], OWN_MANAGER, { trap: 'all' }),
        spec: {
          ...aJob('', random, {}, {}, ['true'], OWN_MANAGER, { trap: 'all' }).spec,
          suspend: true,
          manualSelector: true,
          selector: {
            matchLabels: { trap: 'all' },
            matchExpressions: [{ key: 'x', operator: 'NotIn', values }],
          },
        },
      });
    await create('pods', aPod(orphan, { labels: { trap: 'all' } }));
    await patch('pods', orphan, { metadata: { annotations: { 'example.com/x': 'x'.repeat(50_000) } } });
  },
  'a CronJob with a hostile schedule': ({ create, random, newName }) =>
    create('cronjobs', aCronJob(newName(), random)),
  'the status of a CronJob': async ({ list, patch, random, targets }) => {
    const cronJobs = await list<CronJob>('cronjobs');
    if (cronJobs.length === 0) return;
    const { name } = choose(cronJobs, random).metadata;
    const active = targets()
      .slice(0, 20)
      .map(({ kind, ...target }) => ({ apiVersion: 'batch/v1', kind, ...target }));
    await patch(
      'cronjobs',
      name,
      { status: { lastScheduleTime: choose(INSTANTS, random), active } },
      { subresource: 'status' },
    );
  },
  'a name that is taken': async ({ create, list, random }) => {
    const cronJobs = await list<CronJob>('cronjobs');
    if (cronJobs.length === 0) return;
    const { name } = choose(cronJobs, random).metadata;
    const minute = Math.floor(Date.now() / 60_000) + 1;
    await create('jobs', aJob(`${name}-${minute}`.slice(0, 63), random));
  },
  'one name again and again': async ({ create, remove, random, newName }) => {
    const name = newName();
    for (const policy of ['Background', 'Orphan', 'Foreground']) {
      await create('jobs', aJob(name, random, {}, {}, ['sleep', '1']));
      await remove('jobs', name, policy);
    }
  },
  'an end that never comes': async ({ create, remove, random, newName }) => {
    const name = newName();
    const metadata = {
      finalizers: choose(
        [['example.com/forever'], ['jobledger.dev/placement'], ['foregroundDeletion']],
        random,
      ),
    };
    await create('jobs', aJob(name, random, metadata));
    await remove('jobs', name, 'Foreground');
  },
  'a template of half a megabyte': ({ create, random, newName }) => {
    const env = Array.from({ length: 500 }, (_, at) => ({ name: `V${at}`, value: 'x'.repeat(1000) }));
    const job = aJob(newName(), random);
    const [container] = job.spec.template?.spec.containers ?? [];
    if (container !== undefined) container.env = env;
    return create('jobs', job);
  },
};

export function choose<T>(values: readonly T[], random: () => number): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('there is nothing to choose from');
  return value;
}

/** As many are ours as are the built-in controller's. */
function aJob(
  name: string,
  random: () => number,
  metadata: object = {},
  spec: object = {},
  command = ['true'],
  managedBy = choose([OWN_MANAGER, BUILT_IN_MANAGER], random),
  labels: object = {},
): { metadata: object; spec: Job['spec'] } {
  const container = { name: 'main', image: 'none', command };
  return {
    metadata: { name, ...metadata },
    spec: {
      managedBy,
      ...spec,
      template: {
        metadata: { labels: { ...labels } },
        spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers: [container] },
      },
    },
  };
}

function aPod(name: string, metadata: object): object {
  const containers = [{ name: 'main', image: 'none', command: ['true'] }];
  return {
    metadata: { name, ...metadata },
    spec: { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, containers },
  };
}

function aCronJob(name: string, random: () => number): object {
  return {
    metadata: { name, annotations: { 'example.com/text': choose(TEXTS, random) } },
    spec: {
      schedule: choose(
        [
          '* * * * *',
          '0 0 31 2 *',
          '0 0 29 2 1',
          '@every 1s',
          '@yearly',
          'TZ=Pacific/Kiritimati * * * * *',
          `${Array.from({ length: 60 }, (_, at) => at).join(',')} * * * *`,
        ],
        random,
      ),
      timeZone: choose([null, 'Pacific/Apia', 'America/Scoresbysund', 'Etc/Unknown'], random),
      concurrencyPolicy: choose(['Allow', 'Forbid', 'Replace'], random),
      startingDeadlineSeconds: choose([null, 1, 0, MAX_INT32], random),
      successfulJobsHistoryLimit: choose([0, MAX_INT32, 3], random),
      jobTemplate: aJob('', random, { annotations: { [AFTER]: 'x' } }, { parallelism: MAX_INT32 }),
    },
  };
}

function ownedBy(kind: string, targets: readonly Target[], random: () => number): object {
  const { name, uid } = choose(targets, random);
  const apiVersion = kind === 'Pod' ? 'v1' : kind === 'Workflow' ? 'example.com/v1' : 'batch/v1';
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: random() < 0.5 };
}
