import { InputError } from '../../adapters/errors.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { toKafkaError } from '../../adapters/kafka/refusals.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql } from '../../adapters/postgres/statement.ts';
import { readKafkaCluster } from '../../installation/installation.ts';

/**
 * Checks that the tables belong to the connected Kafka cluster, and returns its id; null if Kafka does not report the
 * id. @throws InputError when the tables were made from the ledger of another cluster, where an offset belongs to
 * another record; UnavailableError when Kafka does not answer.
 */
export async function requireSameCluster(run: Run, connection: KafkaConnection): Promise<string | null> {
  const clusters = await readClusters(run, connection);
  if (areDifferent(clusters)) throw new InputError(otherClusterText(connection, clusters));
  return clusters.ours;
}

/** True when the offsets in the tables belong to another Kafka cluster than this one. */
export async function areOfOtherCluster(run: Run, topic: string, cluster: string | null): Promise<boolean> {
  return areDifferent({ ours: cluster, recorded: await recordedCluster(run, topic) });
}

interface Clusters {
  ours: string | null;
  /** The id in the tables; null when the tables are empty, or Kafka did not report the id. */
  recorded: string | null;
}

async function readClusters(run: Run, connection: KafkaConnection): Promise<Clusters> {
  const recorded = await recordedCluster(run, connection.topics.ledger);
  const ours = await readKafkaCluster(connection).catch((error: unknown) => {
    throw toKafkaError(error, connection.config.KAFKA_BROKERS);
  });
  return { ours, recorded };
}

async function recordedCluster(run: Run, topic: string): Promise<string | null> {
  const rows = await run<{ kafka_cluster: string }>(
    sql`select kafka_cluster from jobledger.positions where topic = ${topic} and kafka_cluster is not null limit 1`,
  );
  return rows[0]?.kafka_cluster ?? null;
}

function areDifferent({ ours, recorded }: Clusters): boolean {
  return ours !== null && recorded !== null && ours !== recorded;
}

/** The text of the error that the tables belong to another Kafka cluster. */
function otherClusterText({ topics, config }: KafkaConnection, { ours, recorded }: Clusters): string {
  return `the tables were made from the ledger ${topics.ledger} in the Kafka cluster ${recorded}, but ${config.KAFKA_BROKERS.join(',')} is the cluster ${ours}, where its records have other offsets. If you have moved the ledger, stop the projectors, empty the tables ("drop schema jobledger cascade"), and start one: it folds the ledger from its beginning; otherwise correct KAFKA_BROKERS (docs/engines/kafka.md)`;
}
