import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JobSpec, PodSpec } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { listDifferences, jobledger, rebuildTables } from '../support/rebuild.ts';

let installation: Installation;

beforeAll(async () => {
  installation = await install({ environment: { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '100' } });
  await installation.startServices();
}, 240_000);
afterAll(() => installation?.stop(), 60_000);

interface Shown {
  status: string;
  waiting_for: string | null;
  waiting_until: Date | null;
  reason: string | null;
}

/** Resolves when the row of a Job matches. */
function expectShown(name: string, expected: Partial<Record<keyof Shown, unknown>>): Promise<Shown> {
  return eventually(`Job ${name} shows ${JSON.stringify(expected)}`, 60, async () => {
    const [row] = await installation.sql<Shown>(
      'select status, waiting_for, waiting_until, reason from jobledger.jobs where name = $1',
      [name],
    );
    try {
      expect(row).toMatchObject(expected);
      return row;
    } catch {
      return undefined;
    }
  });
}

type PodFields = Partial<PodSpec> & { command?: string[] };

const create = (
  name: string,
  pod: PodFields,
  spec: Partial<JobSpec> = {},
  cluster: TestCluster = installation.cluster,
): Promise<unknown> => cluster.createJob(name, spec, pod);

describe('a Job that does not run', () => {
  it('is shown as Pending, waiting for a node that fits its pod', async () => {
    await create('homeless', { nodeSelector: { disk: 'golden' }, command: ['true'] } as PodFields);
    await expectShown('homeless', {
      status: 'Pending',
      waiting_for: "0 of 1 nodes fit: 1 node(s) didn't match Pod's node affinity/selector",
      reason: null,
    });
    const { stdout } = await jobledger(installation.environment, 'why', 'job/homeless');
    expect(stdout).toMatch(/^Pending, waiting for: 0 of 1 nodes fit: /m);
  }, 90_000);

  it('is shown as Pending, waiting for the missing Secret of its pod', async () => {
    const env = [{ name: 'URL', valueFrom: { secretKeyRef: { name: 'no-such', key: 'url' } } }];
    const containers: object[] = [{ name: 'main', image: 'x', command: ['true'], env }];
    await create('keyless', { containers: containers as PodSpec['containers'] });
    await expectShown('keyless', {
      status: 'Pending',
      waiting_for: 'CreateContainerConfigError: secret "no-such" not found',
    });
  }, 90_000);

  it('is shown as Pending, waiting because a quota refuses its pods', async () => {
    const full = await installation.cluster.inNewNamespace('full');
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'none' },
      spec: { hard: { pods: '0' } },
    };
    const path = '/api/v1/namespaces/full/resourcequotas';
    await full.client.request({ method: 'POST', path, body: quota });
    await eventually('the quota is in force', 20, async () => {
      const found = await full.client.request<{ status?: { hard?: unknown } }>({
        method: 'GET',
        path: `${path}/none`,
      });
      return found.status?.hard;
    });
    await create('refused', { command: ['true'] }, {}, full);
    await expectShown('refused', {
      status: 'Pending',
      waiting_for: expect.stringContaining('a request that the API server refused: exceeded quota: none'),
      waiting_until: expect.any(Date),
    });
  }, 90_000);

  it('is shown as Suspended, with the user who suspended it', async () => {
    await create('held', { command: ['sleep', '60'] });
    await expectShown('held', { status: 'Running', waiting_for: null });
    await jobledger(installation.environment, 'suspend', 'held', '--by', 'ann');
    await expectShown('held', {
      status: 'Suspended',
      waiting_for: expect.stringMatching(/^to be resumed: suspended by ann/),
    });
  }, 90_000);

  it('is shown as External, waiting for the controller that its spec names', async () => {
    await create('foreign', { command: ['true'] }, { managedBy: 'example.com/queue' });
    await expectShown('foreign', {
      status: 'External',
      waiting_for: 'the controller example.com/queue, which spec.managedBy names',
    });
  }, 90_000);
});

describe('a Job that fails', () => {
  it('is shown as Failed with the exit code of its pods and the exceeded back-off limit', async () => {
    await create('killed', { command: ['sh', '-c', 'exit 137'] }, { backoffLimit: 1 });
    await expectShown('killed', {
      status: 'Failed',
      reason: 'exit code 137 ×2: back-off limit reached',
      waiting_for: null,
    });
  }, 90_000);

  it('is shown as Failed with StartError when the program in its pod cannot be executed', async () => {
    await create('absent', { command: ['no-such-program', '--token=s3cret'] }, { backoffLimit: 0 });
    await expectShown('absent', {
      status: 'Failed',
      reason: expect.stringMatching(/^128 StartError \([a-zA-Z$ ]+\) ×1: back-off limit reached$/),
    });
  }, 90_000);

  it('is shown as Failed with the number of its failed attempts', async () => {
    await create('patient', { command: ['sh', '-c', 'exit 3'] }, { backoffLimit: 3 });
    await expectShown('patient', { status: 'Failed', reason: 'exit code 3 ×4: back-off limit reached' });
  }, 90_000);

  it('is shown as Failed with "deadline exceeded", without the exit codes of the pods that were deleted then', async () => {
    await create('late', { command: ['sleep', '60'] }, { activeDeadlineSeconds: 2 });
    await expectShown('late', { status: 'Failed', reason: 'deadline exceeded' });
  }, 90_000);
});

