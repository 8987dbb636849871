import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { renderChart } from '../../infra/deploy/manifests/chart.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { apiClient } from '../support/api-client.ts';
import { jobManifest, type TestCluster } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { allEvents, eventsOfJobs } from '../support/ledger-events.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { grantedRights, usedRights } from '../support/used-rights.ts';
import { verifyAll } from '../support/verify.ts';

// The services have exactly the Roles that the chart gives for two namespaces, and no right in the whole cluster.
const GIVEN = ['team-a', 'team-b'];
const VALUES = {
  deploy: false,
  namespaces: GIVEN,
  claim: 'all',
  controllers: ['job', 'cronjob'],
  api: { submit: true },
};
const RIGHTS = ['accounts.yaml', 'rights-in-the-cluster.yaml'];
const MINUTE = 60_000;
const CALLERS = ['ingester', 'worker', 'api'];

let installation: Installation;
let kubectl: Kubectl;
let manifests: string;
let teams: TestCluster[];
let other: TestCluster;

beforeAll(async () => {
  installation = await install({
    separate: true,
    claim: 'all',
    clusters: [{ name: 'local', builtInJobController: false, builtInCronJobController: false }],
    environment: { JOBLEDGER_NAMESPACES: GIVEN.join(','), JOBLEDGER_CONTROLLERS: 'job,cronjob' },
    api: true,
  });
  kubectl = kubectlFor(installation);
  const { cluster } = installation;
  [, teams, other] = await Promise.all([
    onlyGivenRights(),
    Promise.all(GIVEN.map((name) => cluster.inNewNamespace(name))),
    cluster.inNewNamespace('team-c'),
  ]);
  await kubectl.pipe(manifests, 'apply', '-f', '-');
  await other.createJob('not-ours', {}, {});
  await installation.startServices();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

/** Deletes the rights that a local cluster gives the accounts of Jobledger. */
async function onlyGivenRights(): Promise<void> {
  const helm = await findTool('helm', { report: () => undefined, signal: new AbortController().signal });
  manifests = renderChart(helm, VALUES, RIGHTS);
  const names = ['', '-ingester', '-worker', '-api'].map((end) => `jobledger${end}`);
  const deleted = (kind: string, ...where: string[]): Promise<string> =>
    kubectl.run('delete', kind, ...names, '--ignore-not-found', ...where);
  await Promise.all([
    deleted('clusterrolebindings'),
    deleted('clusterroles'),
    deleted('rolebindings', '-n', 'jobledger'),
    deleted('roles', '-n', 'jobledger'),
  ]);
}

const inTeams = <T>(act: (team: TestCluster) => Promise<T>): Promise<T[]> => Promise.all(teams.map(act));
const events = (): Promise<JobEvent[]> => eventsOfJobs(installation.environment);

async function recorded(what: string, is: (event: JobEvent) => boolean): Promise<JobEvent> {
  return eventually(`${what} is in the ledger`, 60, async () => (await events()).find(is));
}

/** Starts the services that call the cluster again, with other namespaces. */
async function restartWith(namespaces: readonly string[]): Promise<void> {
  await installation.haltServices(CALLERS);
  installation.environment['JOBLEDGER_NAMESPACES'] = namespaces.join(',');
  await installation.startServices(CALLERS);
}

/** Creates a CronJob with a missed start, waits for its Job, and waits until the ended Job is deleted. */
async function startByCronJob({ client, namespace }: TestCluster): Promise<void> {
  const path = `/apis/batch/v1/namespaces/${namespace}/cronjobs`;
  const spec = { schedule: '0 0 1 1 *', successfulJobsHistoryLimit: 0 };
  const { spec: jobSpec } = jobManifest('tick', {}, {}) as { spec: object };
  const metadata = { name: 'tick' };
  const body = {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata,
    spec: { ...spec, jobTemplate: { spec: jobSpec } },
  };
  await client.request<CronJob>({ method: 'POST', path, body });
  const lastScheduleTime = `${new Date(Date.now() - 10 * MINUTE).toISOString().slice(0, 19)}Z`;
  await client.request({
    method: 'PATCH',
    path: `${path}/tick`,
    contentType: 'application/merge-patch+json',
    body: { spec: { schedule: '* * * * *' } },
  });
  await client.request({
    method: 'PATCH',
    path: `${path}/tick/status`,
    contentType: 'application/merge-patch+json',
    body: { status: { lastScheduleTime } },
  });
  await eventually(`a Job of the CronJob in ${namespace} was deleted`, 60, async () =>
    requestsIn(namespace).some((request) => request.startsWith('delete jobs tick-')) ? true : undefined,
  );
  await client.request({
    method: 'PATCH',
    path: `${path}/tick`,
    contentType: 'application/merge-patch+json',
    body: { spec: { suspend: true } },
  });
}

/** Returns the requests of Jobledger's accounts in a namespace, as `verb resource name`. */
function requestsIn(namespace: string): string[] {
  return installation
    .audit()
    .filter(({ objectRef, user }) => objectRef?.namespace === namespace && OUR_USERS.includes(user.username))
    .map(({ verb, objectRef }) => {
      const { resource = '', subresource, name = '' } = objectRef ?? {};
      return `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`} ${name}`;
    });
}

const WAITS = { command: ['sh', '-c', 'while :; do sleep 0.2; done'] };

const story = sideBySide();

describe('an installation in given namespaces', () => {
  story(
    'runs a Job in each namespace to its end, and writes a status again after a conflict',
    async () => {
      await inTeams(async (team) => {
        await team.createJob('runs', { completions: 8, parallelism: 2 }, {});
        let changes = 0;
        await eventually(`a status in ${team.namespace} is written again`, 60, async () => {
          for (let each = 0; each < 20; each += 1)
            await team.patchJob('runs', { metadata: { annotations: { changed: String((changes += 1)) } } });
          if (requestsIn(team.namespace).some((request) => request.startsWith('update jobs/status')))
            return true;
          const job = await team.job('runs');
          // The Job has ended without a conflict, so the attempt is repeated.
          if (job?.status?.completionTime !== undefined) {
            await team.deleteJob('runs', 'Background');
            await eventually('it is deleted', 30, async () =>
              (await team.job('runs')) === undefined ? true : undefined,
            );
            await team.createJob('runs', { completions: 8, parallelism: 2 }, {});
          }
          return undefined;
        });
        const { status } = await team.finished('runs');
        expect(status?.succeeded).toBe(8);
      });
    },
    180_000,
  );

  story(
    'starts Jobs of CronJobs, and deletes old Jobs beyond the history limit',
    async () => {
      await inTeams(startByCronJob);
    },
    180_000,
  );

  story(
    'suspends a Job, and releases pods of a deleted Job',
    async () => {
      await inTeams(async (team) => {
        const { url, token } = installation.api;
        const at = `namespace=${team.namespace}`;
        // The Job has its own selector, so that older pods may match.
        const labels = { app: 'suspended' };
        const selector = { manualSelector: true, selector: { matchLabels: labels } };
        await team.createJob('suspended', selector, { ...WAITS, metadata: { labels } });
        await team.jobWhere('suspended', 'has a pod', ({ status }) => status?.active === 1);
        await eventually('the API knows the Job', 30, async () => {
          const { status } = await apiClient(url, token).post(`/v1/jobs/suspended/suspend?${at}`);
          return status === 202 ? true : undefined;
        });
        await team.jobWhere(
          'suspended',
          'is suspended',
          ({ spec, status }) => spec.suspend === true && (status?.active ?? 0) === 0,
        );
        await team.createJob('orphaning', {}, WAITS);
        const running = await team.jobWhere('orphaning', 'has a pod', ({ status }) => status?.active === 1);
        const [pod] = await team.listPods('orphaning');
        await team.deleteJob(running.metadata.name, 'Orphan');
        await eventually('its pod is free', 60, async () =>
          (await team.pod(pod?.metadata.name ?? ''))?.metadata.finalizers === undefined ? true : undefined,
        );
        await team.deletePod(pod?.metadata.name ?? '', 0);
      });
    },
    180_000,
  );

  story(
    'reads a pod that already has the next name of an index, and uses another name',
    async () => {
      await inTeams(async (team) => {
        const { metadata } = await team.createJob('taken', { suspend: true }, {});
        const name = podName({ uid: metadata.uid, name: 'taken' }, 0);
        await team.createPod(name, {});
        await team.patchJob('taken', { spec: { suspend: false } });
        expect((await team.finished('taken')).status?.succeeded).toBe(1);
        expect((await team.listPods('taken')).map((pod) => pod.metadata.name)).not.toContain(name);
        await team.deletePod(name, 0);
      });
    },
    180_000,
  );

  story(
    'accepts Jobs for each namespace by the API, and no Job for another namespace',
    async () => {
      const client = apiClient(installation.api.url, installation.api.token);
      const submit = (name: string, namespace: string): ReturnType<typeof client.post> =>
        client.post('/v1/clusters/local/jobs', {
          ...(jobManifest(name, {}, {}) as object),
          metadata: { name, namespace },
        });
      await inTeams(async (team) => {
        expect(await submit('submitted', team.namespace)).toMatchObject({ status: 201 });
        await team.finished('submitted');
        await eventually('the API knows its end', 60, async () => {
          const at = `namespace=${team.namespace}&new_name=again`;
          const { status } = await client.post(`/v1/jobs/submitted/retry?${at}`);
          return status === 201 ? true : undefined;
        });
      });
      const refused = await submit('elsewhere', 'team-c');
      expect(refused.status).toBe(422);
      expect(refused.body).toMatchObject({
        detail: 'the namespace "team-c" of the cluster "local" is not among JOBLEDGER_NAMESPACES',
      });
    },
    180_000,
  );
});

describe('an attacker with every right in one namespace', () => {
  const VICTIM = 'team-b';
  const MALLORY = ['--as', 'mallory', '-n', 'team-a'];
  const victim = (): TestCluster => teams[1] as TestCluster;
  const attacker = (): TestCluster => teams[0] as TestCluster;
  const ownedBy = (kind: string, name: string, uid: string): object => ({
    ownerReferences: [{ apiVersion: 'batch/v1', kind, name, uid, controller: true }],
  });
  const finalizers = ['batch.kubernetes.io/job-tracking'];

  /** Returns pods with every name by which they may claim to belong to the victim's Job. */
  function pods(uid: string): object[] {
    const labels = { 'batch.kubernetes.io/controller-uid': uid, 'batch.kubernetes.io/job-name': 'pay' };
    const pod = (name: string, command: string, metadata: object): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...metadata },
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'none', command: [command] }] },
    });
    return [
      pod('evil-failed', 'false', { labels, finalizers, ...ownedBy('Job', 'pay', uid) }),
      pod('evil-succeeded', 'true', { labels, finalizers, ...ownedBy('Job', 'pay', uid) }),
      pod('evil-renamed', 'false', { labels, ...ownedBy('Job', 'mine', uid) }),
      pod('evil-labelled', 'true', { labels, finalizers }),
    ];
  }

  story(
    'changes nothing in another namespace: pods, Jobs, CronJobs, owners, labels, finalizers, annotations, chains',
    async () => {
      const all = { apiGroups: ['*'], resources: ['*'], verbs: ['*'] };
      const role = {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'everything', namespace: 'team-a' },
        rules: [all],
      };
      await kubectl.pipe(JSON.stringify(role), 'apply', '-f', '-');
      await kubectl.run(
        'create',
        'rolebinding',
        'mallory',
        '--role=everything',
        '--user=mallory',
        '-n',
        'team-a',
      );
      const job = await victim().createJob('pay', { backoffLimit: 0 }, WAITS);
      const cronJob = await victim().client.request<CronJob>({
        method: 'POST',
        path: `/apis/batch/v1/namespaces/${VICTIM}/cronjobs`,
        body: {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          metadata: { name: 'payroll' },
          spec: {
            schedule: '0 0 1 1 *',
            suspend: true,
            failedJobsHistoryLimit: 0,
            successfulJobsHistoryLimit: 0,
            jobTemplate: { spec: (jobManifest('x', {}, {}) as { spec: object }).spec },
          },
        },
      });
      await victim().jobWhere('pay', 'has a ready pod', ({ status }) => status?.ready === 1);
      await recorded('the Job', ({ subject }) => subject === `${VICTIM}/pay`);
      const { uid } = job.metadata;
      const child = jobManifest('evil-child', {}, {}) as { metadata: object };
      const chained = jobManifest('evil-chained', { suspend: true }, {}) as { metadata: object };
      const objects = [
        ...pods(uid),
        { ...child, metadata: { ...child.metadata, ...ownedBy('CronJob', 'payroll', cronJob.metadata.uid) } },
        {
          ...chained,
          metadata: { ...chained.metadata, annotations: { 'jobledger.dev/after': 'pay=Finished' } },
        },
      ];
      for (const object of objects)
        await kubectl.pipe(JSON.stringify(object), ...MALLORY, 'create', '-f', '-');
      await eventually('the pod that only names the Job in its labels is freed', 90, async () => {
        const pod = await attacker().pod('evil-labelled');
        return pod?.metadata.finalizers === undefined ? true : undefined;
      });
      // The garbage collector deletes this Job, because the owner is not in the same namespace.
      await recorded('the foreign Job', ({ subject }) => subject === 'team-a/evil-child');
      const now = await victim().job('pay');
      expect(now?.status).toMatchObject({ active: 1, ready: 1 });
      expect([now?.status?.failed ?? 0, now?.status?.succeeded ?? 0, now?.status?.conditions ?? []]).toEqual([
        0,
        0,
        [],
      ]);
      expect(await victim().listPods('pay')).toHaveLength(1);
      const foreign = (await allEvents(installation.environment)).filter(
        ({ data, subject }) =>
          !subject.startsWith(`${VICTIM}/`) &&
          (('jobUid' in data && data.jobUid === uid) ||
            ('cronJobUid' in data && data.cronJobUid === cronJob.metadata.uid)),
      );
      expect(foreign.map(({ id, subject }) => [id, subject])).toEqual([]);
      await victim().deleteJob('pay', 'Background');
      const evil = pods(uid).map((pod) => (pod as { metadata: { name: string } }).metadata.name);
      const quickly = ['--ignore-not-found', '--wait=false', '--grace-period=0'];
      await kubectl.run('delete', 'pods', ...evil, '-n', 'team-a', ...quickly);
    },
    180_000,
  );
});

describe('an installation with rights in given namespaces only', () => {
  it('has recorded the UID of its own namespace as the identity of the cluster', async () => {
    const { metadata } = await installation.cluster.client.request<{ metadata: { uid: string } }>({
      method: 'GET',
      path: '/api/v1/namespaces/jobledger',
    });
    const connected = await recorded('the connection', ({ type }) => type === 'cluster.connected');
    expect(connected.data).toMatchObject({ uid: metadata.uid, namespace: 'jobledger' });
  });

  it('has recorded and changed no object of another namespace', async () => {
    expect((await other.job('not-ours'))?.status ?? {}).toEqual({});
    expect(await other.listPods('not-ours')).toEqual([]);
    expect(requestsIn('team-c')).toEqual([]);
    const observed = (await events()).filter(({ type }) => type !== 'submission.received');
    expect(observed.filter(({ subject }) => subject.startsWith('team-c/'))).toEqual([]);
  });

  it('has used every right that the chart gives, and was refused no request', async () => {
    // The worker reads from the Lease how far the watch of Jobs is only when a start is in doubt.
    const inTeam = connectCronJobs(() => installation, GIVEN[0]);
    await inTeam.startInDoubt();
    const used = usedRights(installation.audit());
    const granted = grantedRights(manifests);
    expect(granted.length).toBeGreaterThan(50);
    expect(granted.filter((right) => !used.has(right))).toEqual([]);
    const forbidden = installation
      .audit()
      .filter(({ annotations }) => annotations?.['authorization.k8s.io/decision'] === 'forbid');
    expect(forbidden.map(({ requestURI }) => requestURI)).toEqual([]);
  });
});

describe('a namespace that is removed from the installation, and added again', () => {
  const [a, b] = [() => teams[0] as TestCluster, () => teams[1] as TestCluster];
  const deletionsIn = async (namespace: string): Promise<string[]> =>
    (await events())
      .filter(({ type, subject }) => type === 'job.deleted' && subject.startsWith(`${namespace}/`))
      .map(({ subject }) => subject)
      .toSorted();

  it('has no recorded deletions while it is removed, and gets the missed deletions and a gap after its return', async () => {
    const gone = await b().job('submitted');
    const before = await deletionsIn('team-b');
    await restartWith(['team-a']);
    await b().deleteJob('submitted', 'Background');
    // A new API server has an empty watch cache: it answers older versions with 410.
    await installation.kill('local-kube-apiserver');
    await installation.answers('local-kube-apiserver');
    await a().createJob('meanwhile', {}, {});
    await a().finished('meanwhile');
    await recorded('the gap of team-a', isGapIn('team-a', 'jobs'));
    await recorded(
      'the end of a Job in team-a',
      (event) =>
        event.type === 'job.observed' &&
        event.data.object.status?.completionTime !== undefined &&
        event.subject === 'team-a/meanwhile',
    );
    expect(await deletionsIn('team-b')).toEqual(before);
    await restartWith(GIVEN);
    const deleted = await recorded(
      'the deletion',
      (event) => event.type === 'job.deleted' && event.data.jobUid === gone?.metadata.uid,
    );
    expect(deleted.data).toMatchObject({ seen: false });
    const gap = await recorded('the gap of team-b', isGapIn('team-b', 'jobs'));
    expect(gap.data).toHaveProperty('reason', expect.stringMatching(/^namespace team-b: /));
    expect(await deletionsIn('team-b')).toEqual([...before, 'team-b/submitted'].toSorted());
    await b().createJob('back', {}, {});
    expect((await b().finished('back')).status?.succeeded).toBe(1);
  }, 240_000);

  it('is recorded without new deletions when the installation then watches the whole cluster', async () => {
    const before = await Promise.all(GIVEN.map(deletionsIn));
    await kubectl.run('apply', '-f', 'infra/deploy/kubernetes/rbac.yaml');
    await restartWith([]);
    expect((await other.finished('not-ours')).status?.succeeded).toBe(1);
    const kubeSystem = await installation.cluster.client.request<{ metadata: { uid: string } }>({
      method: 'GET',
      path: '/api/v1/namespaces/kube-system',
    });
    const connected = await recorded(
      'the identity by kube-system',
      (event) => event.type === 'cluster.connected' && event.data.uid === kubeSystem.metadata.uid,
    );
    expect(connected.data).not.toHaveProperty('namespace');
    expect(await Promise.all(GIVEN.map(deletionsIn))).toEqual(before);
  }, 240_000);

  it('leaves only decisions that are the same when they are made again from the ledger', async () => {
    const verified = await verifyAll(installation);
    expect(verified).toMatchObject({ findings: [], exitCode: 0 });
    expect(verified.decisions).toBeGreaterThan(50);
  }, 120_000);
});

function isGapIn(namespace: string, resource: string): (event: JobEvent) => boolean {
  return (event) =>
    event.type === 'cluster.gap' && event.data.namespace === namespace && event.data.resource === resource;
}
