/** The distribution of a topic over the brokers. */
export interface ReplicatedTopic {
  topic: string;
  partitions: readonly { partitionId: number; replicas: readonly number[] }[];
}

export interface Brokers {
  /** The ids of the brokers that answer. */
  ids: readonly number[];
  /** The `host:port` of each broker, for commands. */
  addresses: readonly string[];
  /** `JOBLEDGER_LEDGER_REPLICATION`; -1 if the operator did not set it. */
  configured: number;
}

const VARIABLE = 'JOBLEDGER_LEDGER_REPLICATION';
const USUAL = 3;

/** The number of replicas of a new topic; -1 means the default of the brokers. */
export function chooseReplication({ ids, configured }: Pick<Brokers, 'ids' | 'configured'>): number {
  if (configured > 0) return configured;
  return ids.length > 1 ? Math.min(USUAL, ids.length) : -1;
}

/** The advice for a topic with too few replicas, and whether the loss of one broker loses its records. */
export interface ReplicationFault {
  advice: string;
  isLoss: boolean;
}

/** Returns null if the topic has enough replicas; when there is a single broker, one replica is enough. */
export function replicationFault(
  { topic, partitions }: ReplicatedTopic,
  brokers: Brokers,
): ReplicationFault | null {
  const { ids, configured, addresses } = brokers;
  const least = configured > 0 ? configured : Math.min(2, ids.length);
  const few = partitions.filter(({ replicas }) => replicas.length < least);
  if (few.length === 0) return null;
  const isLoss = ids.length > 1 && few.some(({ replicas }) => replicas.length < 2);
  const count = few.length === 1 ? '1 partition has' : `${few.length} partitions have`;
  const consequence = isLoss ? ' (the loss of one broker loses events)' : '';
  const plan = { version: 1, partitions: few.map((each) => withMoreReplicas(topic, each, brokers)) };
  const otherwise =
    isLoss && configured > 0 ? '' : `; or, if this is intended, set ${VARIABLE}=${fewestReplicas(few)}`;
  return {
    advice: `the topic ${topic}: ${count} fewer than ${least} replicas${consequence}; run kafka-reassign-partitions.sh --bootstrap-server ${addresses.join(',')} --reassignment-json-file FILE --execute, where FILE contains ${JSON.stringify(plan)}${otherwise}`,
    isLoss,
  };
}

/** Plans the replicas of each partition: keeps the present replicas, and adds brokers in turn. */
function withMoreReplicas(
  topic: string,
  { partitionId, replicas }: ReplicatedTopic['partitions'][number],
  { ids, configured }: Brokers,
): { topic: string; partition: number; replicas: number[] } {
  const others = ids.filter((id) => !replicas.includes(id));
  const turn = others.length === 0 ? 0 : partitionId % others.length;
  const wanted = configured > 0 ? configured : chooseReplication({ ids, configured });
  const added = [...others.slice(turn), ...others.slice(0, turn)].slice(
    0,
    Math.max(0, wanted - replicas.length),
  );
  return { topic, partition: partitionId, replicas: [...replicas, ...added] };
}

/** The number of replicas of the partition that has the fewest; undefined without partitions. */
export function fewestReplicas(partitions: ReplicatedTopic['partitions']): number | undefined {
  return partitions.length === 0 ? undefined : Math.min(...partitions.map(({ replicas }) => replicas.length));
}
