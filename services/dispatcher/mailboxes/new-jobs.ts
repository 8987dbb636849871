/** How long a Job without a decision counts as new, in milliseconds: its workflow may have failed. */
const COUNTED_MS = 300_000;

/** The new Jobs of one partition that wait for their first decision. */
export interface NewJobs {
  add(cluster: string, uid: string, now: number): void;
  /** Called after the first decision about the Job, or when it is gone. */
  remove(cluster: string, uid: string): void;
  count(cluster: string, now: number): number;
}

export function createNewJobs(): NewJobs {
  /** When each Job was read, by cluster and UID, oldest first. */
  const since = new Map<string, Map<string, number>>();
  return {
    add(cluster, uid, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      since.set(cluster, ofCluster.set(uid, now));
    },
    remove(cluster, uid) {
      since.get(cluster)?.delete(uid);
    },
    count(cluster, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      for (const [uid, read] of ofCluster) {
        if (now - read < COUNTED_MS) break;
        ofCluster.delete(uid);
      }
      return ofCluster.size;
    },
  };
}
