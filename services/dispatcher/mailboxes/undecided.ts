/** The Jobs of one partition that wait for a decision. Each counts only for a time: its workflow may have failed, or have nothing to decide. */
export interface Undecided {
  add(cluster: string, uid: string, now: number): void;
  /** Called after a decision about the Job, or when it is gone. */
  remove(cluster: string, uid: string): void;
  has(cluster: string, uid: string): boolean;
  count(cluster: string, now: number): number;
}

/** `countedMs`: how long each Job counts, in milliseconds. */
export function createUndecided(countedMs: number): Undecided {
  /** Since when, by cluster and UID, oldest first. */
  const since = new Map<string, Map<string, number>>();
  return {
    add(cluster, uid, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      ofCluster.delete(uid);
      since.set(cluster, ofCluster.set(uid, now));
    },
    remove(cluster, uid) {
      since.get(cluster)?.delete(uid);
    },
    has: (cluster, uid) => since.get(cluster)?.has(uid) ?? false,
    count(cluster, now) {
      const ofCluster = since.get(cluster) ?? new Map<string, number>();
      for (const [uid, at] of ofCluster) {
        if (now - at < countedMs) break;
        ofCluster.delete(uid);
      }
      return ofCluster.size;
    },
  };
}
