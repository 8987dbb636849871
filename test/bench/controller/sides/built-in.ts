import path from 'node:path';
import { controllerManagerSpec } from '../../../../infra/local/cluster/controllers.ts';
import { openCredentials, serviceAccountKey } from '../../../../infra/local/cluster/credentials.ts';
import { reservePorts } from '../../../../infra/local/state/ports.ts';
import { createSupervisor } from '../../../../infra/local/processes/supervisor.ts';
import { findTool } from '../../../../infra/local/tools/find-tool.ts';
import { fileSize } from '../meters/audit.ts';
import { BUILT_IN_USER, CLUSTER, type ControlPlane } from '../control-plane/control-plane.ts';
import type { SideName } from '../options.ts';
import type { Side } from './side.ts';

const NAME = 'kube-controller-manager';

/** Without limits of its client, and with as many syncs at once as bring it anything on one core (default 5). */
const LIFTED = ['--kube-api-qps=10000', '--kube-api-burst=20000', '--concurrent-job-syncs=50'];

/** kube-controller-manager with its Job controller alone. */
export async function startBuiltIn(
  name: Exclude<SideName, 'jobledger'>,
  plane: ControlPlane,
  report: (line: string) => void,
): Promise<Side> {
  const at = (...parts: string[]): string => path.join(plane.stateDir, ...parts);
  const dir = at('cluster', CLUSTER);
  const port = await reservePorts(at('ports.json'), [`${CLUSTER}-${NAME}`]);
  const spec = await controllerManagerSpec({
    name: NAME,
    dir,
    port: port(`${CLUSTER}-${NAME}`),
    program: await findTool(NAME, { report, signal: new AbortController().signal }),
    // `system:kube-controller-manager` may do what the administrator may here; the Job controller has its own account.
    kubeconfig: plane.adminKubeconfig,
    credentials: await openCredentials(path.join(dir, 'pki'), `${CLUSTER}-cluster`),
    serviceAccountKeyFile: serviceAccountKey(path.join(dir, 'pki')).privateFile,
    controllers: ['job-controller'],
    extraFlags: name === 'builtin-lifted' ? LIFTED : [],
  });
  const supervisor = createSupervisor({ runDir: at('run', NAME), logsDir: at('logs'), report });
  await supervisor.start(spec);
  return {
    name,
    user: BUILT_IN_USER,
    processes: () => [{ name: NAME, pid: supervisor.pid(NAME) ?? 0 }],
    counters: () => Promise.resolve({}),
    readCounts: () => Promise.resolve({}),
    progress: () => Promise.resolve(String(fileSize(plane.auditFile))),
    verify: () => Promise.resolve(),
    failure: supervisor.failed.then(({ error }) => {
      throw error;
    }),
    stop: () => supervisor.stop(),
  };
}
