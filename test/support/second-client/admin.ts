import { Admin, ConfigResourceTypes, type BaseOptions, type ConfigDescription } from '@platformatic/kafka';
import type { ConfigSource, DescribeConfigResponse, ITopicConfig, ResourceConfigQuery } from 'kafkajs';
import type { UsedAdmin } from '../../../services/adapters/kafka/client-library.ts';
import { asKafkajs } from './errors.ts';

type DescribedType = DescribeConfigResponse['resources'][number]['resourceType'];

/** For ListOffsets in Kafka's protocol. */
const [LATEST, EARLIEST] = [-1n, -2n];

export function secondAdmin(options: BaseOptions): UsedAdmin {
  const admin = new Admin(options);
  const readPartitions = async (topic: string): Promise<number[]> => {
    const { topics } = await admin.metadata({ topics: [topic], forceUpdate: true });
    return [...(topics.get(topic)?.partitions.keys() ?? [])];
  };
  const offsetsAt = async (topic: string, timestamp: bigint): Promise<Map<number, bigint>> => {
    const partitions = (await readPartitions(topic)).map((partitionIndex) => ({ partitionIndex, timestamp }));
    const [found] = await admin.listOffsets({ topics: [{ name: topic, partitions }] });
    return new Map(found?.partitions.map(({ partitionIndex, offset }) => [partitionIndex, offset]));
  };
  const extents = async (topic: string): ReturnType<UsedAdmin['fetchTopicOffsets']> => {
    const [low, high] = await Promise.all([offsetsAt(topic, EARLIEST), offsetsAt(topic, LATEST)]);
    return [...high].map(([partition, end]) => ({
      partition,
      offset: String(end),
      high: String(end),
      low: String(low.get(partition) ?? 0n),
    }));
  };
  const sentAt = async (topic: string, time = -1): ReturnType<UsedAdmin['fetchTopicOffsetsByTimestamp']> => {
    const [at, ends] = await Promise.all([offsetsAt(topic, BigInt(time)), offsetsAt(topic, LATEST)]);
    // -1: nothing was sent then or later.
    return [...at].map(([partition, offset]) => ({
      partition,
      offset: String(offset < 0n ? ends.get(partition) : offset),
    }));
  };
  const topicMetadata = async (topics: string[]): ReturnType<UsedAdmin['fetchTopicMetadata']> => {
    const found = await admin.metadata({ topics, forceUpdate: true });
    return {
      topics: [...found.topics].map(([name, { partitions }]) => ({
        name,
        partitions: partitions.map(({ leader, replicas, isr, offlineReplicas }, partitionId) => ({
          partitionErrorCode: 0,
          partitionId,
          leader,
          replicas,
          isr,
          offlineReplicas,
        })),
      })),
    };
  };
  const cluster = async (): ReturnType<UsedAdmin['describeCluster']> => {
    const { id, controllerId, brokers } = await admin.metadata({ topics: [], forceUpdate: true });
    const all = [...brokers].map(([nodeId, { host, port }]) => ({ nodeId, host, port }));
    return { clusterId: id, controller: controllerId, brokers: all };
  };
  const create = async ({
    topic,
    numPartitions = -1,
    replicationFactor = -1,
    configEntries = [],
  }: ITopicConfig) => {
    // One request for each topic: the library gives all topics of a request the same settings.
    await admin.createTopics({
      topics: [{ topic, partitions: numPartitions, replicas: replicationFactor }],
      configs: configEntries,
    });
    // A broker may not know yet that it leads a new partition.
    await admin.metadata({ topics: [topic], forceUpdate: true, retries: 20 });
  };
  const committed = async (groupId: string, topics: string[]): ReturnType<UsedAdmin['fetchOffsets']> => {
    const wanted = await Promise.all(
      topics.map(async (name) => ({ name, partitionIndexes: await readPartitions(name) })),
    );
    const [group] = await admin.listConsumerGroupOffsets({ groups: [{ groupId, topics: wanted }] });
    return (group?.topics ?? []).map(({ name, partitions }) => ({
      topic: name,
      partitions: partitions.map(({ partitionIndex, committedOffset, metadata }) => ({
        partition: partitionIndex,
        offset: String(committedOffset),
        metadata: metadata ?? null,
      })),
    }));
  };
  return {
    connect: () => asKafkajs(admin.metadata({ topics: [] }).then(() => undefined)),
    createTopics: ({ topics }) => asKafkajs(Promise.all(topics.map(create)).then(() => true)),
    fetchTopicMetadata: ({ topics = [] } = { topics: [] }) => asKafkajs(topicMetadata(topics)),
    fetchTopicOffsets: (topic) => asKafkajs(extents(topic)),
    fetchTopicOffsetsByTimestamp: (topic, time) => asKafkajs(sentAt(topic, time)),
    describeConfigs: ({ resources }) => asKafkajs(admin.describeConfigs(asked(resources)).then(described)),
    alterConfigs: async ({ resources, validateOnly }) => {
      const wanted = resources.map(({ type, name, configEntries }) => ({
        resourceType: resourceType(type),
        resourceName: name,
        configs: configEntries,
      }));
      await asKafkajs(admin.alterConfigs({ validateOnly, resources: wanted }));
    },
    describeCluster: () => asKafkajs(cluster()),
    fetchOffsets: ({ groupId, topics = [] }) => asKafkajs(committed(groupId, topics)),
    deleteGroups: async (groups) => {
      await asKafkajs(admin.deleteGroups({ groups }));
      return groups.map((groupId) => ({ groupId }));
    },
    disconnect: () => admin.close(),
  };
}

function asked(resources: readonly ResourceConfigQuery[]): Parameters<Admin['describeConfigs']>[0] {
  return {
    includeSynonyms: false,
    resources: resources.map(({ type, name, configNames }) => ({
      resourceType: resourceType(type),
      resourceName: name,
      configurationKeys: configNames ?? null,
    })),
  };
}

function described(found: readonly ConfigDescription[]): DescribeConfigResponse {
  return {
    throttleTime: 0,
    resources: found.map(({ resourceName, resourceType: type, configs }) => ({
      errorCode: 0,
      errorMessage: '',
      resourceName,
      resourceType: asType(type),
      configEntries: configs.map(({ name, value, readOnly, isSensitive, configSource }) => ({
        configName: name,
        configValue: value ?? '',
        configSource: asSource(configSource),
        isDefault: false,
        isSensitive,
        readOnly,
        configSynonyms: [],
      })),
    })),
  };
}

/** Both give these their values in Kafka's protocol; the types of kafkajs lack the newest ones. */
function asType(value: number): DescribedType {
  return value;
}

function asSource(value: number): ConfigSource {
  return value;
}

/** Both name them by their values in Kafka's protocol. */
function resourceType(type: number): (typeof ConfigResourceTypes)[keyof typeof ConfigResourceTypes] {
  const found = Object.values(ConfigResourceTypes).find((each) => each === type);
  if (found === undefined) throw new Error(`no type of settings has the number ${type}`);
  return found;
}
