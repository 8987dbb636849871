import { piDigits } from '../../../demo/pi-digits.ts';
import { completed, exampleText, failed, startExamples, type Examples } from '../../support/examples.ts';
import { eventually } from '../../support/eventually.ts';
import { describedEvents, descriptionHead } from '../../support/kubectl.ts';
import { verifyAll } from '../../support/verify.ts';
import { loadYaml } from '../../support/yaml.ts';
import type { Job, JobStatus } from '../../../workflows/kubernetes/objects.ts';

/** The examples are from the page “Jobs” of the Kubernetes documentation. They mostly wait, so they run at the same time. */
let examples: Examples;

beforeAll(async () => {
  examples = await startExamples();
}, 120_000);

afterAll(() => examples?.installation.stop(), 30_000);

const CREATED = (job: string): string => `Normal SuccessfulCreate job-controller Created pod: ${job}-*`;
const DELETED = (job: string): string => `Normal SuccessfulDelete job-controller Deleted pod: ${job}-*`;
const SUSPENDED = 'Normal Suspended job-controller Job suspended';
const RESUMED = 'Normal Resumed job-controller Job resumed';
const COMPLETED = 'Normal Completed job-controller Job completed';

describe('in the tests with the examples of the Kubernetes documentation,', () => {
  it.concurrent('pi.yaml prints 2,000 digits, and has the same description as under the built-in controller', async () => {
    const { kubectl } = examples;
    expect(await examples.apply('pi.yaml')).toBe('job.batch/pi created\n');
    expect(await examples.ends('pi', 'complete')).toEqual(completed(1));
    expect(await kubectl.run('logs', 'jobs/pi')).toBe(`${piDigits(2000)}\n`);
    const selected = await kubectl.run(
      'get',
      'pods',
      '--selector=job-name=pi',
      '--output=jsonpath={.items[*].metadata.name}',
    );
    expect(selected).toMatch(/^pi-[a-z0-9]{5}$/);
    const description = await examples.describe('pi');
    expect(describedEvents(description)).toEqual([CREATED('pi'), COMPLETED]);
    expect(descriptionHead(description)).toEqual([
      'Name:             pi',
      'Namespace:        default',
      'Selector:         batch.kubernetes.io/controller-uid=UID',
      'Labels:           batch.kubernetes.io/controller-uid=UID',
      '                  batch.kubernetes.io/job-name=pi',
      '                  controller-uid=UID',
      '                  job-name=pi',
      'Annotations:      <none>',
      'Parallelism:      1',
      'Completions:      1',
      'Completion Mode:  NonIndexed',
      'Suspend:          false',
      'Backoff Limit:    4',
      'Start Time:       TIME',
      'Completed At:     TIME',
      'Duration:         SECONDS',
      'Pods Statuses:    0 Active (0 Ready) / 1 Succeeded / 0 Failed',
    ]);
  });

  it.concurrent('pi-with-timeout.yaml completes within its deadline', async () => {
    await examples.apply('jobs/pi-with-timeout.yaml');
    expect(await examples.ends('pi-with-timeout', 'complete')).toEqual(completed(1));
    expect(descriptionHead(await examples.describe('pi-with-timeout'))).toContain(
      'Active Deadline Seconds:  100s',
    );
  });

  it.concurrent('pi-with-ttl.yaml is deleted with its pod when its TTL has passed, and no finalizer is left', async () => {
    const { kubectl } = examples;
    await examples.apply('jobs/pi-with-ttl.yaml');
    await examples.ends('pi-with-ttl', 'complete');
    await examples.patch('pi-with-ttl', { spec: { ttlSecondsAfterFinished: 0 } });
    await kubectl.run('wait', '--for=delete', 'job/pi-with-ttl', '--timeout=30s');
    await kubectl.run('wait', '--for=delete', 'pod', '--selector=job-name=pi-with-ttl', '--timeout=30s');
    expect(await examples.pods('pi-with-ttl')).toEqual([]);
  });

  it.concurrent('myjob.yaml is resumed, suspended and resumed by kubectl patch (J-6.41, J-6.42)', async () => {
    const { kubectl } = examples;
    const until = (path: string): Promise<string> =>
      kubectl.run('wait', `--for=jsonpath=${path}`, 'job/myjob', '--timeout=30s');
    await examples.apply('jobs/myjob.yaml');
    await kubectl.run('wait', '--for=condition=suspended', 'job/myjob', '--timeout=30s');
    expect(await examples.pods('myjob')).toEqual([]);
    expect(await examples.patch('myjob', { spec: { suspend: false } })).toBe('job.batch/myjob patched\n');
    await until('{.status.active}=1');
    await examples.patch('myjob', { spec: { suspend: true } });
    await kubectl.run('wait', '--for=condition=suspended', 'job/myjob', '--timeout=30s');
    const suspended = await examples.status('myjob');
    expect(suspended).not.toHaveProperty('startTime');
    // Each pod sleeps for two seconds, so that on a busy machine some end before the patch.
    const { succeeded: before = 0 } = suspended;
    await examples.patch('myjob', { spec: { suspend: false } });
    const { conditions, ...counters } = await examples.ends('myjob', 'complete');
    expect(counters).toEqual({ succeeded: 5, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Suspended=False',
      'SuccessCriteriaMet=True',
      'Complete=True',
    ]);
    const created = CREATED('myjob');
    const events = describedEvents(await examples.describe('myjob'));
    // No pod is deleted if a pod has just ended at the suspension, and the next pod does not exist yet.
    const deletions = events.filter((event) => event === DELETED('myjob'));
    expect(before + deletions.length).toBeGreaterThan(0);
    expect(deletions.length).toBeLessThanOrEqual(1);
    // A deleted pod that ends with success within its grace period counts, and then needs no successor.
    const creations = events.filter((event) => event === created).length;
    expect(creations).toBeGreaterThanOrEqual(5);
    expect(creations).toBeLessThanOrEqual(5 + deletions.length);
    const first = before + deletions.length;
    expect(events).toEqual([
      SUSPENDED,
      created,
      RESUMED,
      ...Array.from({ length: first - 1 }, () => created),
      ...deletions,
      SUSPENDED,
      created,
      RESUMED,
      ...Array.from({ length: creations - first - 1 }, () => created),
      COMPLETED,
    ]);
  });

  it.concurrent('mutable-scheduling-directives.yaml runs on the node that a patch before its start selected', async () => {
    const { kubectl } = examples;
    const name = 'mutable-scheduling-directives';
    await examples.apply(`jobs/${name}.yaml`);
    await kubectl.run('wait', '--for=condition=suspended', `job/${name}`, '--timeout=30s');
    const nodeSelector = { 'kubernetes.io/hostname': 'local' };
    await examples.patch(name, { spec: { template: { spec: { nodeSelector } } } });
    await examples.patch(name, { spec: { suspend: false } });
    expect(await examples.ends(name, 'complete')).toMatchObject({ succeeded: 1 });
    const placed = await kubectl.run(
      'get',
      'pods',
      `--selector=job-name=${name}`,
      '--output=jsonpath={.items[*].spec.nodeSelector}',
    );
    expect(JSON.parse(placed)).toEqual(nodeSelector);
    const written = examples.patch(name, { spec: { template: { spec: { nodeSelector: { zone: 'a' } } } } });
    await expect(written).rejects.toThrow('field is immutable');
  });

  it.concurrent('a Job runs, stops and runs on another node as a queue such as Kueue requests', async () => {
    const { kubectl } = examples;
    const name = 'queued';
    const selected = { 'kubernetes.io/hostname': 'local' };
    const podSpec = (nodeSelector: object | null): object => ({ template: { spec: { nodeSelector } } });
    const manifest = loadYaml<Job>(exampleText('jobs/mutable-scheduling-directives.yaml'));
    const [main] = manifest.spec.template?.spec.containers ?? [];
    if (main === undefined) throw new Error('the example has a container');
    Object.assign(main, { command: ['sleep', '600'] });
    await kubectl.pipe(JSON.stringify({ ...manifest, metadata: { name } }), 'create', '-f', '-');
    await kubectl.run('wait', '--for=condition=suspended', `job/${name}`, '--timeout=30s');
    await examples.patch(name, { spec: { suspend: false, ...podSpec(selected) } });
    await kubectl.run('wait', '--for=jsonpath={.status.ready}=1', `job/${name}`, '--timeout=30s');
    // Kueue preempts: it suspends the Job, removes the start time, and restores the template.
    await examples.patch(name, { spec: { suspend: true } });
    await kubectl.run('wait', '--for=condition=suspended', `job/${name}`, '--timeout=30s');
    const noStart = JSON.stringify({ status: { startTime: null } });
    await kubectl.run('patch', 'job', name, '--subresource=status', '--type=merge', '-p', noStart);
    await eventually('its template may change', 30, () =>
      examples.patch(name, { spec: podSpec(null) }).catch(() => undefined),
    );
    await kubectl.run('wait', '--for=delete', 'pods', `--selector=job-name=${name}`, '--timeout=60s');
    expect(await examples.status(name)).not.toHaveProperty('startTime');
    await examples.patch(name, { spec: { suspend: false, ...podSpec(selected) } });
    await kubectl.run('wait', '--for=jsonpath={.status.ready}=1', `job/${name}`, '--timeout=30s');
    expect(await examples.status(name)).toMatchObject({ active: 1, startTime: expect.any(String) });
    await kubectl.run('delete', 'job', name);
  });

  it.concurrent('new.yaml adopts the pods that old.yaml left behind (J-1.10, J-3.32)', async () => {
    const { kubectl } = examples;
    await examples.apply('jobs/old.yaml');
    await kubectl.run('wait', '--for=jsonpath={.status.ready}=2', 'job/old', '--timeout=30s');
    const left = await examples.pods('old');
    const uid = await kubectl.run('get', 'job', 'old', '-o', 'jsonpath={.metadata.uid}');
    await kubectl.run('delete', 'jobs/old', '--cascade=orphan');
    const manifest = exampleText('jobs/new.yaml').replaceAll('$UID', uid);
    expect(await kubectl.pipe(manifest, 'create', '-f', '-')).toBe('job.batch/new created\n');
    expect(await examples.ends('new', 'complete')).toEqual(completed(3));
    expect(describedEvents(await examples.describe('new'))).toEqual([CREATED('new'), COMPLETED]);
    const pods = await kubectl.run(
      'get',
      'pods',
      `--selector=batch.kubernetes.io/controller-uid=${uid}`,
      '--output=name',
    );
    const names = pods
      .trim()
      .split('\n')
      .map((name) => name.replace('pod/', ''));
    expect(names).toEqual([expect.stringMatching(/^new-/), ...left]);
  });

  it.concurrent('pod-replacement-policy.yaml has at most one pod at a time, although a user deletes its pod (J-5.37)', async () => {
    const { kubectl, installation } = examples;
    const name = 'pod-replacement-policy';
    await examples.apply(`jobs/${name}.yaml`);
    await kubectl.run('wait', '--for=jsonpath={.status.ready}=1', `job/${name}`, '--timeout=30s');
    await kubectl.run('delete', 'pod', `--selector=job-name=${name}`, '--wait=false');
    expect(await examples.ends(name, 'complete')).toEqual({ ...completed(1), failed: 1 });
    const pods = await eventually('its end is recorded', 20, async () => {
      const rows = await installation.sql<{ status: JobStatus }>(
        "select data #> '{object,status}' as status from jobledger.events where job_name = $1 and type = 'job.observed' order by kafka_offset",
        [name],
      );
      const shown = rows.map(({ status }) => status);
      if (shown.at(-1)?.completionTime === undefined) return undefined;
      return shown.map(({ active = 0, terminating = 0 }) => ({ active, terminating }));
    });
    expect(pods).toContainEqual({ active: 0, terminating: 1 });
    expect(pods.filter(({ active, terminating }) => active + terminating > 1)).toEqual([]);
    expect(describedEvents(await examples.describe(name))).toEqual([CREATED(name), CREATED(name), COMPLETED]);
  });

  it.concurrent('the Job of managed-by.yaml, which names another controller, is recorded and not changed (J-15.9)', async () => {
    const { installation } = examples;
    await examples.apply('jobs/managed-by.yaml');
    await eventually('the Job is recorded', 20, async () => {
      const rows = await installation.sql("select 1 from jobledger.jobs where name = 'managed-by'");
      return rows.length > 0 ? true : undefined;
    });
    expect(await examples.status('managed-by')).toEqual({});
    expect(await examples.pods('managed-by')).toEqual([]);
  });

  it.concurrent('job-backoff-limit-per-index-example.yaml tries each index two times (J-6.20)', async () => {
    const name = 'job-backoff-limit-per-index-example';
    await examples.apply(`jobs/${name}.yaml`);
    const why = { reason: 'FailedIndexes', message: 'Job has failed indexes' };
    const indexes = { completedIndexes: '1,3,5,7,9', failedIndexes: '0,2,4,6,8' };
    expect(await examples.ends(name, 'failed')).toEqual(
      failed({ succeeded: 5, failed: 10, ...indexes }, why),
    );
    const description = await examples.describe(name);
    const head = descriptionHead(description);
    expect(head).toContain('Pods Statuses:      0 Active (0 Ready) / 5 Succeeded / 10 Failed');
    expect(head).toContain('Completed Indexes:  1,3,5,7,9');
    expect(describedEvents(description).at(-1)).toBe(
      'Warning FailedIndexes job-controller Job has failed indexes',
    );
  });

  it.concurrent('job-success.yaml is Complete when the index in its policy succeeds (J-6.32)', async () => {
    await examples.apply('jobs/job-success.yaml');
    const why = { reason: 'SuccessPolicy', message: 'Matched rules at index 0' };
    const status = await examples.ends('job-success', 'complete');
    expect(status).toEqual({ ...completed(1, why), completedIndexes: '2' });
    const events = describedEvents(await examples.describe('job-success'));
    const count = (reason: string): number => events.filter((event) => event.includes(` ${reason} `)).length;
    expect([count('SuccessfulCreate'), count('SuccessfulDelete'), count('Completed')]).toEqual([10, 9, 1]);
  });

  it.concurrent('job-sidecar.yaml completes although its sidecar container has not ended by itself', async () => {
    await examples.apply('jobs/job-sidecar.yaml');
    expect(await examples.ends('job-sidecar', 'complete')).toEqual(completed(1));
    const shipped = await examples.kubectl.run('logs', 'jobs/job-sidecar', '--container=logshipper');
    // On a busy machine, `tail` is stopped after it has noticed the file of the main container and before it prints the line.
    expect(shipped).toMatch(/logging|logs\.txt' has appeared/);
  });

  it.concurrent('the pod of controller-pod.yaml creates further pods through the API server, and the Job completes', async () => {
    await examples.apply('jobs/controller-pod.yaml');
    expect(await examples.ends('controller-pod', 'complete')).toEqual(completed(1));
    expect(await examples.printed('controller-pod')).toEqual(['3 pods succeeded']);
    const [pod] = await examples.pods('controller-pod');
    const selector = `--selector=started-by=${pod}`;
    await examples.kubectl.run('wait', '--for=delete', 'pod', selector, '--timeout=30s');
  });
});

describe('the decisions about all Jobs of the Kubernetes documentation', () => {
  it('are the same when they are made again from the ledger alone', async () => {
    const { findings, decisions } = await verifyAll(examples.installation);
    expect(findings).toEqual([]);
    expect(decisions).toBeGreaterThan(30);
  });
});
