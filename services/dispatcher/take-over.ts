import type { Log } from '../adapters/log.ts';

/** The work of another build, generic in what names a piece of it. */
export interface TakeOverDependencies<R extends { job: { cluster: string } }> {
  others: () => Promise<R[]>;
  isServed: (cluster: string) => Promise<boolean>;
  takeOver: (run: R) => Promise<boolean>;
  log: Log;
}

/** As many at once as the server bears beside its other work. */
const AT_ONCE = 10;

/**
 * After an upgrade: the Jobs whose runs another build began go on with this one, cluster by cluster, once its workers
 * ask for work; until then a worker of the other build, if there is one, keeps them going. False when some are left.
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
  if (taken > 0) log.info({ taken }, 'Jobs that another build drove go on with this one, from the ledger');
  return due.length === runs.length;
}
