import { InputError, UnavailableError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { kafkaClusterOf } from '../contracts/installation.ts';

/**
 * @throws InputError when the tables were made from the ledger of another Kafka cluster, where an offset is that of another
 * record; UnavailableError when Kafka does not answer.
 */
export async function requireSameCluster(run: Run, connection: KafkaConnection): Promise<void> {
  const { ours, recorded } = await clustersOf(run, connection);
  if (isOther({ ours, recorded })) throw new InputError(adviceTo(connection, { ours, recorded }));
}

/** Records the Kafka cluster of tables that an earlier version made. @throws as `requireSameCluster`. Returns the cluster's id. */
export async function keepSameCluster(run: Run, connection: KafkaConnection): Promise<string | null> {
  const { ours, recorded } = await clustersOf(run, connection);
  if (isOther({ ours, recorded })) throw new InputError(adviceTo(connection, { ours, recorded }));
  await run(
    sql`update jobledger.positions set kafka_cluster = ${ours} where topic = ${connection.topics.ledger} and kafka_cluster is null`,
  );
  return ours;
}

/** Whether the offsets in the tables are those of another Kafka cluster. @throws UnavailableError when Kafka does not answer. */
export async function areOfOtherCluster(run: Run, connection: KafkaConnection): Promise<boolean> {
  return isOther(await clustersOf(run, connection));
}

interface Clusters {
  ours: string | null;
  /** Null: the tables are empty, or no version has recorded it. */
  recorded: string | null;
}

async function clustersOf(run: Run, connection: KafkaConnection): Promise<Clusters> {
  const rows = await run<{ kafka_cluster: string }>(
    sql`select kafka_cluster from jobledger.positions where topic = ${connection.topics.ledger} and kafka_cluster is not null limit 1`,
  );
  const ours = await kafkaClusterOf(connection).catch((cause: unknown) => {
    throw new UnavailableError(`Kafka at ${connection.config.KAFKA_BROKERS.join(',')} does not answer`, {
      cause,
    });
  });
  return { ours, recorded: rows[0]?.kafka_cluster ?? null };
}

function isOther({ ours, recorded }: Clusters): boolean {
  return ours !== null && recorded !== null && ours !== recorded;
}

function adviceTo({ topics, config }: KafkaConnection, { ours, recorded }: Clusters): string {
  return `the tables were made from the ledger ${topics.ledger} in the Kafka cluster ${recorded}, but ${config.KAFKA_BROKERS.join(',')} is the cluster ${ours}, where its records have other offsets. If you have moved the ledger, stop the projectors, empty the tables ("drop schema jobledger cascade"), and start one: it folds the ledger from its beginning; otherwise correct KAFKA_BROKERS (docs/engines/kafka.md)`;
}
