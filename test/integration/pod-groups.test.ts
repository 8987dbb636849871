import { describe, expect } from '@jest/globals';
import { POD_GROUP_API } from '../../workflows/kubernetes/names.ts';
import type { Gang } from '../../workflows/job/gang.ts';
import type {
  Job,
  JobSpec,
  ObjectMeta,
  Pod,
  PodGroup,
  PodGroupTemplate,
  Workload,
} from '../../workflows/kubernetes/objects.ts';
import { controllerReference } from '../../services/worker/activities/job/new-pod.ts';
import type { TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { gangObjects, type GangObjects } from '../support/gang-objects.ts';
import { onPlayedCluster } from '../support/played-cluster.ts';
import { sideBySide } from '../support/side-by-side.ts';

// Beside the built-in Job controller with its gates on, which does the same for Jobs without `managedBy`.
const { cluster, installation } = onPlayedCluster(
  { JOBLEDGER_GANG_SCHEDULING: 'true' },
  {
    clusters: [
      { name: 'local', gangScheduling: true },
      // This one does not serve the API.
      { name: 'plain', node: false, controllers: false },
    ],
  },
);
const story = sideBySide();

const FOREVER = { command: ['sleep', '600'] };
const THEIRS = { managedBy: undefined as never };

function objects(): GangObjects {
  return gangObjects(cluster(), POD_GROUP_API);
}

interface Scheduled {
  workload: Workload;
  group: PodGroup;
}

/** The only Workload of a Job, with its only PodGroup, once they exist. */
function scheduled(job: string): Promise<Scheduled> {
  return eventually(`${job} has its PodGroup`, 30, async () => {
    const [workload, second] = await objects().listWorkloads(job);
    if (workload === undefined) return undefined;
    const [group, another] = await objects().listPodGroups(workload);
    expect([second, another]).toEqual([undefined, undefined]);
    return group === undefined ? undefined : { workload, group };
  });
}

function waitForPods(job: string, count: number, where: TestCluster = cluster()): Promise<Pod[]> {
  return eventually(`${job} has ${count} pods`, 40, async () => {
    const pods = (await where.listPods(job)).filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase !== 'Failed',
    );
    return pods.length === count ? pods : undefined;
  });
}

function podGroupNames(pods: readonly Pod[]): (string | undefined)[] {
  return [...new Set(pods.map(({ spec }) => spec.schedulingGroup?.podGroupName))];
}

function recordedGang(job: string): Promise<Gang> {
  return eventually(`the PodGroup of ${job} is recorded`, 30, async () => {
    const [row] = await installation().sql<{ gang: Gang }>(
      `select data -> 'outcome' -> 'gang' as gang from jobledger.events
       where job_name = $1 and data -> 'outcome' ->> 'kind' = 'EnsureGang' and data -> 'outcome' ->> 'result' = 'done'`,
      [job],
    );
    return row?.gang;
  });
}

/** Without the differences between two Jobs: names and UIDs of their own and of their owners. */
function groupShapes({ metadata: { name } }: Job, { workload, group }: Scheduled): unknown {
  const names = { [name]: 'job', [workload.metadata.name]: 'workload', [`${name}-pgt-0`]: 'template' };
  return [workload, group].map(({ metadata, spec }) => {
    const owners = (metadata.ownerReferences ?? []).map(({ uid: _uid, ...owner }) => owner);
    const text = JSON.stringify({ owners, finalizers: metadata.finalizers, spec });
    return JSON.parse(
      Object.entries(names).reduce((all, [own, word]) => all.replaceAll(`"${own}"`, `"${word}"`), text),
    ) as unknown;
  });
}

/** The template in a Workload, and a PodGroup. */
function gangSizes({ workload, group }: Scheduled): (number | undefined)[] {
  const [template] = workload.spec.podGroupTemplates;
  return [template?.schedulingPolicy.gang?.minCount, group.spec.schedulingPolicy.gang?.minCount];
}

function eventsAbout(job: Job, reason: string): Promise<string[]> {
  return eventually(`an Event ${reason}`, 20, async () => {
    const found = (await cluster().eventsOn(job)).filter((each) => each.startsWith(`${reason}:`));
    return found.length > 0 ? found : undefined;
  });
}

