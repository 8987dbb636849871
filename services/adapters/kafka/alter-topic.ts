import type { ConfigResourceTypes, ConfigSource } from 'kafkajs';
import { errorMessage } from '../errors.ts';
import type { UsedAdmin } from './client-library.ts';
import type { KafkaConnection } from './connection.ts';
import type { ActualSetting, SettingDeviation } from './settings-check.ts';

/** The following constants belong to Kafka's protocol. Node cannot import the constants of kafkajs. */
const TOPIC: ConfigResourceTypes.TOPIC = 2;
const SET_ON_TOPIC: ConfigSource.TOPIC_CONFIG = 1;

/** The settings of a topic, including those that the topic inherits from the brokers. */
export async function readTopicSettings(
  admin: UsedAdmin,
  topic: string,
): Promise<Map<string, ActualSetting>> {
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC, name: topic }],
  });
  return new Map(
    resources[0]?.configEntries.map(({ configName, configValue, configSource }) => [
      configName,
      { value: configValue, isOnTopic: configSource === SET_ON_TOPIC },
    ]),
  );
}

/**
 * Changes settings of a topic; returns false if the brokers refuse. The request contains all other settings of the
 * topic too, because Kafka replaces the whole configuration.
 */
export async function alterTopic(
  { log }: Pick<KafkaConnection, 'log'>,
  admin: UsedAdmin,
  topic: string,
  { now, toAlter }: { now: ReadonlyMap<string, ActualSetting>; toAlter: readonly SettingDeviation[] },
): Promise<boolean> {
  const own = [...now].filter(([, { isOnTopic }]) => isOnTopic);
  const changes = Object.fromEntries(toAlter.map(({ name, value }) => [name, value]));
  const all = { ...Object.fromEntries(own.map(([name, { value }]) => [name, value])), ...changes };
  const configEntries = Object.entries(all).map(([name, value]) => ({ name, value }));
  try {
    await admin.alterConfigs({
      validateOnly: false,
      resources: [{ type: TOPIC, name: topic, configEntries }],
    });
    log.info({ topic, settings: changes }, 'the settings of the topic were updated');
    return true;
  } catch (error) {
    log.warn({ topic, error: errorMessage(error) }, 'Kafka refuses to change settings of the topic');
    return false;
  }
}
