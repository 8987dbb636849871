import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesClient } from '../../../../services/adapters/kubernetes/client.ts';
import { list, eventVersion, watch, type ApiObject } from '../../../../services/adapters/kubernetes/watch.ts';
import type { Job, Pod } from '../../../../workflows/kubernetes/objects.ts';
import { NODE_NAME } from '../control-plane/control-plane.ts';
import { finishedJobs, noteJob, notePod, noteRows, requestedAt, type TimesByName } from './job-times.ts';
import { jobsIn, podsIn } from './namespace.ts';
import type { Load } from '../options.ts';
import { createTurns } from '../../../../services/adapters/waiting/turns.ts';

const REQUESTS_AT_ONCE = 20;
const POLL_MS = 50;
/** No progress for this long ends the run with an error. */
const STALLED_MS = 120_000;
const HOUR_SECONDS = 3600;

/**
 * Creates the Jobs in an empty namespace, and watches until all have a terminal condition, and are in the tables when they are
 * asked for. @throws unless all are Complete.
 */
export async function runLoad(
  client: KubernetesClient,
  namespace: string,
  load: Load,
  endedInTables?: () => Promise<ReadonlySet<string>>,
): Promise<TimesByName> {
  const times: TimesByName = new Map();
  const stop = new AbortController();
  const jobs = await watchChanges<Job>(client, jobsIn(namespace), stop.signal);
  const pods = await watchChanges<Pod>(client, podsIn(namespace), stop.signal);
  const watching = Promise.all([
    each(jobs, (job) => noteJob(times, job, performance.now())),
    each(pods, (pod) => notePod(times, pod, performance.now())),
  ]);
  try {
    const work = createJobs(client, namespace, load, times).then(() => allFinished(times));
    const rows = endedInTables === undefined ? work : noteAllRows(times, endedInTables, work);
    await Promise.race([Promise.all([work, rows]), watching]);
  } finally {
    stop.abort();
    await watching.catch(() => undefined);
  }
  const failed = [...times].filter(([, { result }]) => result !== 'Complete').map(([name]) => name);
  if (failed.length > 0) throw new Error(`these Jobs are not Complete: ${failed.join(', ')}`);
  return times;
}

async function createJobs(
  client: KubernetesClient,
  namespace: string,
  load: Load,
  times: TimesByName,
): Promise<void> {
  const inTurn = createTurns(REQUESTS_AT_ONCE);
  const begin = performance.now();
  const create = async (name: string, number: number): Promise<void> => {
    if (load.rate !== undefined)
      await pause(Math.max(0, begin + (number * 1000) / load.rate - performance.now()));
    await inTurn(async () => {
      times.set(name, requestedAt(performance.now()));
      await client.request({ method: 'POST', path: jobsIn(namespace), body: manifest(name, load) });
    });
  };
  await Promise.all(Array.from({ length: load.jobs }, (_none, number) => create(`job-${number}`, number)));
}

/** Ends after `work`, once the end of each Job is in the tables. */
async function noteAllRows(
  times: TimesByName,
  endedInTables: () => Promise<ReadonlySet<string>>,
  work: Promise<void>,
): Promise<void> {
  let limit = Infinity;
  const over = work.finally(() => (limit = performance.now() + STALLED_MS));
  const areMissing = (): boolean => [...times.values()].some(({ row }) => row === undefined);
  for (;;) {
    if (limit !== Infinity && !areMissing()) return over;
    if (performance.now() > limit) throw new Error('the tables do not show the end of every Job');
    noteRows(times, await endedInTables(), performance.now());
    await pause(POLL_MS);
  }
}

function manifest(name: string, { pods, parallelism, indexed }: Load): unknown {
  const pod = { restartPolicy: 'Never', nodeName: NODE_NAME, containers: [{ name: 'main', image: 'none' }] };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name },
    spec: {
      completions: pods,
      parallelism,
      completionMode: indexed ? 'Indexed' : 'NonIndexed',
      template: { spec: pod },
    },
  };
}

/** The objects that change in a collection from the time of the call on. The API server ends the watch of a slow reader. */
async function watchChanges<T extends ApiObject>(
  client: KubernetesClient,
  path: string,
  signal: AbortSignal,
): Promise<AsyncGenerator<T>> {
  let { resourceVersion } = (await list<T>(client, path, '', signal)).metadata;
  const limits = { timeoutSeconds: HOUR_SECONDS, idleMs: HOUR_SECONDS * 1000 };
  return (async function* changes() {
    while (!signal.aborted)
      for await (const event of watch<T>(client, path, { resourceVersion, signal, ...limits })) {
        resourceVersion = eventVersion(event);
        if ('object' in event) yield event.object;
      }
  })();
}

async function each<T>(changes: AsyncIterable<T>, note: (object: T) => void): Promise<void> {
  for await (const object of changes) note(object);
}

async function allFinished(times: TimesByName): Promise<void> {
  let seen = { steps: 0, at: performance.now() };
  while (finishedJobs(times) < times.size) {
    await pause(POLL_MS);
    const steps = [...times.values()].reduce(
      (total, { endedPods }) => total + endedPods.size,
      finishedJobs(times),
    );
    if (steps !== seen.steps) seen = { steps, at: performance.now() };
    else if (performance.now() - seen.at > STALLED_MS)
      throw new Error(
        `no Job and no pod has ended for ${STALLED_MS / 1000} s; ${finishedJobs(times)} of ${times.size} Jobs are finished`,
      );
  }
}
