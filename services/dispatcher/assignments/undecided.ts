import type { ObjectRef } from '../../../workflows/activities.ts';

/**
 * The Jobs of one partition that wait for a decision. Each Job counts for a limited time, because its workflow may have
 * failed or may have nothing to decide.
 */
export interface UndecidedJobs {
  add(job: ObjectRef, now: number): void;
  /** Called after a decision about the Job, or when the Job is gone. */
  remove(job: ObjectRef): void;
  has(job: ObjectRef): boolean;
  /** The number of undecided Jobs in each namespace of a cluster; a namespace without such a Job is left out. */
  byNamespace(cluster: string, now: number): ReadonlyMap<string, number>;
}

interface OfCluster {
  /** The Jobs by UID, the oldest first. */
  jobs: Map<string, { namespace: string; since: number }>;
  counts: Map<string, number>;
}

/** `countedMs` is the time for which each Job counts, in milliseconds. */
export function createUndecidedJobs(countedMs: number): UndecidedJobs {
  const clusters = new Map<string, OfCluster>();
  const remove = ({ cluster, uid }: Pick<ObjectRef, 'cluster' | 'uid'>): void => {
    const { jobs, counts } = clusters.get(cluster) ?? {};
    const job = jobs?.get(uid);
    if (jobs === undefined || counts === undefined || job === undefined) return;
    jobs.delete(uid);
    const left = (counts.get(job.namespace) ?? 0) - 1;
    if (left > 0) counts.set(job.namespace, left);
    else counts.delete(job.namespace);
  };
  return {
    add({ cluster, namespace, uid }, now) {
      remove({ cluster, uid });
      const ofCluster = clusters.get(cluster) ?? { jobs: new Map(), counts: new Map() };
      clusters.set(cluster, ofCluster);
      ofCluster.jobs.set(uid, { namespace, since: now });
      ofCluster.counts.set(namespace, (ofCluster.counts.get(namespace) ?? 0) + 1);
    },
    remove,
    has: ({ cluster, uid }) => clusters.get(cluster)?.jobs.has(uid) ?? false,
    byNamespace(cluster, now) {
      const { jobs, counts } = clusters.get(cluster) ?? {};
      for (const [uid, { since }] of jobs ?? []) {
        if (now - since < countedMs) break;
        remove({ cluster, uid });
      }
      return counts ?? new Map<string, number>();
    },
  };
}
