import type { KubernetesMinor } from '../../infra/local/tools/kubernetes-versions.ts';
import { install } from '../support/installation.ts';
import { buildEndToEnd } from './build-suite.ts';
import { isVerified } from './is-verified.ts';
import { run } from './run.ts';

export interface UpstreamOptions {
  readonly kubernetes: KubernetesMinor;
  readonly gangs: boolean;
  readonly focus: string | undefined;
  readonly skip: string | undefined;
  readonly report: (line: string) => void;
}

/**
 * Runs the end-to-end tests, and returns their status. Their containers have the shell of busybox, which knows more than a
 * plain `sh`; the local node has no images, so bash is mounted in its place for the processes of this run. That needs Linux and
 * root.
 */
export async function runEndToEnd({
  kubernetes,
  gangs,
  focus = String.raw`\[sig-apps\] (Job|CronJob|TTLAfterFinished)`,
  skip = String.raw`\[(Serial|Disruptive|Feature:|FeatureGate:)`,
  report,
}: UpstreamOptions): Promise<number> {
  const program = await buildEndToEnd({ kubernetes, report, signal: new AbortController().signal });
  const installation = await install({
    claim: 'all',
    clusters: [
      {
        name: 'local',
        builtInJobController: false,
        builtInCronJobController: false,
        builtInTtlController: false,
        gangScheduling: gangs,
      },
    ],
    environment: { JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl', JOBLEDGER_GANG_SCHEDULING: String(gangs) },
  });
  try {
    await installation.startServices();
    const { status } = await run(program, [
      `--kubeconfig=${installation.servers.addresses.adminKubeconfig ?? ''}`,
      `--ginkgo.focus=${focus}`,
      `--ginkgo.skip=${skip}`,
      '--ginkgo.v',
      '--ginkgo.no-color',
      '--test.timeout=0',
      '--provider=skeleton',
      '--allowed-not-ready-nodes=-1',
    ]);
    return (await isVerified(installation, report)) ? status : 1;
  } finally {
    await installation.stop();
  }
}
