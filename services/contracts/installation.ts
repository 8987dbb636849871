import { digestOf } from '../../workflows/job/definitions/digest.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { untilAvailable } from '../adapters/waiting/retry.ts';

/**
 * A short id of the installation: the digest of the Kafka cluster and of the ledger topic. Waits for Kafka, and logs this.
 * @throws the last error if `signal` is aborted.
 */
export async function installationOf(connection: KafkaConnection, signal: AbortSignal): Promise<string> {
  const { log, topics } = connection;
  const kafka = await untilAvailable('Kafka', { log, signal }, () => clusterIdOf(connection));
  return digestOf({ kafka, ledger: topics.ledger }).slice(0, 10);
}

async function clusterIdOf({ kafka }: KafkaConnection): Promise<string> {
  const admin = kafka.admin();
  try {
    await admin.connect();
    return (await admin.describeCluster()).clusterId;
  } finally {
    await admin.disconnect().catch(() => undefined);
  }
}
