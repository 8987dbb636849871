import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { retryUntilAvailable } from '../adapters/waiting/retry.ts';

/**
 * A short id of the installation: the digest of the Kafka cluster and of the ledger topic. The function waits for
 * Kafka, and logs the wait.
 * @throws the last error if `signal` is aborted.
 */
export async function readInstallationId(connection: KafkaConnection, signal: AbortSignal): Promise<string> {
  const { log, topics } = connection;
  const kafka = await retryUntilAvailable('Kafka', { log, signal }, () => readKafkaCluster(connection));
  return computeDigest({ kafka, ledger: topics.ledger }).slice(0, 10);
}

/** The id of the Kafka cluster; null if Kafka does not report it. @throws when Kafka does not answer. */
export async function readKafkaCluster({ kafka }: Pick<KafkaConnection, 'kafka'>): Promise<string | null> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    // The type of the result in kafkajs lacks null.
    const { clusterId }: { clusterId: string | null } = await admin.describeCluster();
    return clusterId;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
