import type {
  DropCause,
  DroppedCount,
  KubernetesEventsDropped,
} from '../../../workflows/ledger/kubernetes-events.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';

/** The most counts in an event, and the most counted pairs of a namespace and a cause until the next event. */
const [MOST_SHOWN, MOST_COUNTED] = [100, 10_000];

/** The counts of Events that are not recorded, since the last event about them. */
export interface DroppedCounts {
  add(namespace: string, cause: DropCause): void;
  /** The event with the counts, which begin again at 0; null when nothing was dropped. */
  take(): KubernetesEventsDropped | null;
}

/** Creates the counts of a cluster. `now` is in milliseconds. */
export function createDroppedCounts(cluster: string, now: () => number = Date.now): DroppedCounts {
  const counts = new Map<string, DroppedCount>();
  let further = 0;
  let since = now();
  return {
    add(namespace, cause) {
      const key = `${cause} ${namespace}`;
      const known = counts.get(key);
      if (known !== undefined) known.count += 1;
      else if (counts.size >= MOST_COUNTED) further += 1;
      else counts.set(key, { namespace, cause, count: 1 });
    },
    take() {
      const [from, until] = [since, now()].map((at) => new Date(at).toISOString()) as [string, string];
      since = now();
      if (counts.size === 0) return null;
      const sorted = [...counts.values()].toSorted(
        (a, b) => b.count - a.count || compareText(a.namespace, b.namespace) || compareText(a.cause, b.cause),
      );
      const rest = sorted.slice(MOST_SHOWN).reduce((sum, { count }) => sum + count, further);
      counts.clear();
      further = 0;
      return withDigest<KubernetesEventsDropped>({
        id: `${cluster}/kubernetes-events-dropped/${from}/${until}`,
        type: 'kubernetes-events.dropped',
        source: cluster,
        subject: cluster,
        time: until,
        data: {
          cluster,
          since: from,
          until,
          dropped: sorted.slice(0, MOST_SHOWN),
          ...(rest > 0 && { further: rest }),
        },
      });
    },
  };
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
