import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';

interface Run {
  job: { cluster: string };
  taskQueue: string;
}

/** The dependencies of `takeOverOthers` for runs of the type `R`. */
export interface TakeOverDependencies<R extends Run> {
  others: () => Promise<R[]>;
  /** The task queue of this build for a cluster. */
  getQueue: (cluster: string) => string;
  isPolled: (taskQueue: string) => Promise<boolean>;
  askToHandOver: (run: R) => Promise<void>;
  isRunning: (run: R) => Promise<boolean>;
  /** Replaces a run by a run that recalls its state. Resolves to false when no run was replaced. */
  takeOver: (run: R) => Promise<boolean>;
  log: Log;
  signal: AbortSignal;
}

/**
 * The number of runs that are handed over or taken over at the same time. A Temporal server can handle this number in
 * addition to its other work.
 */
const AT_ONCE = 50;
/**
 * The time in milliseconds after which a worker of the other build that has not handed over its runs counts as gone.
 */
const HAND_OVER_MS = 5000;
const CHECK_MS = 100;

/**
 * After an upgrade, takes over the runs that another build started, cluster by cluster, once workers of this build poll
 * for the cluster. A remaining worker of the other build continues the runs until workers of this build poll. The
 * worker of the other build is first asked to hand over its runs with their state; the remaining runs are replaced, and
 * recall their state from the ledger. Returns false if some runs are left.
 */
export async function takeOverOtherRuns<R extends Run>(
  dependencies: TakeOverDependencies<R>,
): Promise<boolean> {
  const { others, getQueue, isPolled, log } = dependencies;
  const runs = await others();
  const clusters = [...new Set(runs.map(({ job }) => job.cluster))];
  const served = new Set<string>();
  for (const cluster of clusters) if (await isPolled(getQueue(cluster))) served.add(cluster);
  const due = runs.filter(({ job }) => served.has(job.cluster));
  let [handedOver, replaced] = [0, 0];
  for (const taskQueue of new Set(due.map((run) => run.taskQueue))) {
    let asks = await isPolled(taskQueue);
    for (const batch of toBatches(due.filter((run) => run.taskQueue === taskQueue))) {
      const left = asks ? await requestHandover(dependencies, batch) : batch;
      handedOver += batch.length - left.length;
      asks &&= left.length < batch.length;
      replaced += (await Promise.all(left.map(dependencies.takeOver))).filter(Boolean).length;
    }
  }
  if (handedOver + replaced > 0)
    log.info(
      { handedOver, replaced },
      'took over Jobs from another build; the replaced runs recall the ledger',
    );
  return due.length === runs.length;
}

/** Requests a handover of these runs, and returns the runs that were not handed over in time. */
async function requestHandover<R extends Run>(
  { askToHandOver, isRunning, signal }: TakeOverDependencies<R>,
  batch: readonly R[],
): Promise<R[]> {
  await Promise.all(batch.map(askToHandOver));
  const end = performance.now() + HAND_OVER_MS;
  let left = [...batch];
  while (left.length > 0 && performance.now() < end && !signal.aborted) {
    await pause(CHECK_MS, signal);
    const running = await Promise.all(left.map(isRunning));
    left = left.filter((_run, at) => running[at]);
  }
  return left;
}

function toBatches<R>(runs: readonly R[]): R[][] {
  return Array.from({ length: Math.ceil(runs.length / AT_ONCE) }, (_none, at) =>
    runs.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
}
