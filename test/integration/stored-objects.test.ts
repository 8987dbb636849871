import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { storedObjects } from '../../infra/local/cluster/stored-objects.ts';
import { startLocalServers } from '../../infra/local/local-servers.ts';
import { findTool } from '../../infra/local/tools/find-tool.ts';
import {
  gangFeatures,
  kubernetesVersion,
  wantedKubernetes,
} from '../../infra/local/tools/kubernetes-versions.ts';
import { createKubernetesClient } from '../../services/adapters/kubernetes/client.ts';
import { connectClusters } from '../../services/adapters/kubernetes/connection.ts';

const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-stored-'));
const kubernetes = wantedKubernetes();
const context = { report: () => undefined, signal: new AbortController().signal };

/** Starts a cluster, creates a Workload in it, and stops the cluster. */
beforeAll(async () => {
  const servers = await startLocalServers({
    stateDir,
    clusters: [{ name: 'local', node: false, controllers: false, gangScheduling: true }],
    ...context,
  });
  try {
    const [connection] = connectClusters({
      kubeconfig: servers.addresses.adminKubeconfig ?? '',
      contexts: ['local'],
    });
    if (connection === undefined) throw new Error('the kubeconfig has no cluster');
    await createKubernetesClient(connection).request({
      method: 'POST',
      path: `/apis/${gangFeatures(kubernetes).api}/namespaces/default/workloads`,
      body: {
        metadata: { name: 'left' },
        spec: { podGroupTemplates: [{ name: 'pods', schedulingPolicy: { basic: {} } }] },
      },
    });
  } finally {
    await servers.stop();
  }
}, 240_000);
afterAll(() => rmSync(stateDir, { recursive: true, force: true }));

describe('a stopped local cluster', () => {
  it('has a file with its versions of Kubernetes and etcd', () => {
    const { kubernetes: version, etcd } = kubernetesVersion(kubernetes);
    expect(JSON.parse(readFileSync(join(stateDir, 'cluster', 'versions.json'), 'utf8'))).toEqual({
      kubernetes: version,
      etcd,
    });
  });

  it('has an etcd in which the objects that an upgrade would lose can be found', async () => {
    const at = (...parts: string[]): string => join(stateDir, ...parts);
    const state = { dir: stateDir, at, release: () => undefined };
    const etcd = await findTool('etcd', { ...context, kubernetes });
    const found = await storedObjects('local', ['podgroups', 'workloads'], { ...context, state, etcd });
    expect(found).toEqual(['workloads default/left']);
  });
});
