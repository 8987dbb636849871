import { afterAll, beforeAll } from '@jest/globals';
import type { JobSpec } from '../../workflows/kubernetes/objects.ts';
import type { TestCluster } from './cluster.ts';
import { install, type Installation } from './installation.ts';
import { playJob, type PlayedJob } from './played-job.ts';
import { verifyAll } from './verify.ts';

export interface PlayedCluster {
  installation(): Installation;
  cluster(): TestCluster;
  play(name: string, spec?: Partial<JobSpec>, pod?: Record<string, unknown>): Promise<PlayedJob>;
}

/**
 * For the tests of one file: Jobledger instead of the built-in controller, on a cluster without a node. Failed pods are
 * replaced after a tenth of a second, unless the environment says otherwise. At the end every decision is verified.
 */
export function onPlayedCluster(environment: Record<string, string> = {}): PlayedCluster {
  let installed: Installation | undefined;
  const installation = (): Installation => {
    if (installed === undefined) throw new Error('nothing is installed yet');
    return installed;
  };
  beforeAll(async () => {
    const settings = { JOBLEDGER_POD_FAILURE_BACKOFF_MS: '100', ...environment };
    installed = await install({ claim: 'all', node: false, environment: settings });
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
