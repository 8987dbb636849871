import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { LiveRecord } from '../../../services/live-topic/live-topic.ts';
import { isPosition } from '../../../services/live-topic/watches.ts';
import { InputError } from '../../../services/adapters/errors.ts';
import type { Content } from './content.ts';
import { clusterContradictions, contradiction, clusterIdentity, type Identities } from './contradictions.ts';

/** Compares an export file with the ledger that it is imported into. */
export interface ImportComparison {
  /** Adds a record of the ledger. */
  add(event: LedgerEvent): void;
  /** True when the ledger has this event of the file. */
  has(event: LedgerEvent): boolean;
  /**
   * Number of events of the file that the ledger lacks. @throws InputError if the file and the ledger contradict each other, or if the ledger lacks
   * events of a watched cluster; with `isCheck`, which imports nothing, missing events of watched clusters are only counted.
   */
  missing(isCheck?: boolean): number;
}

/** The largest number of reported contradictions. */
const MOST_REPORTED = 10;

/** Compares the content of a file with a ledger. `live` has the live topic's records of the clusters that this installation watches. */
export function compareWithLedger(file: Content, live: readonly LiveRecord[]): ImportComparison {
  /** Events of the file that the ledger has, by cluster. */
  const present = new Map<string, number>();
  const identities: Identities = new Map();
  const problems: string[] = [];
  for (const { kind, cluster, value } of live)
    if (kind === 'identity') clusterIdentity(identities, cluster, String(value));
  // The number of events of each cluster that the ledger lacks.
  const lacking = (): Map<string, number> =>
    new Map(
      [...file.clusters()].map(([cluster, { events }]) => [cluster, events - (present.get(cluster) ?? 0)]),
    );
  return {
    add(event) {
      if (event.type === 'cluster.connected') clusterIdentity(identities, event.data.cluster, event.data.uid);
      const problem = contradiction(file, event);
      if (problem !== null) problems.push(problem);
      const { cluster } = event.data;
      if (file.index.mark(event.id, event.digest)) present.set(cluster, (present.get(cluster) ?? 0) + 1);
    },
    has: ({ id, digest }) => file.index.isMarked(id, digest),
    missing(isCheck = false) {
      const found = [
        ...clusterContradictions(file, identities),
        ...problems,
        ...(isCheck ? [] : problemsOfWatchedClusters(live, lacking())),
      ].slice(0, MOST_REPORTED);
      if (found.length > 0) throw new InputError(`nothing was imported:\n  ${found.join('\n  ')}`);
      return [...lacking().values()].reduce((sum, each) => sum + each, 0);
    },
  };
}

/**
 * The refusals for watched clusters: an installation may control the clusters that it watches, so it would treat an imported history as new facts.
 */
function problemsOfWatchedClusters(
  live: readonly LiveRecord[],
  lacking: ReadonlyMap<string, number>,
): string[] {
  const watched = new Set(
    live.filter((record) => isPosition(record) && record.value !== null).map(({ cluster }) => cluster),
  );
  return [...lacking]
    .filter(([cluster, events]) => events > 0 && watched.has(cluster))
    .map(
      ([cluster, events]) =>
        `"${cluster}" is watched by this installation, and its ledger lacks ${events} of the cluster's events in the file; import the file before the cluster is connected, or into another installation`,
    );
}
