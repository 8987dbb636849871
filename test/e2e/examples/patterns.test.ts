import { execFile } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import {
  completed,
  describedUnder,
  exampleFile,
  exampleText,
  failed,
  startExamples,
  type Examples,
} from '../../support/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { describedEvents, descriptionHead } from '../../support/kubectl.ts';
import { verifyAll } from '../../support/verify.ts';

/** The examples are from the task pages of the Kubernetes documentation about Jobs. They run at the same time, as in jobs.test.ts. */
let examples: Examples;

beforeAll(async () => {
  examples = await startExamples();
}, 120_000);

afterAll(() => examples?.installation.stop(), 30_000);

const CREATED = 'Normal SuccessfulCreate job-controller Created pod: ';
const COMPLETED = 'Normal Completed job-controller Job completed';
const FRUIT = ['apple', 'banana', 'cherry', 'date', 'fig', 'grape', 'lemon', 'melon'];
const PORT_IN_MANIFESTS = '8925';

describe('the examples of work queues', () => {
  it.concurrent('process each item once, both with one item per pod and with several items per pod', async () => {
    const { kubectl } = examples;
    const port = String(await freePort());
    const apply = (file: string): Promise<string> =>
      kubectl.pipe(exampleText(file).replaceAll(PORT_IN_MANIFESTS, port), 'apply', '-f', '-');
    await apply('work-queue/queue.yaml');
    await fill(`http://127.0.0.1:${port}/job1`, FRUIT);
    await fill(`http://127.0.0.1:${port}/job2`, [...FRUIT, 'orange']);
    await Promise.all([apply('work-queue/job-wq-1.yaml'), apply('work-queue/job-wq-2.yaml')]);

    expect(await examples.ends('job-wq-1', 'complete')).toEqual(completed(8));
    expect(await examples.printed('job-wq-1')).toEqual(FRUIT.map((item) => `Processing ${item}`));
    const coarse = await examples.describe('job-wq-1');
    expect(descriptionHead(coarse)).toContain(
      'Pods Statuses:    0 Active (0 Ready) / 8 Succeeded / 0 Failed',
    );
    expect(describedEvents(coarse)).toEqual([...FRUIT.map(() => `${CREATED}job-wq-1-*`), COMPLETED]);

    expect(await examples.ends('job-wq-2', 'complete')).toEqual(completed(2));
    const lines = await examples.printed('job-wq-2');
    expect(lines.filter((line) => line.startsWith('Working on'))).toEqual(
      [...FRUIT, 'orange'].map((item) => `Working on ${item}`),
    );
    const fine = await examples.describe('job-wq-2');
    expect(descriptionHead(fine)).toContain('Completions:      <unset>');
    expect(describedEvents(fine)).toEqual([`${CREATED}job-wq-2-*`, `${CREATED}job-wq-2-*`, COMPLETED]);
  });
});

describe('in the examples of static work assignment', () => {
  it.concurrent('each container of indexed-job.yaml reads the file that the init container wrote for its index (J-5.6)', async () => {
    await examples.apply('indexed/indexed-job.yaml');
    expect(await examples.ends('indexed-job', 'complete')).toEqual({
      ...completed(5),
      completedIndexes: '0-4',
    });
    expect(await examples.printed('indexed-job')).toEqual(['oof', 'rab', 'xuq', 'zab', 'zyx']);
    const description = await examples.describe('indexed-job');
    expect(descriptionHead(description)).toContain('Completed Indexes:  0-4');
    const created = [0, 1, 2, 3, 4].map((index) => `${CREATED}indexed-job-${index}-*`);
    const [last, ...others] = describedEvents(description).toReversed();
    expect(last).toBe(COMPLETED);
    expect(others.toSorted()).toEqual(created);
  });

  it.concurrent('each pod of indexed-job-vol.yaml finds its completion index in a file', async () => {
    await examples.apply('indexed/indexed-job-vol.yaml');
    expect(await examples.ends('indexed-job-vol', 'complete')).toMatchObject({ completedIndexes: '0-4' });
    expect(await examples.printed('indexed-job-vol')).toEqual(['0', '1', '2', '3', '4']);
  });
});