describe('a Job of Kubernetes 1.37', () => {
  const shapes: [string, Partial<JobSpec>][] = [
    ['nonindexed', { parallelism: 2 }],
    ['indexed', { completionMode: 'Indexed', completions: 2, parallelism: 2 }],
    ['gang', { parallelism: 2, scheduling: { schedulingPolicy: { gang: { minCount: 2 } } } }],
    ['default-size', { parallelism: 3, scheduling: { schedulingPolicy: { gang: {} } } }],
    [
      'all-or-none',
      {
        parallelism: 2,
        scheduling: { schedulingPolicy: { gang: { minCount: 1 } }, disruptionMode: { all: {} } },
      },
    ],
    ['racks', { scheduling: { schedulingConstraints: { topology: [{ key: 'kubernetes.io/hostname' }] } } }],
  ];
  for (const [name, spec] of shapes)
    story(
      `gets the same objects as from the built-in controller: ${name} (J-8.21, J-8.23, J-8.25)`,
      async () => {
        const ours = await cluster().createJob(`our-${name}`, spec, FOREVER);
        const theirs = await cluster().createJob(`their-${name}`, { ...spec, ...THEIRS }, FOREVER);
        const [mine, builtIn] = [await scheduled(`our-${name}`), await scheduled(`their-${name}`)];
        expect(groupShapes(ours, mine)).toEqual(groupShapes(theirs, builtIn));
        const pods = await waitForPods(`our-${name}`, spec.parallelism ?? 1);
        expect(podGroupNames(pods)).toEqual([mine.group.metadata.name]);
        for (const reason of ['WorkloadCreated', 'PodGroupCreated'])
          expect(shapeOfEvents(await eventsAbout(ours, reason), ours, mine)).toEqual(
            shapeOfEvents(await eventsAbout(theirs, reason), theirs, builtIn),
          );
        await cluster().deleteJob(`their-${name}`, 'Background');
      },
    );

  function shapeOfEvents(events: readonly string[], job: Job, { workload, group }: Scheduled): string[] {
    return events.map((each) =>
      each
        .replace(group.metadata.name, 'GROUP')
        .replace(workload.metadata.name, 'WORKLOAD')
        .replace(job.metadata.name, 'JOB'),
    );
  }

  story('runs its gang together to its end', async () => {
    const scheduling = { schedulingPolicy: { gang: {} } };
    await cluster().createJob(
      'together',
      { parallelism: 3, completions: 3, scheduling },
      { command: ['sleep', '2'] },
    );
    const { workload, group } = await scheduled('together');
    expect((await cluster().finished('together')).status).toMatchObject({ succeeded: 3 });
    expect(await recordedGang('together')).toEqual({
      workload: workload.metadata.name,
      podGroup: group.metadata.name,
      api: 'v1beta1',
      minCount: 3,
      generation: 1,
    });
  });

  story('has a PodGroup while it is suspended, and its pods come back into it', async () => {
    await cluster().createJob('paused', { parallelism: 2, suspend: true }, FOREVER);
    const before = await scheduled('paused');
    for (const suspend of [false, true, false]) {
      await cluster().patchJob('paused', { spec: { suspend } });
      expect(podGroupNames(await waitForPods('paused', suspend ? 0 : 2))).toEqual(
        suspend ? [] : [before.group.metadata.name],
      );
    }
    expect((await scheduled('paused')).group.metadata.uid).toBe(before.group.metadata.uid);
  });

  story('has a PodGroup although its name is too long for the name of a template (J-8.24)', async () => {
    const name = `a-${'long-'.repeat(11)}name`;
    await cluster().createJob(name, {}, FOREVER);
    const { workload, group } = await scheduled(name);
    expect(workload.spec.podGroupTemplates[0]?.name).toBe('pgt-0');
    expect(podGroupNames(await waitForPods(name, 1))).toEqual([group.metadata.name]);
  });
});

describe('the size of a gang (J-8.26)', () => {
  story('has a gang that follows its parallelism while its pods run', async () => {
    const scheduling = { schedulingPolicy: { gang: { minCount: 2 } } };
    await cluster().createJob('elastic', { parallelism: 4, scheduling }, FOREVER);
    await waitForPods('elastic', 4);
    const before = await scheduled('elastic');
    expect(gangSizes(before)).toEqual([2, 2]);
    await cluster().patchJob('elastic', {
      spec: { parallelism: 5, scheduling: { schedulingPolicy: { gang: { minCount: 3 } } } },
    });
    await eventually('both objects have the size', 20, async () =>
      gangSizes(await scheduled('elastic')).every((size) => size === 3) ? true : undefined,
    );
    expect(podGroupNames(await waitForPods('elastic', 5))).toEqual([before.group.metadata.name]);
  });
});

