import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { podName } from '../../workflows/job/definitions/pod-names.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { CronJob } from '../../workflows/kubernetes/objects.ts';
import { apiClient } from '../support/api-client.ts';
import { jobManifest, type TestCluster } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { installInNamespaces } from '../support/given-namespaces.ts';
import type { Installation } from '../support/installation.ts';
import type { Kubectl } from '../support/kubectl.ts';
import { allEvents, eventsOfJobs } from '../support/ledger-events.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { grantedRights, usedRights } from '../support/used-rights.ts';
import { verifyAll } from '../support/verify.ts';

const GIVEN = ['team-a', 'team-b'];
const MINUTE = 60_000;

let installation: Installation;
let kubectl: Kubectl;
let manifests: string;
let teams: TestCluster[];
let other: TestCluster;

beforeAll(async () => {
  ({ installation, kubectl, manifests, teams, other } = await installInNamespaces(GIVEN));
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

const inTeams = <T>(act: (team: TestCluster) => Promise<T>): Promise<T[]> => Promise.all(teams.map(act));
const events = (): Promise<JobEvent[]> => eventsOfJobs(installation.environment);

async function recorded(what: string, is: (event: JobEvent) => boolean): Promise<JobEvent> {
  return eventually(`${what} is in the ledger`, 60, async () => (await events()).find(is));
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

describe('the ledger of an installation in given namespaces', () => {
  it('has only decisions that are the same when they are made again', async () => {
    const verified = await verifyAll(installation);
    expect(verified).toMatchObject({ findings: [], exitCode: 0 });
    expect(verified.decisions).toBeGreaterThan(50);
  }, 120_000);
});