describe('in the examples of Jobs from a template', () => {
  it.concurrent('each Job that is created from job-tmpl.yaml processes its own item', async () => {
    const { kubectl } = examples;
    const items = ['apple', 'banana', 'cherry'];
    const manifests = items.map((item) => exampleText('expansion/job-tmpl.yaml').replaceAll('$ITEM', item));
    const created = await kubectl.pipe(manifests.join('---\n'), 'create', '-f', '-');
    expect(created).toBe(items.map((item) => `job.batch/process-item-${item} created\n`).join(''));
    for (const item of items)
      expect(await examples.ends(`process-item-${item}`, 'complete')).toEqual(completed(1));
    const printed = await kubectl.run('logs', '--follow', '--selector=jobgroup=jobexample');
    expect(printed.trim().split('\n').toSorted()).toEqual(items.map((item) => `Processing item ${item}`));
    await kubectl.run('delete', 'job', '--selector=jobgroup=jobexample');
    await kubectl.run('wait', '--for=delete', 'pod', '--selector=jobgroup=jobexample', '--timeout=30s');
  });

  it.concurrent('each Job that jobs.mjs generates runs with its own parameters', async () => {
    const { stdout } = await promisify(execFile)('node', [exampleFile('expansion/jobs.mjs')]);
    await examples.kubectl.pipe(stdout, 'apply', '-f', '-');
    for (const name of ['apple', 'banana', 'cherry']) {
      await examples.ends(`jobexample-${name}`, 'complete');
      const url = `http://dbpedia.org/resource/${name.replace(/^./, (letter) => letter.toUpperCase())}`;
      expect(await examples.printed(`jobexample-${name}`)).toEqual([`Processing URL ${url}`]);
    }
  });
});

describe('in the example of a chain', () => {
  it.concurrent('chain.yaml runs three Jobs, each after the end of its predecessor', async () => {
    await examples.apply('chain.yaml');
    for (const name of ['extract', 'transform', 'load'])
      expect(await examples.ends(name, 'complete')).toMatchObject({ succeeded: 1 });
    const ended = (name: string): Promise<string> =>
      examples.kubectl.run('get', 'job', name, '-o', 'jsonpath={.status.completionTime}');
    const started = (name: string): Promise<string> =>
      examples.kubectl.run('get', 'job', name, '-o', 'jsonpath={.status.startTime}');
    expect((await started('transform')) >= (await ended('extract'))).toBe(true);
    expect((await started('load')) >= (await ended('transform'))).toBe(true);
  });
});

