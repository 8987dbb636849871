import { digestOf } from '../../workflows/job/record/digest.ts';
import { messageOf } from '../adapters/errors.ts';
import { pause } from '../adapters/pause.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';

const RETRY_MS = 1000;

/**
 * A short id of the installation: the digest of the Kafka cluster and of the ledger topic. Waits for Kafka, and logs
 * that it does. @throws the abort reason.
 */
export async function installationOf(connection: KafkaConnection, signal: AbortSignal): Promise<string> {
  const { log, topics } = connection;
  for (;;) {
    signal.throwIfAborted();
    try {
      return digestOf({ kafka: await clusterIdOf(connection), ledger: topics.ledger }).slice(0, 10);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'the Kafka cluster id cannot be read; waiting for Kafka');
      await pause(RETRY_MS, signal);
    }
  }
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
