import type { ClusterRestored } from '../../../workflows/ledger/cluster-events.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import type { Epoch } from '../../live-topic/epoch.ts';

/** The epoch after `before`. `since` is the time at which the last version of the old epoch was seen. */
export function nextEpoch(
  before: Epoch | null,
  { from, to, since }: { from: string; to: string; since: string },
): Epoch {
  return { epoch: (before?.epoch ?? 0) + 1, from, to, since, until: new Date().toISOString() };
}

/**
 * The event about the beginning of an epoch. The event is the same at each call, so that it can be appended again after
 * a crash.
 */
export function restoredEvent(cluster: string, value: Epoch): ClusterRestored {
  const { epoch, from, to, until } = value;
  return withDigest<ClusterRestored>({
    id: `${cluster}/restored/${epoch}/${from}/${to}`,
    type: 'cluster.restored',
    source: cluster,
    subject: cluster,
    time: until,
    data: { cluster, ...value },
  });
}
