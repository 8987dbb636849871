import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import { describe, expect } from '@jest/globals';
import { podGroupName, workloadName } from '../../workflows/job/definitions/gang-names.ts';
import type { Gang } from '../../workflows/job/gang.ts';
import type { Job, JobSpec, Pod, PodGroup, Workload } from '../../workflows/kubernetes/objects.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { CommandContext } from '../../services/worker/activities/job/command-context.ts';
import { ensureGang } from '../../services/worker/activities/job/ensure-gang.ts';
import { controllerReference } from '../../services/worker/activities/job/new-pod.ts';
import type { AuditEvent } from '../support/audit-event.ts';
import type { TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { gangObjects, type GangObjects } from '../support/gang-objects.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import { sideBySide } from '../support/side-by-side.ts';

// Beside the built-in Job controller with its gates on, which does the same for Jobs without `managedBy`.
const { cluster, installation } = onPlayedCluster(
  { JOBLEDGER_GANG_SCHEDULING: 'true' },
  {
    separate: true,
    clusters: [
      { name: 'local', gangScheduling: true },
      // This one does not serve the API.
      { name: 'plain', node: false, controllers: false },
    ],
  },
);
const story = sideBySide();

const GANG = { completionMode: 'Indexed', completions: 3, parallelism: 3 };
const FOREVER = { command: ['sleep', '600'] };

function objects(): GangObjects {
  return gangObjects(cluster());
}

interface GangOfJob {
  workload: Workload;
  group: PodGroup;
}

/** The only Workload of a Job, with its only PodGroup, once they exist. */
function waitForGang(job: string): Promise<GangOfJob> {
  return eventually(`${job} has its gang`, 30, async () => {
    const [workload, second] = await objects().listWorkloads(job);
    if (workload === undefined) return undefined;
    const [group, another] = await objects().listPodGroups(workload);
    expect([second, another]).toEqual([undefined, undefined]);
    return group === undefined ? undefined : { workload, group };
  });
}

/** This many live pods of a Job. */
function waitForPods(job: string, count: number, where: TestCluster = cluster()): Promise<Pod[]> {
  return eventually(`${job} has ${count} pods`, 40, async () => {
    const pods = (await where.listPods(job)).filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== 'Failed',
    );
    return pods.length === count ? pods : undefined;
  });
}

/** A user deletes a pod, and another one takes its place. */
async function replaced(job: string, pod: Pod | undefined): Promise<void> {
  const { name = '' } = pod?.metadata ?? {};
  await cluster().deletePod(name, 0);
  await eventually(`${name} is replaced`, 60, async () =>
    (await waitForPods(job, 3)).every(({ metadata }) => metadata.name !== name) ? true : undefined,
  );
}

function isGangObject(objectRef: AuditEvent['objectRef']): boolean {
  return objectRef?.apiGroup === 'scheduling.k8s.io';
}

function podGroupNames(pods: readonly Pod[]): (string | undefined)[] {
  return [...new Set(pods.map(({ spec }) => spec.schedulingGroup?.podGroupName))];
}

/** What was recorded about the gang of a Job: the outcome of the look-up. */
function recordedGang(job: string): Promise<Gang> {
  return eventually(`the gang of ${job} is recorded`, 30, async () => {
    const [row] = await installation().sql<{ gang: Gang }>(
      `select data -> 'outcome' -> 'gang' as gang from jobledger.events
       where job_name = $1 and data -> 'outcome' ->> 'kind' = 'EnsureGang' and data -> 'outcome' ->> 'result' = 'done'`,
      [job],
    );
    return row?.gang;
  });
}

/** How often the gang of a Job was looked up. */
async function lookUps(job: string): Promise<number> {
  const [row] = await installation().sql<{ count: string }>(
    `select count(*) from jobledger.events
     where job_name = $1 and type = 'outcome.recorded' and data -> 'outcome' ->> 'kind' = 'EnsureGang'`,
    [job],
  );
  return Number(row?.count);
}

/** An object without what differs between two of them: names and UIDs of its own and of its owners. */
function objectShape({ metadata, spec }: Workload | PodGroup, names: Record<string, string>): unknown {
  const { ownerReferences = [], finalizers } = metadata;
  const text = JSON.stringify({
    owners: ownerReferences.map(({ uid: _uid, ...owner }) => owner),
    finalizers,
    spec,
  });
  return JSON.parse(
    Object.entries(names).reduce((all, [name, word]) => all.replaceAll(`"${name}"`, `"${word}"`), text),
  );
}

