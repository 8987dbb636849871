import { describe, expect, it } from '@jest/globals';
import type { TestCluster } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { onOwnPlayedCluster } from '../../support/played-cluster.ts';
import { playJob, type PlayedJob } from '../../support/played-job.ts';
import { sideBySide } from '../../support/side-by-side.ts';

const { cluster, installation, play } = onOwnPlayedCluster();
const story = sideBySide();

const send = (method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<unknown> =>
  cluster().client.request({ method, path, ...(body !== undefined && { body }) });

const quota = (pods: number): unknown => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'few' },
  spec: { hard: { pods: String(pods) } },
});

/** Messages of the Events on a Job with this reason. */
async function events(on: TestCluster, job: PlayedJob, reason: string): Promise<string[]> {
  const all = await on.eventsOn(job.created);
  return all.filter((each) => each.startsWith(`${reason}: `)).map((each) => each.slice(reason.length + 2));
}

const untilRefused = (on: TestCluster, job: PlayedJob, times = 1): Promise<string[]> =>
  eventually(`${times} refusals have Events`, 30, async () => {
    const messages = await events(on, job, 'FailedCreate');
    return messages.length >= times ? messages : undefined;
  });

/** Milliseconds that creations were delayed after the decision of each refused one, as recorded in the ledger. */
async function pauses({ created }: PlayedJob): Promise<number[]> {
  const times = async (what: string, where: string): Promise<number[]> => {
    const rows = await installation().sql<{ time: string }>(
      `select ${what} as time from jobledger.events where job_uid = $1 and ${where} order by kafka_offset`,
      [created.metadata.uid],
    );
    return rows.map(({ time }) => Number(time));
  };
  const until = await times("data->>'nextDecisionAt'", "data->'waiting'->>'rule' = 'J-3.2'");
  const decided = await times("data->>'now'", `data->'commands' @> '[{"kind": "CreatePods"}]'`);
  return until.map((time, at) => time - (decided[at] ?? 0));
}

describe('a quota', () => {
  story(
    'admits the pods that fit, sends an Event for the first that does not, and lets others in later (J-5.18, J-7.2)',
    async () => {
      const small = await cluster().inNewNamespace('small');
      await send('POST', '/api/v1/namespaces/small/resourcequotas', quota(5));
      await eventually('the quota is in force', 20, async () => {
        const path = '/api/v1/namespaces/small/resourcequotas/few';
        const found = await cluster().client.request<{ status?: { hard?: unknown } }>({
          method: 'GET',
          path,
        });
        return found.status?.hard;
      });
      const job = await playJob(small, 'squeezed', { parallelism: 20, completions: 20 });
      await job.shows({ active: 5 });
      const [message = ''] = await untilRefused(small, job);
      expect(message).toMatch(
        /^Error creating: pods "squeezed-[a-z0-9]{5}" is forbidden: exceeded quota: few, requested: pods=1, used: pods=5, limited: pods=5$/,
      );
      expect(await events(small, job, 'SuccessfulCreate')).toHaveLength(5);
      await send('DELETE', '/api/v1/namespaces/small/resourcequotas/few');
      await job.shows({ active: 20 }, 60);
    },
  );
});

describe('an admission policy', () => {
  story('that refuses pods is tried again after 1, 2, 4 … seconds (J-5.18, J-3.2)', async () => {
    const strict = await cluster().inNewNamespace('strict');
    const limits = { limits: [{ type: 'Container', max: { cpu: '100m' } }] };
    await send('POST', '/api/v1/namespaces/strict/limitranges', {
      apiVersion: 'v1',
      kind: 'LimitRange',
      metadata: { name: 'thin' },
      spec: limits,
    });
    const resources = { requests: { cpu: '1' }, limits: { cpu: '1' } };
    const containers = [{ name: 'main', image: 'none', resources }];
    const job = await playJob(strict, 'refused', { parallelism: 3, completions: 3 }, { containers });
    const messages = await untilRefused(strict, job, 3);
    for (const message of messages)
      expect(message).toMatch(
        /^Error creating: pods "refused-[a-z0-9]{5}" is forbidden: maximum cpu usage per Container is 100m, but limit is 1$/,
      );
    const waited = await eventually('the third delay is recorded', 10, async () => {
      const seconds = await pauses(job);
      return seconds.length >= 3 ? seconds : undefined;
    });
    expect(waited.slice(0, 3)).toEqual([1000, 2000, 4000]);
    await job.shows({});
    await send('DELETE', '/api/v1/namespaces/strict/limitranges/thin');
    await job.shows({ active: 3 }, 60);
  });
});

