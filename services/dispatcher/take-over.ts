import type { Log } from '../adapters/log.ts';

/** Generic in the type of a run. */
export interface TakeOverDependencies<R extends { job: { cluster: string } }> {
  others: () => Promise<R[]>;
  isServed: (cluster: string) => Promise<boolean>;
  takeOver: (run: R) => Promise<boolean>;
  log: Log;
}

/** Concurrent takeovers, which the server can handle beside its other work. */
const AT_ONCE = 10;

/**
 * After an upgrade, takes over the runs that another build started, cluster by cluster, once workers of this build poll
 * for the cluster. Until then a worker of the other build, if there is one, keeps them going. Returns false when some
 * are left.
 */
export async function takeOverOthers<R extends { job: { cluster: string } }>({
  others,
  isServed,
  takeOver,
  log,
}: TakeOverDependencies<R>): Promise<boolean> {
  const runs = await others();
  const clusters = [...new Set(runs.map(({ job }) => job.cluster))];
  const served = new Set<string>();
  for (const cluster of clusters) if (await isServed(cluster)) served.add(cluster);
  const due = runs.filter(({ job }) => served.has(job.cluster));
  let taken = 0;
  for (let at = 0; at < due.length; at += AT_ONCE) {
    const done = await Promise.all(due.slice(at, at + AT_ONCE).map(takeOver));
    taken += done.filter(Boolean).length;
  }
  if (taken > 0) log.info({ taken }, 'took over Jobs from another build; they continue from the ledger');
  return due.length === runs.length;
}
