import type { ClusterRestored } from '../../ledger/cluster-events.ts';
import type { JobDeleted, JobEvent } from '../../job/events.ts';

/** How a Job went. */
export interface Gone {
  event: JobDeleted;
  /** The restored API server lacks the Job, and no client deleted it. */
  isLost: boolean;
  /** The restore that lost the Job; null when its record is missing. */
  restored: ClusterRestored | null;
}

/**
 * The deletion of a Job; null for a Job that was never deleted, or that exists again after a restore of the API
 * server.
 */
export function findJobDeletion(events: readonly JobEvent[]): Gone | null {
  const at = events.findLastIndex(({ type }) => type === 'job.deleted');
  const event = events[at];
  if (event?.type !== 'job.deleted') return null;
  const { epoch = 0, seen } = event.data;
  const isAgain = events
    .slice(at + 1)
    .some((later) => later.type === 'job.observed' && (later.data.epoch ?? 0) > epoch);
  if (isAgain) return null;
  const before = events.slice(0, at).findLast((each) => each.type === 'job.observed');
  const isLost = !seen && epoch > (before?.data.epoch ?? 0);
  const restored = events.find(
    (each): each is ClusterRestored => each.type === 'cluster.restored' && each.data.epoch === epoch,
  );
  return { event, isLost, restored: isLost ? (restored ?? null) : null };
}

/**
 * The observation or deletion that first shows the deletion of the Job as it is now; undefined when no client deleted
 * it.
 */
export function shownDeletion(events: readonly JobEvent[]): JobEvent | undefined {
  const gone = findJobDeletion(events);
  if (gone?.isLost === true) return undefined;
  const present = events.findLastIndex(
    (event) => event.type === 'job.observed' && event.data.object.metadata.deletionTimestamp === undefined,
  );
  /** True for an event that may show the deletion. */
  const isDeletion = (event: JobEvent): boolean => event.type === 'job.observed' || event === gone?.event;
  return events.slice(present + 1).find(isDeletion);
}

/** The message about a Job that a restored API server lacks. */
export function goneMessage({ restored }: Gone): string {
  const when = restored === null ? '' : ` (noticed at ${restored.data.until})`;
  return `the API server was restored from an older copy, which lacks it${when}`;
}