describe('the PodGroup of a part of a larger object (J-8.22)', () => {
  const owner = (name: string): NonNullable<ObjectMeta['ownerReferences']>[number] => ({
    apiVersion: 'example.com/v1',
    kind: 'SuperJob',
    name,
    uid: `uid-of-${name}`,
    controller: true,
  });
  const template = (minCount: number): PodGroupTemplate => ({
    name: 'workers',
    schedulingPolicy: { gang: { minCount } },
  });
  const part = async (name: string, where: TestCluster, annotated = true): Promise<Job> => {
    const annotations = { 'scheduling.k8s.io/group-template-name': 'workers' };
    const containers = [{ name: 'main', image: 'none', ...FOREVER }];
    return where.client.request<Job>({
      method: 'POST',
      path: '/apis/batch/v1/namespaces/default/jobs',
      body: {
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name, ownerReferences: [owner(`of-${name}`)], ...(annotated && { annotations }) },
        spec: {
          parallelism: 2,
          managedBy: 'jobledger.dev/job-controller',
          template: { spec: { restartPolicy: 'Never', containers } },
        },
      },
    });
  };
  const withWorkload = async (name: string): Promise<Workload> => {
    const workload = await objects().createWorkload(`${name}-workload`, name, {
      controllerRef: { apiGroup: 'example.com', kind: 'SuperJob', name: `of-${name}` },
      podGroupTemplates: [template(2)],
    });
    return workload;
  };

  story('follows the template in the Workload of the owner, and its size', async () => {
    const workload = await withWorkload('part');
    const job = await part('part', cluster());
    const group = await eventually(
      'the PodGroup',
      30,
      async () => (await objects().listPodGroups(workload))[0],
    );
    expect(group.metadata.ownerReferences).toEqual([controllerReference(job)]);
    expect(group.spec).toMatchObject({
      workloadRef: { workloadName: 'part-workload', templateName: 'workers' },
      schedulingPolicy: { gang: { minCount: 2 } },
    });
    expect(podGroupNames(await waitForPods('part', 2))).toEqual([group.metadata.name]);
    await cluster().client.request({
      method: 'PATCH',
      path: `/apis/${POD_GROUP_API}/namespaces/default/workloads/part-workload`,
      contentType: 'application/merge-patch+json',
      body: { spec: { podGroupTemplates: [template(3)] } },
    });
    await cluster().patchJob('part', { spec: { parallelism: 3 } });
    await eventually('the PodGroup has the size', 20, async () => {
      const [now] = await objects().listPodGroups(workload);
      return now?.spec.schedulingPolicy.gang?.minCount === 3 ? true : undefined;
    });
  });

  story('stays unset without the annotation', async () => {
    await part('others', cluster(), false);
    expect(podGroupNames(await waitForPods('others', 2))).toEqual([undefined]);
  });

  story(
    'cannot be set where the API is not served, and the Job reports this when its pods are created (J-8.28)',
    async () => {
      const plain = installation().clusters['plain'] ?? cluster();
      await plain.client.request({
        method: 'POST',
        path: '/api/v1/namespaces/default/serviceaccounts',
        body: { metadata: { name: 'default' } },
      });
      await part('in-vain', plain);
      const warnings = await eventually('the Warning', 20, async () => {
        const path = '/api/v1/namespaces/default/events';
        const { items } = await plain.client.request<{
          items: {
            reason: string;
            message: string;
            firstTimestamp: string;
            involvedObject: { name: string };
          }[];
        }>({ method: 'GET', path });
        const found = items.filter(({ reason }) => reason === 'SchedulingNotServed');
        return found.length > 0 ? found : undefined;
      });
      expect(warnings).toMatchObject([
        {
          involvedObject: { name: 'in-vain' },
          message:
            'ignored: the annotation scheduling.k8s.io/group-template-name; the cluster does not serve scheduling.k8s.io/v1beta1, so the pods are scheduled one by one',
        },
      ]);
      const pods = await waitForPods('in-vain', 2, plain);
      const created = Math.min(...pods.map(({ metadata }) => Date.parse(metadata.creationTimestamp)));
      // Both times are whole seconds.
      expect(Math.abs(Date.parse(warnings[0]?.firstTimestamp ?? '') - created)).toBeLessThanOrEqual(2000);
      expect(podGroupNames(pods)).toEqual([undefined]);
    },
  );
});
