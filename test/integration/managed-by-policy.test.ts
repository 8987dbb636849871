import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OUR_USERS } from '../../infra/local/cluster/accounts.ts';
import { OWN_MANAGER } from '../../workflows/kubernetes/names.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../support/cluster.ts';
import { connectCronJobs } from '../support/cron-jobs.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { kubectlFor, type Kubectl } from '../support/kubectl.ts';
import { installPolicy, MANAGED_LABEL, newJobsName } from '../support/managed-by-policy.ts';

// All built-in controllers run, and the chart's policy is installed. The namespace `default` is labelled, `theirs` is not.
const BUILT_IN = 'system:serviceaccount:kube-system:job-controller';

let installation: Installation;
let kubectl: Kubectl;
let theirs: TestCluster;
const { create, overdue, jobsWhere } = connectCronJobs(() => installation);

beforeAll(async () => {
  installation = await install({ clusters: [{ name: 'local', audit: [...OUR_USERS, BUILT_IN] }] });
  kubectl = kubectlFor(installation);
  theirs = await installation.cluster.inNewNamespace('theirs');
  await installPolicy(kubectl);
  await kubectl.run('label', 'namespace', 'default', `${MANAGED_LABEL}=true`);
  await newJobsName(kubectl, 'default', OWN_MANAGER);
  await installation.startServices();
}, 240_000);

afterAll(() => installation?.stop(), 60_000);

async function createJob(name: string, namespace: string, command = ['true']): Promise<void> {
  await kubectl.run('create', 'job', name, '--image=none', '-n', namespace, '--', ...command);
}

/** Returns the users who wrote the status of a Job, or created or patched its pods, by the audit log. */
function findWriters({ namespace, name }: { namespace: string; name: string }): string[] {
  const ofJob = installation.audit().filter(({ verb, objectRef, responseStatus }) => {
    const isOfJob = objectRef?.name === name || objectRef?.name?.startsWith(`${name}-`) === true;
    const isWrite =
      ['create', 'update', 'patch', 'delete'].includes(verb) && (responseStatus?.code ?? 0) < 300;
    return (
      isWrite &&
      isOfJob &&
      objectRef.namespace === namespace &&
      ['jobs', 'pods'].includes(objectRef.resource ?? '')
    );
  });
  return [...new Set(ofJob.map(({ user }) => user.username))];
}

async function decisionsOn({ metadata: { uid } }: Job): Promise<number> {
  const [row] = await installation.sql<{ count: number }>(
    'select count(*)::int as count from jobledger.decisions where job_uid = $1',
    [uid],
  );
  return row?.count ?? 0;
}

const OURS = ['system:serviceaccount:jobledger:jobledger-worker'];

/** Expects in the ledger and in the audit log that only Jobledger ran the Job. */
async function expectOnlyOurs(job: Job): Promise<void> {
  expect(job.spec.managedBy).toBe(OWN_MANAGER);
  expect(findWriters({ namespace: 'default', name: job.metadata.name })).toEqual(OURS);
  await eventually('its decisions are in SQL', 30, async () =>
    (await decisionsOn(job)) > 0 ? true : undefined,
  );
}

async function expectOnlyTheirs(job: Job, namespace: string): Promise<void> {
  expect(job.spec.managedBy).toBeUndefined();
  expect(findWriters({ namespace, name: job.metadata.name })).toEqual([BUILT_IN]);
  const seen = "select 1 from jobledger.jobs where uid = $1 and kubectl_status = 'Complete'";
  await eventually('its end is recorded', 30, async () => {
    const rows = await installation.sql(seen, [job.metadata.uid]);
    return rows.length > 0 ? true : undefined;
  });
  expect(await decisionsOn(job)).toBe(0);
}

describe('with the policy that sets managedBy in labelled namespaces,', () => {
  it('a Job in a labelled namespace that names no controller is run by Jobledger only', async () => {
    await createJob('plain', 'default');
    await expectOnlyOurs(await installation.cluster.finished('plain', 60));
  }, 120_000);

  it('Jobs that the built-in CronJob controller creates in a labelled namespace are run by Jobledger only', async () => {
    const cronJob = await create('tick', {}, ['true']);
    await overdue('tick');
    const ended = (jobs: Job[]): boolean => jobs[0]?.status?.succeeded === 1;
    const [job] = await jobsWhere(cronJob, 'has a Job that ended', ended, 60);
    if (job === undefined) throw new Error('it has ended');
    await expectOnlyOurs(job);
    await kubectl.run('create', 'job', 'by-hand', '--from=cronjob/tick');
    await expectOnlyOurs(await installation.cluster.finished('by-hand', 60));
  }, 180_000);

  it.each(['--server-side=false', '--server-side=true'])(
    'a manifest that names no controller can be applied again with %s, and its Job still names Jobledger',
    async (side) => {
      const name = side.slice(2).replace('=', '-');
      const containers = [{ name: 'main', image: 'none', command: ['true'] }];
      const template = { spec: { restartPolicy: 'Never', containers } };
      const manifest = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: { template } };
      const apply = (): Promise<string> => kubectl.pipe(JSON.stringify(manifest), 'apply', '-f', '-', side);
      await apply();
      const { spec } = await installation.cluster.finished(name, 60);
      await apply();
      expect((await installation.cluster.job(name))?.spec).toEqual(spec);
      expect(spec.managedBy).toBe(OWN_MANAGER);
    },
    120_000,
  );

  it('a Job in a namespace without the label is run by the built-in controller only', async () => {
    await createJob('plain', 'theirs');
    await expectOnlyTheirs(await theirs.finished('plain', 60), 'theirs');
  }, 120_000);

  it('a Job that names another controller retains that controller', async () => {
    const job = await installation.cluster.createJob(
      'named',
      { managedBy: 'example.com/other' },
      { command: ['true'] },
    );
    expect(job.spec.managedBy).toBe('example.com/other');
  });

  it('Jobledger still runs the existing Jobs of a namespace that loses its label, and the built-in controller runs new Jobs', async () => {
    await createJob('runs-on', 'default', ['sleep', '5']);
    await installation.cluster.jobWhere('runs-on', 'is active', ({ status }) => status?.active === 1, 60);
    await kubectl.run('label', 'namespace', 'default', `${MANAGED_LABEL}-`);
    await newJobsName(kubectl, 'default', '');
    await createJob('after', 'default');
    await expectOnlyOurs(await installation.cluster.finished('runs-on', 60));
    await expectOnlyTheirs(await installation.cluster.finished('after', 60), 'default');
  }, 180_000);
});