describe('in the examples of retriable and non-retriable failures', () => {
  it.concurrent.each(['job-pod-failure-policy-failjob', 'job-pod-failure-policy-example'])(
    'the example %s.yaml fails as soon as a container exits with code 42 (J-6.12)',
    async (name) => {
      await examples.apply(`pod-failure-policy/${name}.yaml`);
      const { conditions = [], succeeded } = await examples.ends(name, 'failed');
      const reported = `Container main for pod default/${name}-\\w{5} failed with exit code 42 matching FailJob rule at index 0`;
      expect(conditions).toEqual([
        {
          type: 'FailureTarget',
          status: 'True',
          reason: 'PodFailurePolicy',
          message: expect.stringMatching(reported),
        },
        { ...conditions[0], type: 'Failed' },
      ]);
      expect(succeeded).toBeUndefined();
      const events = describedEvents(await examples.describe(name));
      expect(events[0]).toBe(`${CREATED}${name}-*`);
      expect(events.at(-1)).toBe(`Warning PodFailurePolicy job-controller ${conditions[0]?.message}`);
    },
  );

  it.concurrent('job-pod-failure-policy-ignore.yaml completes, and does not count pods that a drain of the node evicted (J-6.10)', async () => {
    const { kubectl } = examples;
    const name = 'job-pod-failure-policy-ignore';
    await examples.apply(`pod-failure-policy/${name}.yaml`);
    await kubectl.run('wait', '--for=jsonpath={.status.ready}=2', `job/${name}`, '--timeout=30s');
    const selector = `--pod-selector=job-name=${name}`;
    const drained = await kubectl.run('drain', 'local', selector, '--grace-period=0', '--timeout=30s');
    await kubectl.run('uncordon', 'local');
    expect(drained.match(new RegExp(`pod/${name}-\\w{5} evicted`, 'g'))).toHaveLength(2);
    expect(await examples.status(name)).not.toHaveProperty('failed');
    expect(await examples.ends(name, 'complete')).toEqual(completed(4));
  });

  it.concurrent('job-pod-failure-policy-config-issue.yaml fails because of a condition of a pod that never ran', async () => {
    const { kubectl } = examples;
    const name = 'job-pod-failure-policy-config-issue';
    await examples.apply(`pod-failure-policy/${name}.yaml`);
    const waiting = '{.status.containerStatuses[0].state.waiting.reason}=CreateContainerConfigError';
    const selector = `--selector=job-name=${name}`;
    const pod = await eventually('a pod that cannot start', 30, async () => {
      await kubectl.run('wait', `--for=jsonpath=${waiting}`, 'pod', selector, '--timeout=10s');
      return (await examples.pods(name))[0];
    });
    const condition = { type: 'ConfigIssue', status: 'True', reason: 'NonExistingConfigMap' };
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    await kubectl.run('patch', 'pod', pod, '--subresource=status', '--patch', patch);
    await kubectl.run('delete', `pods/${pod}`);
    const why = {
      reason: 'PodFailurePolicy',
      message: `Pod default/${pod} has condition ConfigIssue matching FailJob rule at index 0`,
    };
    expect(await examples.ends(name, 'failed')).toEqual(failed({ failed: 2 }, why));
  });

  it.concurrent('job-backoff-limit-per-index-failindex.yaml retries one index, and by its policy does not retry another (J-6.22)', async () => {
    const name = 'job-backoff-limit-per-index-failindex';
    await examples.apply(`pod-failure-policy/${name}.yaml`);
    const why = { reason: 'FailedIndexes', message: 'Job has failed indexes' };
    const indexes = { completedIndexes: '2,3', failedIndexes: '0,1' };
    expect(await examples.ends(name, 'failed')).toEqual(failed({ succeeded: 2, failed: 3, ...indexes }, why));
    const tried = (await examples.pods(name)).map((pod) => pod.replace(/-\w{5}$/, ''));
    expect(tried).toEqual([0, 0, 1, 2, 3].map((index) => `${name}-${index}`));
  });
});

describe('the command kubectl describe', () => {
  it.concurrent.each([
    ['pi.yaml', 'complete'],
    ['jobs/job-sidecar.yaml', 'complete'],
    ['indexed/indexed-job.yaml', 'complete'],
    ['pod-failure-policy/job-backoff-limit-per-index-failindex.yaml', 'failed'],
  ] as const)(
    'shows for %s the same description as for a Job of the built-in controller',
    async (file, condition) => {
      const [ours, theirs] = await Promise.all([
        describedUnder(examples, OWN_MANAGER, file, condition),
        describedUnder(examples, 'kubernetes.io/job-controller', file, condition),
      ]);
      expect(ours).toEqual(theirs);
    },
  );
});

describe('the decisions about all patterns of the Kubernetes documentation', () => {
  it('are the same when they are made again from the ledger alone', async () => {
    const { findings, decisions } = await verifyAll(examples.installation);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(30);
  });
});

async function fill(queue: string, items: readonly string[]): Promise<void> {
  for (const item of items)
    await eventually(`${queue} takes ${item}`, 30, async () => {
      const { ok } = await fetch(queue, { method: 'POST', body: item });
      return ok ? true : undefined;
    });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
