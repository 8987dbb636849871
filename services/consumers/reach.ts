import { InputError } from '../adapters/errors.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { readExtents, type Extent } from '../adapters/kafka/scan.ts';
import { pause } from '../adapters/waiting/pause.ts';
import { consumerGroup } from './groups.ts';

/** Checks a position of a reader. @throws InputError when the position is beyond the end of its partition. */
export type RequireReach = (partition: number, position: bigint) => Promise<void>;

type Reader = 'dispatcher' | 'projector';

/** The number of checks: after a failover, the new leader of a partition may briefly report an earlier end. */
const CHECKS = 10;
const BETWEEN_MS = 1000;

/**
 * Creates the check. A position beyond the end means that the ledger has lost records. Without this check, kafkajs
 * would start at another offset, and readers would skip new records until the end has passed their position.
 * Simultaneous checks share a request.
 */
export function createRequireReach(
  connection: KafkaConnection,
  reader: Reader,
  { signal, betweenMs = BETWEEN_MS }: { signal: AbortSignal; betweenMs?: number },
): RequireReach {
  let asking: Promise<Map<number, Extent>> | null = null;
  const readEnd = async (partition: number): Promise<bigint> => {
    asking ??= readExtents(connection, connection.topics.ledger).finally(() => (asking = null));
    return (await asking).get(partition)?.end ?? 0n;
  };
  return async (partition, position) => {
    if (position === 0n) return;
    let end = 0n;
    for (let check = 0; check < CHECKS && !signal.aborted; check += 1) {
      end = await readEnd(partition);
      if (position <= end) return;
      await pause(betweenMs, signal);
    }
    signal.throwIfAborted();
    const where = `partition ${partition} of the ledger ${connection.topics.ledger}`;
    throw new InputError(
      `${where} ends at offset ${end}, but the ${reader} has read up to ${position}: the ledger has lost its last records, for example because Kafka was restored from an old copy. ${adviceForReader(connection, reader)} (docs/backup-and-disaster.md)`,
    );
  };
}

function adviceForReader(connection: KafkaConnection, reader: Reader): string {
  const { config, topics } = connection;
  if (reader === 'projector')
    return 'Stop the projectors, empty the tables ("drop schema jobledger cascade"), and start one: it folds the ledger from its beginning';
  return `Stop the dispatchers, run kafka-consumer-groups.sh --bootstrap-server ${config.KAFKA_BROKERS.join(',')} --group ${consumerGroup(connection, reader)} --topic ${topics.ledger} --reset-offsets --to-latest --execute, and start them`;
}