function gangShapes(job: Job, { workload, group }: GangOfJob): unknown {
  const names = {
    [job.metadata.name]: 'job',
    [workload.metadata.name]: 'workload',
    [`${job.metadata.name}-pgt-0`]: 'template',
  };
  return [objectShape(workload, names), objectShape(group, names)];
}

describe('a Job whose indexes all run at the same time (J-8.1, J-8.2)', () => {
  story(
    'gets a Workload and a PodGroup that look like those of the built-in controller (J-8.4 to J-8.7)',
    async () => {
      const ours = await cluster().createJob('ours', GANG, FOREVER);
      const theirs = await cluster().createJob('theirs', { ...GANG, managedBy: undefined as never }, FOREVER);
      const [mine, builtIn] = [await waitForGang('ours'), await waitForGang('theirs')];
      expect(gangShapes(ours, mine)).toEqual(gangShapes(theirs, builtIn));
      expect(gangShapes(ours, mine)).toMatchObject([
        { spec: { podGroupTemplates: [{ name: 'template', schedulingPolicy: { gang: { minCount: 3 } } }] } },
        { owners: [{ kind: 'Job', controller: true }, { kind: 'Workload' }] },
      ]);
      for (const [job, { workload, group }] of [
        [theirs, builtIn],
        [ours, mine],
      ] as const) {
        const { name, uid } = job.metadata;
        expect(workload.metadata.name).toBe(workloadName({ name, uid }));
        expect(group.metadata.name).toBe(podGroupName(workload.metadata.name, `${name}-pgt-0`));
      }
      await cluster().deleteJob('theirs', 'Background');
    },
  );

  story(
    'has pods that join the PodGroup, run together, and have no other owner than the Job (J-8.8, B-11)',
    async () => {
      await cluster().createJob('together', GANG, { command: ['sleep', '2'] });
      const { group, workload } = await waitForGang('together');
      const pods = await waitForPods('together', 3);
      expect(podGroupNames(pods)).toEqual([group.metadata.name]);
      expect(pods.flatMap(({ metadata }) => metadata.ownerReferences ?? []).map(({ kind }) => kind)).toEqual([
        'Job',
        'Job',
        'Job',
      ]);
      const finished = await cluster().finished('together');
      expect(finished.status).toMatchObject({ succeeded: 3, completedIndexes: '0-2' });
      expect(await recordedGang('together')).toEqual({
        workload: workload.metadata.name,
        podGroup: group.metadata.name,
      });
      const created = (await cluster().eventsOn(finished)).filter((each) =>
        each.startsWith('WorkloadCreated'),
      );
      expect(created).toEqual([
        `WorkloadCreated: Created Workload ${workload.metadata.name} for Job together`,
      ]);
    },
  );

  story(
    'takes its objects along when it is deleted (J-8.10)',
    async () => {
      await cluster().createJob('passing', GANG, FOREVER);
      const { workload } = await waitForGang('passing');
      await waitForPods('passing', 3);
      await cluster().deleteJob('passing', 'Background');
      await eventually('the Workload and its PodGroup are gone', 60, async () => {
        const left = [await objects().listWorkloads('passing'), await objects().listPodGroups(workload)];
        return left.flat().length === 0 ? true : undefined;
      });
    },
    120_000,
  );

  story(
    'keeps its objects while it is suspended, and its pods come back into the same group (J-8.10)',
    async () => {
      await cluster().createJob('paused', { ...GANG, suspend: true }, FOREVER);
      const before = await waitForGang('paused');
      expect(await cluster().listPods('paused')).toEqual([]);
      for (const suspend of [false, true, false]) {
        await cluster().patchJob('paused', { spec: { suspend } });
        expect(podGroupNames(await waitForPods('paused', suspend ? 0 : 3))).toEqual(
          suspend ? [] : [before.group.metadata.name],
        );
      }
      const after = await waitForGang('paused');
      expect([after.workload.metadata.uid, after.group.metadata.uid]).toEqual([
        before.workload.metadata.uid,
        before.group.metadata.uid,
      ]);
    },
  );

  story('cannot change its parallelism, and continues (J-8.14)', async () => {
    await cluster().createJob('fixed', GANG, { command: ['sleep', '8'] });
    const { group } = await waitForGang('fixed');
    // The API server's admission notices the group a moment after it exists.
    await eventually('a trial is refused', 30, () => triedNarrower('fixed').then(() => undefined, String));
    const refusal = await cluster()
      .patchJob('fixed', { spec: { parallelism: 2 } })
      .then(() => 'accepted', String);
    expect(refusal).toContain(
      `cannot change parallelism for a Job referencing gang-scheduled PodGroup "${group.metadata.name}"`,
    );
    expect((await cluster().finished('fixed')).status).toMatchObject({ succeeded: 3 });
  });

  story('has its own objects also when it is a child of a CronJob (J-8.11)', async () => {
    await startTwoChildren('nightly');
    const children = await eventually('two children', 60, async () => {
      const { items } = await cluster().client.request<{ items: Job[] }>({
        method: 'GET',
        path: `/apis/batch/v1/namespaces/default/jobs?labelSelector=of%3Dnightly`,
      });
      return items.length === 2 ? items : undefined;
    });
    const gangs = await Promise.all(children.map(({ metadata }) => waitForGang(metadata.name)));
    const controllers = gangs.map(({ workload }) =>
      workload.metadata.ownerReferences?.map(({ name }) => name),
    );
    expect(controllers).toEqual(children.map(({ metadata }) => [metadata.name]));
    expect(new Set(gangs.map(({ group }) => group.metadata.name)).size).toBe(2);
  });

  story('has replaced pods that join the same group after kill -9 of the worker (B-12)', async () => {
    await cluster().createJob('again', GANG, FOREVER);
    const before = await waitForGang('again');
    const [first] = await waitForPods('again', 3);
    // An Event may be sent again when a worker is killed, and that Job counts them.
    await cluster().finished('together');
    await installation().kill('worker');
    await replaced('again', first);
    expect(podGroupNames(await waitForPods('again', 3))).toEqual([before.group.metadata.name]);
    expect((await waitForGang('again')).workload.metadata.uid).toBe(before.workload.metadata.uid);
  });
});

