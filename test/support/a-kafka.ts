import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kafka } from 'kafkajs';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { createLog } from '../../services/adapters/process/log.ts';
import { topicBeside } from './shared-servers/own-topics.ts';
import { startServers } from './shared-servers/start-servers.ts';

/** A real Kafka broker without other services. */
export interface AKafka {
  /** A connection to an empty ledger, whose name ends with this one. */
  ledger(topic: string, partitions?: number): KafkaConnection<Kafka>;
  stop(): Promise<void>;
}

export async function startKafka(): Promise<AKafka> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-kafka-'));
  const { servers, environment: found } = await startServers({ stateDir, kafka: true });
  const log = createLog('test');
  log.level = process.env['JOBLEDGER_LOG_LEVEL'] ?? 'silent';
  return {
    ledger(topic, partitions = 2) {
      const environment = {
        ...found,
        JOBLEDGER_LEDGER_TOPIC: topicBeside(found, topic),
        JOBLEDGER_LEDGER_PARTITIONS: String(partitions),
      };
      return connectKafka(readConfig(kafkaEnvironment, environment), log);
    },
    async stop() {
      await servers.stop();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
