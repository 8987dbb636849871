import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { OWN_MANAGER, RESERVED_FINALIZER } from '../../workflows/kubernetes/names.ts';
import { eventually } from '../support/eventually.ts';
import { install, type Installation } from '../support/installation.ts';
import { playKubelet } from '../support/played-kubelet.ts';

// The built-in Job controller of the cluster runs until the last part stops it.
let installation: Installation;

beforeAll(async () => {
  installation = await install({
    separate: true,
    claim: 'all',
    ownClusters: true,
    clusters: [{ name: 'local', node: false }],
  });
}, 240_000);

afterAll(() => installation.stop(), 60_000);

/** Runs `jobledger up --claim all` on the installation's servers to its end. */
function up(): Promise<{ code: number | null; stderr: string; lines: string }> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-up-'));
  const args = ['cli/jobledger.mjs', 'up', '--claim', 'all', '--state-dir', stateDir];
  return new Promise((resolve) => {
    const child = execFile('node', args, { env: installation.environment }, (_error, lines, stderr) => {
      rmSync(stateDir, { recursive: true, force: true });
      resolve({ code: child.exitCode, stderr, lines });
    });
  });
}

async function probes(): Promise<Job[]> {
  const path = '/apis/batch/v1/namespaces/jobledger/jobs';
  return (await installation.cluster.client.request<{ items: Job[] }>({ method: 'GET', path })).items;
}

function probesCreated(): number {
  return installation
    .audit()
    .filter(({ verb, requestURI }) => verb === 'create' && requestURI.includes('/namespaces/jobledger/jobs'))
    .length;
}

describe('jobledger up --claim all while the built-in Job controller is on', () => {
  it('refuses to start on a cluster without Jobs, and names the built-in controller as a writer and the remedy', async () => {
    const { code, stderr, lines } = await up();
    expect(code).toBeGreaterThan(0);
    expect(lines).not.toContain('jobledger is ready');
    expect(stderr).toMatch(/cluster "local".*kube-controller-manager\S* is writing/);
    expect(stderr).toContain('--controllers=*,-job-controller');
    expect(await probes()).toEqual([]);
  });

  it('refuses to start while the built-in controller runs Jobs, and does not change these Jobs', async () => {
    const { cluster } = installation;
    await cluster.createJob('old', { parallelism: 2, completions: 2 }, {});
    await cluster.jobWhere('old', 'has pods', ({ status }) => status?.active === 2);
    // Fields that the scheduler changes are left out, because it may change them at any time.
    const asMade = async (): Promise<unknown> =>
      (await cluster.listPods('old')).map(({ metadata: { uid, labels, finalizers, ownerReferences } }) => ({
        uid,
        labels,
        finalizers,
        ownerReferences,
      }));
    const before = await asMade();
    const { code, stderr } = await up();
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(/kube-controller-manager\S* is writing/);
    expect(await asMade()).toEqual(before);
  });
});

describe('Jobledger with --claim all after the built-in Job controller was switched off (J-4.34)', () => {
  beforeAll(async () => {
    const { environment, cluster } = installation;
    environment['JOBLEDGER_CLAIM'] = 'managed';
    await installation.startServices(['ingester', 'projector']);
    await installation.servers.halt('local-kube-controller-manager');
    await cluster.createPod('stray', { finalizers: ['acme.io/hold', RESERVED_FINALIZER] });
    await cluster.createJob('ours', { managedBy: OWN_MANAGER }, {});
    await eventually('the ingester is past the pod', 30, async () => {
      const rows = await installation.sql("select 1 from jobledger.jobs where name = 'ours'");
      return rows.length > 0 ? true : undefined;
    });
    await installation.haltServices(['ingester', 'projector']);
    environment['JOBLEDGER_CLAIM'] = 'all';
    await installation.startServices();
  }, 90_000);

  it('takes over a running Job of the built-in controller with its pods', async () => {
    const { cluster } = installation;
    const kubelet = playKubelet(cluster.client);
    const pods = await cluster.listPods('old');
    for (const { metadata } of pods) await kubelet.succeed(metadata.name);
    const { status } = await cluster.finished('old');
    expect(status).toMatchObject({ succeeded: 2, ready: 0, terminating: 0 });
    expect(await cluster.listPods('old')).toHaveLength(2);
  });

  it('removes the tracking finalizer from a pod that belongs to no Job (J-4.33)', async () => {
    const freed = await eventually('the pod is released', 20, async () => {
      const finalizers = (await installation.cluster.pod('stray'))?.metadata.finalizers ?? [];
      return finalizers.includes(RESERVED_FINALIZER) ? undefined : finalizers;
    });
    expect(freed).toEqual(['acme.io/hold']);
  });

  it('does not look for the built-in controller again at the next start of the worker', async () => {
    const asked = probesCreated();
    await installation.kill('worker');
    await installation.answers('worker');
    await installation.cluster.createJob('next', {}, {});
    await installation.cluster.jobWhere('next', 'has a pod', ({ status }) => status?.active === 1);
    expect(asked).toBeGreaterThan(0);
    expect(probesCreated()).toBe(asked);
  });
});
