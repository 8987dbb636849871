import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { workflowId } from '../../services/adapters/temporal/names.ts';
import { trueCondition } from '../../workflows/batch/conditions.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { itStaysWithinBounds } from '../support/big-job-bounds.ts';
import { eventually } from '../support/eventually.ts';
import { fakeNode } from '../support/fake-node/fake-node.ts';
import { install, type Installation } from '../support/installation.ts';
import { measureState, type StateSizes } from '../support/state-sizes.ts';

// `npm run test:many-indexes` runs this test with 100,000 indexes, 1,000 at a time, and prints the measured values (docs/benchmarks.md).
const isLong = process.env['JOBLEDGER_TEST_INDEXES'] !== undefined;
const INDEXES = Number(process.env['JOBLEDGER_TEST_INDEXES'] ?? 1000);
const PARALLELISM = Math.min(1000, INDEXES / 10);
const LIMIT_MS = 60_000 + INDEXES * 100;
const NODE = 'fake';

let installation: Installation;
let temporal: Client;
let worker: number | undefined;
let id: string;

beforeAll(async () => {
  installation = await install({
    separate: true,
    claim: 'all',
    clusters: [{ name: 'local', node: false, builtInJobController: false, audit: false }],
  });
  const { services, servers } = installation;
  const kubeconfig = servers.addresses.adminKubeconfig ?? '';
  await services.start(fakeNode({ kubeconfig, name: NODE, mode: 'succeed' }));
  await installation.startServices();
  temporal = await installation.temporal();
  worker = services.pid('worker');
}, 240_000);

afterAll(async () => {
  await temporal?.connection.close();
  await installation?.stop();
}, 60_000);

function print(line: string): void {
  if (isLong) process.stdout.write(`${line}\n`);
}

/** Waits until the Job has ended, and measures the state of the workflow after each twentieth of the indexes. */
function sizesUntilComplete(): Promise<StateSizes[]> {
  const workflow = temporal.workflow.getHandle(id);
  const sizes: StateSizes[] = [];
  const begin = Date.now();
  let next = 0;
  return eventually('the Job is over', LIMIT_MS / 1000, async () => {
    const { status = {} } = (await installation.cluster.job('wide')) ?? {};
    const { succeeded = 0 } = status;
    if (succeeded >= next) {
      sizes.push(measureState(await workflow.query<JobState>('state')));
      next = succeeded + INDEXES / 20;
      print(`${succeeded} after ${(Date.now() - begin) / 1000} s; state: ${JSON.stringify(sizes.at(-1))}`);
    }
    return (trueCondition(status, 'Complete') ?? trueCondition(status, 'Failed')) && sizes;
  });
}

describe(`a Job of ${INDEXES} indexes that runs ${PARALLELISM} at a time`, () => {
  let sizes: StateSizes[];

  it(
    'completes each index once',
    async () => {
      const { cluster } = installation;
      const spec = { completionMode: 'Indexed', completions: INDEXES, parallelism: PARALLELISM } as const;
      const job = await cluster.createJob('wide', spec, { nodeName: NODE });
      id = workflowId('local', job.metadata.uid, 'Job');
      sizes = await sizesUntilComplete();
      const { status } = (await cluster.job('wide')) ?? {};
      expect(status).toMatchObject({ succeeded: INDEXES, completedIndexes: `0-${INDEXES - 1}` });
      expect(status?.failed ?? 0).toBe(0);
    },
    LIMIT_MS,
  );

  it('has a state of less than 512 KiB when it is compressed', () => {
    expect(Math.max(...sizes.map(({ gzipped }) => gzipped))).toBeLessThan(512 * 1024);
  });

  itStaysWithinBounds(() => ({ installation, temporal, worker, workflowId: id }), {
    limitMs: LIMIT_MS,
    print,
  });
});
