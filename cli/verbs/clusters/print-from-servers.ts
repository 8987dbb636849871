import { errorMessage } from '../../../services/adapters/errors.ts';
import { clusterLimits } from '../../../services/adapters/kubernetes/cluster-facts.ts';
import { readEnds } from '../../../services/adapters/kafka/scan.ts';
import type { Run } from '../../../services/adapters/postgres/database.ts';
import { countLag } from '../../../services/api/readiness.ts';
import { readWatches, type ClusterWatches, type ShardWatch } from '../../../services/live-topic/watches.ts';
import { allClusters } from '../../../services/read-model/queries/clusters.ts';
import type { ClusterView } from '../../../services/read-model/views/clusters.ts';
import { appliedPositions } from '../../../services/read-model/state/positions.ts';
import { OtherVersionError } from '../../../services/installation/stamp.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import type { StateDirOption } from '../../options.ts';
import { report, write, type OutputOption } from '../../output.ts';
import { writeJson } from '../../write-json.ts';
import { shownAvailability } from '../../../services/live-topic/cluster-availability.ts';
import { availabilityNow } from '../../../services/requests/override-cluster.ts';
import type { ClusterAvailability } from '../../../workflows/placement/settings.ts';
import { clusterTable, type ShownCluster } from './cluster-table.ts';
import { withDatabase } from '../../with-database.ts';

/** A cluster as the tables have it, with what Kafka adds: its ingester, its watches and its availability. */
interface ClusterRow extends ClusterView {
  /** Null: no ingester leads, or not known. */
  leader: string | null;
  /** Null: as `leader`. */
  leading_since: string | null;
  /** The instant at which the watch of Jobs last received something; null: never, or not known. */
  jobs_received_at: string | null;
  /** The same of pods. */
  pods_received_at: string | null;
  /** Null: not known. */
  recorded_fields: string[] | null;
  /** Null: not known. */
  shards: ShardWatch[] | null;
  /** Null: not known. */
  availability: ShownCluster['availability'];
  /** The features that Jobledger offers and the cluster lacks, as text. */
  limits: string[];
}

/**
 * Prints the clusters from Postgres and Kafka, without an API: with the ingesters that watch them, and the number of
 * records that the tables lack.
 */
export async function printClustersFromServers(options: StateDirOption & OutputOption): Promise<void> {
  const { found, kafkaState } = await withDatabase(options, async (run) => ({
    found: await run<ClusterView>(allClusters()),
    kafkaState: await readKafkaState(options, run),
  }));
  const rows = found.map((each) => ({
    ...toRow(each, kafkaState?.watches.get(each.name)),
    availability: kafkaState === null ? null : shownAvailability(kafkaState.availability[each.name] ?? {}),
  }));
  if (options.output === 'json') return writeJson(rows);
  write(rows.length === 0 ? 'no clusters' : clusterTable(rows, Date.now()));
  if (kafkaState !== null) write(`the tables are ${kafkaState.lag} records behind the ledger`);
}

interface KafkaState {
  watches: ReadonlyMap<string, ClusterWatches>;
  availability: Readonly<Record<string, ClusterAvailability>>;
  /** The number of records of the ledger that the tables do not have yet. */
  lag: bigint;
}

/**
 * What Kafka knows about the clusters, and the lag of the tables; null, with a printed line, if they cannot be read, so that
 * the other columns are still shown. @throws OtherVersionError if another unreleased version wrote the ledger.
 */
async function readKafkaState(options: StateDirOption, run: Run): Promise<KafkaState | null> {
  try {
    const kafka = await openLedger(options);
    const { ledger } = kafka.topics;
    const lag = countLag(await readEnds(kafka, ledger), await appliedPositions(run, ledger));
    return { watches: await readWatches(kafka), availability: await availabilityNow(kafka), lag };
  } catch (error) {
    if (error instanceof OtherVersionError) throw error;
    report(`the leaders, the availability and the lag are unknown: ${errorMessage(error)}`);
    return null;
  }
}

/** The row of a cluster, with the ingester and the watches from Kafka. */
function toRow(cluster: ClusterView, watches: ClusterWatches | undefined): Omit<ClusterRow, 'availability'> {
  return {
    ...cluster,
    leader: watches?.leader ?? null,
    leading_since: watches?.leadingSince ?? null,
    jobs_received_at: watches?.jobsReceivedAt ?? null,
    pods_received_at: watches?.podsReceivedAt ?? null,
    recorded_fields: watches?.recordedFields ?? null,
    shards: watches?.shards ?? null,
    limits: clusterLimits(cluster).map(({ message }) => message),
  };
}
