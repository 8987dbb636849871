import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';

type Act = () => Promise<void>;

/** The connection, with something that happens before the extent of the ledger is asked for, for the first time. */
export function runBeforeFirstExtent(kafka: KafkaConnection, act: Act): KafkaConnection {
  return onFirstExtent(kafka, { before: act });
}

/** The same, with something that happens when the extent is known, before its reader knows it. */
export function runAfterFirstExtent(kafka: KafkaConnection, act: Act): KafkaConnection {
  return onFirstExtent(kafka, { after: act });
}

function onFirstExtent(
  kafka: KafkaConnection,
  { before, after }: { before?: Act; after?: Act },
): KafkaConnection {
  let hasActed = false;
  const admin = (): ReturnType<typeof kafka.kafka.admin> => {
    const real = kafka.kafka.admin();
    const fetchTopicOffsets: typeof real.fetchTopicOffsets = async (topic) => {
      const isFirst = topic === kafka.topics.ledger && !hasActed;
      if (isFirst) hasActed = true;
      if (isFirst) await before?.();
      const offsets = await real.fetchTopicOffsets(topic);
      if (isFirst) await after?.();
      return offsets;
    };
    return { ...real, fetchTopicOffsets };
  };
  return { ...kafka, kafka: Object.assign(Object.create(kafka.kafka), { admin }) as typeof kafka.kafka };
}
