import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { kafkaVariables } from '../../infra/local/addresses.ts';
import { startLocalServers } from '../../infra/local/servers.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka, type KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { createLog } from '../../services/adapters/log.ts';

/** A real Kafka broker without other services. */
export interface AKafka {
  /** A connection to an empty ledger of this name. */
  ledger(topic: string, partitions?: number): KafkaConnection;
  stop(): Promise<void>;
}

export async function startKafka(): Promise<AKafka> {
  const stateDir = mkdtempSync(join(tmpdir(), 'jobledger-kafka-'));
  const servers = await startLocalServers({ stateDir, kafka: true, say: () => undefined });
  const log = createLog('test');
  log.level = process.env['JOBLEDGER_LOG_LEVEL'] ?? 'silent';
  return {
    ledger(topic, partitions = 2) {
      const environment = {
        ...kafkaVariables(servers.addresses),
        JOBLEDGER_LEDGER_TOPIC: topic,
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
