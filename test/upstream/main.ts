import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';
import { install } from '../support/installation.ts';
import { buildSuite } from './build-suite.ts';

/**
 * `npm run test:upstream [-- --focus 'CronJob' --skip 'Serial']`: runs Kubernetes' own end-to-end tests of Jobs, CronJobs and
 * the time to live, unchanged, on a local cluster whose controllers for these are Jobledger's. They do not know it. Exits
 * with their status.
 *
 * Their containers have the shell of busybox, which knows more than a plain `sh`; the local node has no images, so bash is
 * mounted in its place for the processes of this run. That needs Linux and root.
 */
const { values } = parseArgs({
  options: {
    focus: { type: 'string', default: String.raw`\[sig-apps\] (Job|CronJob|TTLAfterFinished)` },
    skip: { type: 'string', default: String.raw`\[(Serial|Disruptive|Feature:|FeatureGate:)` },
    /** The cluster has the alpha API for gangs; their test is `--focus gang-eligible --skip none`. */
    gangs: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const program = await buildSuite({ say, signal: new AbortController().signal });
const installation = await install({
  claim: 'all',
  clusters: [
    {
      name: 'local',
      builtInJobController: false,
      builtInCronJobController: false,
      builtInTtlController: false,
      gangScheduling: values.gangs,
    },
  ],
  environment: {
    JOBLEDGER_CONTROLLERS: 'job,cronjob,ttl',
    JOBLEDGER_GANG_SCHEDULING: String(values.gangs),
  },
});
try {
  await installation.startServices();
  process.exitCode = await run([
    `--kubeconfig=${installation.servers.addresses.adminKubeconfig ?? ''}`,
    `--ginkgo.focus=${values.focus}`,
    `--ginkgo.skip=${values.skip}`,
    '--ginkgo.v',
    '--ginkgo.no-color',
    '--test.timeout=0',
    '--provider=skeleton',
    '--allowed-not-ready-nodes=-1',
  ]);
} finally {
  await installation.stop();
}

function run(args: readonly string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
