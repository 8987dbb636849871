import { afterAll, beforeAll } from '@jest/globals';
import type { JobSpec } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from './cluster.ts';
import { install, type Installation, type InstallOptions } from './installation.ts';
import { playJob, type PlayedJob } from './played-job.ts';
import { verifyAll } from './verify.ts';

export interface PlayedCluster {
  installation(): Installation;
  cluster(): TestCluster;
  play(name: string, spec?: Partial<JobSpec>, pod?: Record<string, unknown>): Promise<PlayedJob>;
}

const WITHOUT_NODE: InstallOptions = { claim: 'all', node: false };
/** The same with each service as a process of its own. */
export const SEPARATE: InstallOptions = { ...WITHOUT_NODE, separate: true };

const clusters = new Map<string, PlayedCluster>();

/**
 * Jobledger in the built-in controller's place, on a cluster without a node; the same one for all callers in a test file
 * that want the same environment and options. Failed pods are replaced after a tenth of a second, unless the environment
 * says otherwise. In the end every decision is verified.
 */
export function onPlayedCluster(
  environment: Record<string, string> = {},
  options: InstallOptions = WITHOUT_NODE,
): PlayedCluster {
  const settings = { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '100', ...environment };
  const key = JSON.stringify([settings, options]);
  const cluster = clusters.get(key) ?? installPlayedCluster({ ...options, environment: settings });
  clusters.set(key, cluster);
  return cluster;
}

/** The same with a control plane of the file's own; its tests can halt the servers and each service. */
export function onOwnPlayedCluster(): PlayedCluster {
  return onPlayedCluster({}, { ...SEPARATE, ownClusters: true });
}

function installPlayedCluster(options: InstallOptions): PlayedCluster {
  let installed: Installation | undefined;
  const installation = (): Installation => {
    if (installed === undefined) throw new Error('nothing is installed yet');
    return installed;
  };
  beforeAll(async () => {
    installed = await install(options);
    await installed.startServices();
  }, 240_000);
  afterAll(() => (installed === undefined ? undefined : verifiedEnd(installed)), 90_000);
  return {
    installation,
    cluster: () => installation().cluster,
    play: (name, spec = {}, pod = {}) => playJob(installation().cluster, name, spec, pod),
  };
}

async function verifiedEnd(installed: Installation): Promise<void> {
  try {
    await installed.haltServices();
    const { exitCode, findings } = await verifyAll(installed);
    if (exitCode !== 0) throw new Error(`verify finds ${JSON.stringify(findings)}`);
  } finally {
    await installed.stop();
  }
}
