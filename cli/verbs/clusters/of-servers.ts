import { messageOf } from '../../../services/adapters/errors.ts';
import { readWatches, type ClusterWatches } from '../../../services/contracts/watches.ts';
import { allClusters, type ClusterView } from '../../../services/read-model/details.ts';
import { kafkaOf } from '../../ledger/read-ledger.ts';
import { say, write, type OutputOption } from '../../output.ts';
import { span } from '../../print/spans.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';
import { withDatabase } from '../../with-database.ts';
import { writeJson } from '../../write-json.ts';
import { clusterRow, clusterTable, type ClusterRow } from './cluster-table.ts';

/** With the ingester that watches the cluster, from Kafka. */
interface WatchedCluster extends ClusterRow {
  leader: string | null;
  leading_since: string | null;
  jobs_heard_at: string | null;
  pods_heard_at: string | null;
}

/** Prints the clusters, and who watches them. @throws when Postgres does not answer. */
export async function printClustersOfServers(options: ConnectionOptions & OutputOption): Promise<void> {
  const found = await withDatabase(options, (run) => run<ClusterView>(allClusters()));
  const watches = await watchesOf(options);
  const rows = found.map((each) => watched(each, watches.get(each.name)));
  if (options.output === 'json') return writeJson(rows);
  const now = Date.now();
  const ago = (time: string | null): string => (time === null ? '' : `${span(Date.parse(time), now)} ago`);
  write(
    clusterTable(rows, {
      titles: ['LEADER', 'JOBS HEARD', 'PODS HEARD'],
      cells: ({ leader, jobs_heard_at: jobs, pods_heard_at: pods }) => [leader ?? '', ago(jobs), ago(pods)],
    }),
  );
}

/** Without Kafka, shows the rest. */
async function watchesOf(options: ConnectionOptions): Promise<ReadonlyMap<string, ClusterWatches>> {
  try {
    return await readWatches(kafkaOf(options));
  } catch (error) {
    say(`the leaders are unknown: ${messageOf(error)}`);
    return new Map();
  }
}

function watched(cluster: ClusterView, watches: ClusterWatches | undefined): WatchedCluster {
  const { limits, ...row } = clusterRow(cluster);
  return {
    ...row,
    leader: watches?.leader ?? null,
    leading_since: watches?.leadingSince ?? null,
    jobs_heard_at: watches?.jobsHeardAt ?? null,
    pods_heard_at: watches?.podsHeardAt ?? null,
    limits,
  };
}