describe('the objects of a gang', () => {
  story('are listed and created by the worker, and no service watches them (J-8.9, J-8.13)', async () => {
    await cluster().finished('together');
    const ours = installation()
      .audit()
      .filter(({ user, objectRef }) => user.username.includes(':jobledger-') && isGangObject(objectRef));
    expect(new Set(ours.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource}`))).toEqual(
      new Set(['list workloads', 'create workloads', 'list podgroups', 'create podgroups']),
    );
  });

  story('do not matter after the gang is decided: a second Workload changes nothing (J-8.9)', async () => {
    await cluster().createJob('unmoved', GANG, FOREVER);
    const { group } = await waitForGang('unmoved');
    const [first] = await waitForPods('unmoved', 3);
    await objects().createWorkload('second-of-unmoved', 'unmoved');
    await replaced('unmoved', first);
    expect(podGroupNames(await waitForPods('unmoved', 3))).toEqual([group.metadata.name]);
    expect(await lookUps('unmoved')).toBe(1);
  });
});

describe('a Job gets no gang', () => {
  const others: [string, Partial<JobSpec>, object][] = [
    ['nonindexed', { parallelism: 2, completions: 2 }, FOREVER],
    ['single', { ...GANG, completions: 1, parallelism: 1 }, FOREVER],
    ['in-turns', { ...GANG, completions: 5, parallelism: 2 }, FOREVER],
    ['opted-out', GANG, { ...FOREVER, schedulingGroup: { podGroupName: 'of-a-higher-controller' } }],
  ];
  for (const [name, spec, pod] of others)
    story(`because of its shape: ${name} (J-8.2, J-8.11)`, async () => {
      await cluster().createJob(name, spec, pod);
      const pods = await waitForPods(name, spec.parallelism ?? 0);
      expect(podGroupNames(pods)).toEqual([name === 'opted-out' ? 'of-a-higher-controller' : undefined]);
      expect(await objects().listWorkloads(name)).toEqual([]);
      expect(await lookUps(name)).toBe(0);
    });

  story('because it has already started when its shape first allows a gang (J-8.3)', async () => {
    await cluster().createJob('late', { ...GANG, parallelism: 2 }, FOREVER);
    await waitForPods('late', 2);
    await cluster().jobWhere('late', 'has a start time', ({ status }) => status?.startTime !== undefined);
    await cluster().patchJob('late', { spec: { parallelism: 3 } });
    expect(podGroupNames(await waitForPods('late', 3))).toEqual([undefined]);
    expect(await objects().listWorkloads('late')).toEqual([]);
    expect(await recordedGang('late')).toEqual({ none: 'the Job is not new, and no Workload refers to it' });
  });

  story('because another client has created a Workload for it, and no request fails (J-8.3)', async () => {
    await objects().createWorkload('own-of-planned', 'planned');
    await cluster().createJob('planned', GANG, FOREVER);
    expect(podGroupNames(await waitForPods('planned', 3))).toEqual([undefined]);
    expect(await recordedGang('planned')).toEqual({ none: 'the Job does not control own-of-planned' });
  });

  story('because its cluster does not serve the API, to which no request is sent (J-8.1)', async () => {
    const plain = installation().clusters['plain'] ?? cluster();
    await plain.client.request({
      method: 'POST',
      path: '/api/v1/namespaces/default/serviceaccounts',
      body: { metadata: { name: 'default' } },
    });
    await plain.createJob('plainly', GANG, FOREVER);
    const pods = await waitForPods('plainly', 3, plain);
    expect(podGroupNames(pods)).toEqual([undefined]);
    const asked = installation()
      .audit('plain')
      .filter(({ objectRef }) => isGangObject(objectRef));
    expect(asked).toEqual([]);
  });
});

/** The Jobs of this part have no controller: the activity is called as the worker calls it. */
describe('the look-up of the Workload and the PodGroup of a Job', () => {
  async function ensured(
    name: string,
    { isNew = true, prepare }: { isNew?: boolean; prepare?: (job: Job) => Promise<unknown> } = {},
  ) {
    const job = await cluster().createJob(name, { ...GANG, managedBy: 'acme.io/nobody' }, FOREVER);
    await prepare?.(job);
    return { job, outcome: await callOn(job, isNew) };
  }

  function callOn(job: Job, isNew = true) {
    const { name, namespace, uid } = job.metadata;
    const context: CommandContext = {
      client: cluster().client,
      log: silentLog(),
      now: Date.now,
      job: { cluster: 'local', namespace, name, uid },
      eventKey: { decision: `decision of ${name}`, now: Date.parse('2026-03-01T12:00:00Z'), command: 0 },
      signal: new AbortController().signal,
      readJob: () => Promise.resolve(job),
      recentJob: () => Promise.resolve(job),
      rememberJob: () => undefined,
      claimed: createClaimedJobs('managed'),
      parts: { before: [], keep: () => undefined },
      isLate: () => false,
    };
    const workload = { name: workloadName({ name, uid }), podGroupTemplate: `${name}-pgt-0`, minCount: 3 };
    const why = { rule: 'J-8.2', message: '' } as const;
    return ensureGang(context, { kind: 'EnsureGang', ...(isNew && { workload }), why });
  }

  const none = (message: string): object => ({ kind: 'EnsureGang', result: 'done', gang: { none: message } });

  story('finds the same objects in a repeated attempt, and sends no second Event', async () => {
    const { job, outcome } = await ensured('repeated');
    expect(await callOn(job)).toEqual(outcome);
    expect(await callOn(job, false)).toEqual(outcome);
    const { workload, group } = await waitForGang('repeated');
    expect(outcome).toEqual({
      kind: 'EnsureGang',
      result: 'done',
      gang: { workload: workload.metadata.name, podGroup: group.metadata.name },
    });
    expect(await cluster().eventsOn(job)).toHaveLength(1);
  });

  story('adds the PodGroup to an existing Workload, also for a Job that is not new (J-8.5)', async () => {
    const { outcome } = await ensured('halfway', {
      isNew: false,
      prepare: (job) => objects().createWorkload('of-halfway', 'halfway', {}, [controllerReference(job)]),
    });
    const { group } = await waitForGang('halfway');
    expect(outcome).toMatchObject({ gang: { workload: 'of-halfway', podGroup: group.metadata.name } });
    expect(group.metadata.name).toBe(podGroupName('of-halfway', 'own'));
    expect(group.spec.schedulingPolicy).toEqual({ gang: { minCount: 2 } });
  });

  story('keeps the policy of a Workload that a user wrote, and the PodGroup copies it (J-8.12)', async () => {
    const podGroupTemplates = [{ name: 'loose', schedulingPolicy: { basic: {} } }];
    const { outcome } = await ensured('mutated', {
      prepare: (job) =>
        objects().createWorkload('of-mutated', 'mutated', { podGroupTemplates }, [controllerReference(job)]),
    });
    const { group } = await waitForGang('mutated');
    expect(outcome).toMatchObject({ gang: { podGroup: group.metadata.name } });
    expect(group.spec.schedulingPolicy).toEqual({ basic: {} });
  });

  story('rejects a Workload with several templates of PodGroups (J-8.3)', async () => {
    const schedulingPolicy = { gang: { minCount: 1 } };
    const podGroupTemplates = ['a', 'b'].map((name) => ({ name, schedulingPolicy }));
    const { outcome } = await ensured('doubled', {
      prepare: (job) =>
        objects().createWorkload('of-doubled', 'doubled', { podGroupTemplates }, [controllerReference(job)]),
    });
    expect(outcome).toEqual(none('Workload of-doubled has 2 podGroupTemplates'));
  });

  story('rejects two Workloads of one Job (J-8.3)', async () => {
    const { outcome } = await ensured('ambiguous', {
      prepare: (job) =>
        Promise.all(
          ['a', 'b'].map((name) =>
            objects().createWorkload(`${name}-of-ambiguous`, 'ambiguous', {}, [controllerReference(job)]),
          ),
        ),
    });
    expect(outcome).toEqual(none('2 Workloads refer to the Job: a-of-ambiguous, b-of-ambiguous'));
  });

  story(
    'rejects a PodGroup that the Job does not control, and two PodGroups of one Job (J-8.5)',
    async () => {
      const { job, outcome } = await ensured('foreign', {
        prepare: async (created) => {
          const workload = await objects().createWorkload('of-foreign', 'foreign', {}, [
            controllerReference(created),
          ]);
          await objects().createPodGroup('first-of-foreign', workload);
        },
      });
      expect(outcome).toEqual(none('the Job does not control first-of-foreign'));
      const [workload] = await objects().listWorkloads('foreign');
      if (workload !== undefined)
        await objects().createPodGroup('second-of-foreign', workload, [controllerReference(job)]);
      const both = '2 PodGroups refer to Workload of-foreign: first-of-foreign, second-of-foreign';
      expect(await callOn(job)).toEqual(none(both));
    },
  );

  story(
    'fails without a gang when the API server refuses a name that is too long for a template, or taken (J-8.3)',
    async () => {
      const { outcome } = await ensured('a'.repeat(60));
      expect(outcome).toMatchObject({ result: 'failed', error: { status: 422, reason: 'Invalid' } });
      const taken = await ensured('taken', {
        prepare: ({ metadata }) => objects().createWorkload(workloadName(metadata), 'another'),
      });
      expect(taken.outcome).toMatchObject({
        result: 'failed',
        error: { status: 409, reason: 'AlreadyExists' },
      });
    },
  );
});

/** A CronJob of the built-in controller with a start that is due, and a second child as `kubectl create job --from` makes it. */
/** A lower parallelism, without effect. */
function triedNarrower(job: string): Promise<Job> {
  const { client, namespace } = cluster();
  return client.request<Job>({
    method: 'PATCH',
    path: `/apis/batch/v1/namespaces/${namespace}/jobs/${job}?dryRun=All`,
    body: { spec: { parallelism: 2 } },
    contentType: 'application/merge-patch+json',
  });
}

async function startTwoChildren(name: string): Promise<void> {
  const path = '/apis/batch/v1/namespaces/default/cronjobs';
  const containers = [{ name: 'main', image: 'none', command: FOREVER.command }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  const spec = { ...GANG, managedBy: 'jobledger.dev/job-controller', template };
  const jobTemplate = { metadata: { labels: { of: name } }, spec };
  const cronJob = await cluster().client.request<Job>({
    method: 'POST',
    path,
    body: {
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name },
      spec: { schedule: '0 0 1 1 *', suspend: true, jobTemplate },
    },
  });
  const patch = (subresource: string, body: object): Promise<unknown> =>
    cluster().client.request({
      method: 'PATCH',
      path: `${path}/${name}${subresource}`,
      body,
      contentType: 'application/merge-patch+json',
    });
  await patch('/status', { status: { lastScheduleTime: '2020-06-01T00:00:00Z' } });
  await patch('', { spec: { suspend: false } });
  const owner = { ...controllerReference(cronJob), kind: 'CronJob' };
  await cluster().client.request({
    method: 'POST',
    path: '/apis/batch/v1/namespaces/default/jobs',
    body: { metadata: { name: `${name}-by-hand`, labels: { of: name }, ownerReferences: [owner] }, spec },
  });
}
