import { parseArgs } from 'node:util';
import { KUBERNETES_VARIABLE, wantedKubernetes } from '../../infra/local/tools/kubernetes-versions.ts';
import { runEndToEnd } from './end-to-end.ts';
import { runIntegration } from './integration.ts';

/**
 * `npm run test:upstream -- --kubernetes 1.37`: runs Kubernetes' own end-to-end tests of Jobs, CronJobs and the time to live,
 * unchanged, on a local cluster whose controllers for these are Jobledger's. They do not know it. With `--integration`: its
 * integration tests of the Job controller. Exits with their status.
 */
const { values } = parseArgs({
  options: {
    kubernetes: { type: 'string' },
    integration: { type: 'boolean', default: false },
    /** A regular expression, of ginkgo or, for integration tests, of `go test -run`. */
    focus: { type: 'string' },
    skip: { type: 'string' },
    /** The cluster has the API for gangs; the end-to-end test is `--focus gang-eligible --skip none`. */
    gangs: { type: 'boolean', default: false },
  },
});
if (values.kubernetes !== undefined) process.env[KUBERNETES_VARIABLE] = values.kubernetes;
const options = {
  kubernetes: wantedKubernetes(),
  gangs: values.gangs,
  focus: values.focus,
  skip: values.skip,
  report: (line: string): void => void process.stdout.write(`${line}\n`),
};
process.exitCode = values.integration ? await runIntegration(options) : await runEndToEnd(options);