/** Refuses every update of pods in a namespace, but not of their status. */
async function freezePods(on: TestCluster, name: string): Promise<() => Promise<void>> {
  const group = '/apis/admissionregistration.k8s.io/v1';
  const policy = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': on.namespace } },
        resourceRules: [
          { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['pods'] },
        ],
      },
      validations: [{ expression: 'false', message: 'pods are frozen' }],
    },
  };
  const binding = {
    ...policy,
    kind: 'ValidatingAdmissionPolicyBinding',
    spec: { policyName: name, validationActions: ['Deny'] },
  };
  await send('POST', `${group}/validatingadmissionpolicies`, policy);
  await send('POST', `${group}/validatingadmissionpolicybindings`, binding);
  const [pod] = await on.listPods(name);
  const path = `/api/v1/namespaces/${on.namespace}/pods/${pod?.metadata.name}?dryRun=All`;
  const body = { metadata: { annotations: { tried: 'true' } } };
  const contentType = 'application/merge-patch+json';
  await eventually('the policy is in force', 30, () =>
    on.client.request({ method: 'PATCH', path, body, contentType }).then(
      () => undefined,
      () => true,
    ),
  );
  return async () => {
    await send('DELETE', `${group}/validatingadmissionpolicybindings/${name}`);
    await send('DELETE', `${group}/validatingadmissionpolicies/${name}`);
  };
}

describe('a policy that refuses updates of pods', () => {
  story('has no pod taken for gone: none runs twice, and the Job ends once it is repaired', async () => {
    const frozen = await cluster().inNewNamespace('frozen');
    const job = await playJob(frozen, 'kept', { completionMode: 'Indexed', parallelism: 1, completions: 1 });
    await job.shows({ active: 1 });
    const repair = await freezePods(frozen, 'kept');
    const denial = (reason: string) =>
      eventually(`an Event ${reason} says who refused`, 30, async () => {
        const [message] = await events(frozen, job, reason);
        return message;
      });
    await frozen.patchJob('kept', { spec: { suspend: true } });
    expect(await denial('FailedDelete')).toMatch(
      /^Error deleting: .* ValidatingAdmissionPolicy 'kept' with binding 'kept' denied request: pods are frozen$/,
    );
    await frozen.patchJob('kept', { spec: { suspend: false } });
    await job.succeed(0);
    expect(await denial('FailedRelease')).toMatch(
      /^Error removing the finalizer of pod kept-0-[a-z0-9]{5}: .* denied request: pods are frozen$/,
    );
    // The index is complete before its pod is released, as in upstream's first write (J-4.12); the Job is not (J-4.13).
    await job.shows({ succeeded: 1, completedIndexes: '0' }, 60);
    expect((await job.conditions()).join()).not.toMatch(/Complete=True/);
    await repair();
    await frozen.finished('kept');
    await job.shows({ succeeded: 1, completedIndexes: '0' });
    expect(await frozen.listPods('kept')).toHaveLength(1);
  });
});

describe('a Job that cannot create pods', () => {
  story('is still ended by its deadline (J-3.52)', async () => {
    const closed = await cluster().inNewNamespace('closed');
    await send('POST', '/api/v1/namespaces/closed/resourcequotas', quota(0));
    await eventually('the quota is in force', 20, async () => {
      const path = '/api/v1/namespaces/closed/resourcequotas/few';
      const found = await cluster().client.request<{ status?: { hard?: unknown } }>({ method: 'GET', path });
      return found.status?.hard;
    });
    const job = await playJob(closed, 'hopeless', { activeDeadlineSeconds: 4 });
    await untilRefused(closed, job);
    await closed.finished('hopeless');
    expect((await job.conditions()).at(-1)).toMatch(/^Failed=True DeadlineExceeded/);
    await job.shows({});
  });

  story('because of its template gets an Event (J-7.2)', async () => {
    const job = await play('unscheduled', {}, { priorityClassName: 'not-there' });
    const [message] = await untilRefused(cluster(), job);
    expect(message).toMatch(/no PriorityClass with name not-there was found/);
    await job.shows({});
  });
});

describe('a namespace that is being deleted', () => {
  it('gets no pods, and no Event (J-5.19)', async () => {
    const doomed = await cluster().inNewNamespace('doomed');
    const job = await playJob(doomed, 'last', { parallelism: 1, completions: 3 });
    await job.shows({ active: 1 });
    // It deletes the objects of a terminating namespace: without it the Job can still be read.
    await installation().servers.halt('local-kube-controller-manager');
    await send('DELETE', '/api/v1/namespaces/doomed');
    await doomed.patchJob('last', { spec: { parallelism: 3 } });
    await eventually('pods are refused', 20, async () => {
      const refused = installation()
        .audit()
        .filter(({ verb, objectRef }) => verb === 'create' && objectRef?.resource === 'pods')
        .filter(
          ({ objectRef, responseStatus }) =>
            objectRef?.namespace === 'doomed' && responseStatus?.code === 403,
        );
      return refused.length >= 2 ? true : undefined;
    });
    await job.shows({ active: 1 });
    expect(await events(doomed, job, 'FailedCreate')).toEqual([]);
    await installation().servers.start('local-kube-controller-manager');
    const client = await installation().temporal();
    await eventually('the Job’s workflow ends', 60, async () => {
      const handle = client.workflow.getHandle(`local/${job.created.metadata.uid}`);
      return (await handle.describe()).status.name === 'COMPLETED' ? true : undefined;
    });
    await client.connection.close();
  });
});