describe('a pod whose index annotation another client edits', () => {
  const EDITED = 'edited';
  const output = /the index of the pod edited-0-\w+ was edited: it was created for index 0/;
  const shown = async (...args: string[]): Promise<string> =>
    (await jobledger(installation.environment, ...args)).stdout;

  it('is reported in an Event, and by the verbs history and why', async () => {
    const { cluster } = installation;
    const spec = { completions: 2, parallelism: 1, completionMode: 'Indexed' } as const;
    await create(EDITED, { command: ['sleep', '300'] }, spec);
    await expectShown(EDITED, { status: 'Running' });
    const [pod] = await cluster.listPods(EDITED);
    const name = pod?.metadata.name ?? '';
    const annotations = { 'batch.kubernetes.io/job-completion-index': '1' };
    await cluster.patchPod(name, { metadata: { annotations } });
    await eventually('an Event names the edited index', 60, async () => {
      const job = await cluster.job(EDITED);
      const events = job === undefined ? [] : await cluster.eventsOn(job);
      return events.some((each) => each.startsWith('IndexEdited: ') && output.test(each)) ? true : undefined;
    });
    const history = await eventually('the history has the decision about it', 60, async () => {
      const text = await shown('history', EDITED);
      return text.includes('IndexEdited') ? text : undefined;
    });
    expect(history).toMatch(/\bindex 0\b\D+\b1\b/);
    expect(await shown('why', `pod/${name}`)).toMatch(
      /for index 0; another client has edited its annotation, which says index 1/,
    );
    expect((await jobledger(installation.environment, 'admin', 'verify', EDITED)).exitCode).toBe(0);
  }, 150_000);
});

describe('the verb jobledger logs', () => {
  const logs = (...args: string[]) => {
    const { adminKubeconfig, kubectl = 'kubectl' } = installation.servers.addresses;
    const PATH = `${dirname(kubectl)}:${process.env['PATH']}`;
    return jobledger({ ...installation.environment, PATH, KUBECONFIG: adminKubeconfig }, 'logs', ...args);
  };

  it('prints the logs of the pod of a given index, or with --previous of the failed attempt', async () => {
    const script = 'echo attempt $JOB_COMPLETION_INDEX; [ $JOB_COMPLETION_INDEX = 1 ] || exit 3';
    await create(
      'talkative',
      { command: ['sh', '-c', script] },
      { completions: 2, parallelism: 2, completionMode: 'Indexed', backoffLimitPerIndex: 0 },
    );
    await expectShown('talkative', { status: 'Failed' });
    expect(await logs('talkative', '--index', '1')).toMatchObject({ exitCode: 0, stdout: 'attempt 1\n' });
    expect(await logs('job/talkative', '--previous')).toMatchObject({ exitCode: 0, stdout: 'attempt 0\n' });
    expect(await logs('talkative', '--index', '0', '--', '--timestamps')).toMatchObject({
      stdout: expect.stringMatching(/^2\S+Z attempt 0\n$/),
    });
    const options = ['--tail', '0', '--since', '1h', '--container', 'main'];
    expect(await logs('talkative', '--index', '1', ...options)).toMatchObject({ exitCode: 0, stdout: '' });
  }, 90_000);

  it('finds the context of the cluster in the kubeconfig, whatever the name of the context is', async () => {
    const { adminKubeconfig = '' } = installation.servers.addresses;
    const renamed = join(installation.stateDir, 'renamed.kubeconfig');
    const text = readFileSync(adminKubeconfig, 'utf8').replaceAll(
      /^(current-context: |- name: |  name: )local$/gm,
      '$1arn:aws:x',
    );
    writeFileSync(renamed, text);
    const { kubectl = 'kubectl' } = installation.servers.addresses;
    const PATH = `${dirname(kubectl)}:${process.env['PATH']}`;
    const environment = { ...installation.environment, PATH, KUBECONFIG: renamed };
    expect(await jobledger(environment, 'logs', 'talkative', '--index', '1')).toMatchObject({
      exitCode: 0,
      stdout: 'attempt 1\n',
    });
  }, 60_000);

  it('fails, and explains that the Job has not started or that the given context does not exist', async () => {
    expect(await logs('homeless')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('has not started (Unschedulable): it has no logs yet'),
    });
    expect(await logs('talkative', '--kube-context', 'nowhere')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('context "nowhere" does not exist'),
    });
  }, 60_000);
});

describe('the live tables after all tests of this file', () => {
  it('equal rebuilt tables', async () => {
    await installation.haltServices();
    const rebuilt = await rebuildTables(installation.environment, '--check');
    expect(listDifferences(rebuilt)).toStrictEqual([]);
  }, 120_000);
});
