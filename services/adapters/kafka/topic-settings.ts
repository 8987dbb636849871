import type { KafkaConfig } from '../config.ts';
import { isDecodable } from './codecs.ts';
import type { Topics } from './connection.ts';

/** The wanted value of one setting of a topic, and how to treat other values. */
export interface TopicSetting {
  name: string;
  value: string;
  /** True for the wanted value and for values that are equally suitable. */
  accepts: (actual: string) => boolean;
  /** The effect of another value. */
  consequence: string;
  /** True when events or records would be lost or unreadable, so that writers of the ledger refuse to start. */
  isLoss: boolean;
  /**
   * The program does not change a value that an operator has set on the topic. `variable` is our variable that allows the value;
   * null when no variable does.
   */
  choice: { variable: string | null } | null;
}

export interface WantedTopic {
  topic: string;
  partitions: number;
  /** `replicas` is the number of replicas of the topic; undefined while the number is not known. */
  settings: (replicas: number | undefined) => TopicSetting[];
}

/** The largest record: a Job with a large template, or a decision about many pods. */
export const RECORD_BYTES = 4 * 1024 * 1024;
const FOR_EVER = '-1';

/** Every topic of an installation with its settings. The topics are declared only here. */
export function wantedTopics(topics: Topics, config: KafkaConfig): WantedTopic[] {
  const partitions = config.JOBLEDGER_LEDGER_PARTITIONS;
  return [
    {
      topic: topics.ledger,
      partitions,
      settings: (replicas) => [
        ...retentionSettings('events', {
          retentionMs: String(config.JOBLEDGER_LEDGER_RETENTION_MS),
          retentionBytes: String(config.JOBLEDGER_LEDGER_RETENTION_BYTES),
          isLoss: true,
        }),
        ...safetySettings(config, replicas, { isLoss: true }),
      ],
    },
    {
      topic: topics.live,
      partitions: 1,
      settings: (replicas) => [...LIVE_SETTINGS, ...safetySettings(config, replicas, { isLoss: false })],
    },
    {
      topic: topics.deadLetters,
      partitions: 1,
      settings: (replicas) => [
        ...retentionSettings('dead letters', {
          retentionMs: FOR_EVER,
          retentionBytes: FOR_EVER,
          isLoss: false,
        }),
        ...safetySettings(config, replicas, { isLoss: false }),
      ],
    },
    {
      topic: topics.features,
      partitions: 1,
      settings: (replicas) => [
        {
          ...exactSetting('cleanup.policy', 'compact', 'Kafka deletes the feature level and the horizon'),
          isLoss: true,
        },
        ...safetySettings(config, replicas, { isLoss: true }),
      ],
    },
  ];
}

/** The settings that determine how long Kafka keeps the records of a topic. */
function retentionSettings(
  what: 'events' | 'dead letters',
  wanted: { retentionMs: string; retentionBytes: string; isLoss: boolean },
): TopicSetting[] {
  const { isLoss } = wanted;
  const isEvents = what === 'events';
  const deletes = `Kafka deletes ${what} that must be kept`;
  return [
    { ...exactSetting('cleanup.policy', 'delete', deletes), isLoss },
    {
      name: 'retention.ms',
      value: wanted.retentionMs,
      accepts: isAtLeast(wanted.retentionMs),
      consequence: deletes,
      isLoss,
      choice: { variable: isEvents ? 'JOBLEDGER_LEDGER_RETENTION_MS' : null },
    },
    {
      name: 'retention.bytes',
      value: wanted.retentionBytes,
      accepts: isAtLeast(wanted.retentionBytes),
      consequence: deletes,
      isLoss,
      choice: { variable: isEvents ? 'JOBLEDGER_LEDGER_RETENTION_BYTES' : null },
    },
    {
      ...exactSetting(
        'max.message.bytes',
        String(RECORD_BYTES),
        'a large Job or decision cannot be recorded',
      ),
      accepts: (actual) => Number(actual) >= RECORD_BYTES,
    },
  ];
}

/**
 * An entry of the live topic contains the Job's selector, which may be as large as the Job. A reader should find
 * mostly live objects, so segments are closed early (the newest segment is never compacted) and a small share of
 * garbage triggers compaction. Tombstones stay for a day, so that a reader that was down sees the deletions. Kafka
 * keeps the last batch of a producer for as long, even when it is empty, and kafkajs gets stuck at a segment that
 * ends with such a batch. Compaction must therefore not empty a segment earlier, and segments are large enough to
 * hold all live records.
 */
const LATE = 'Kafka compacts the topic late, so services take longer and longer to start';
const LIVE_SETTINGS: readonly TopicSetting[] = [
  exactSetting(
    'cleanup.policy',
    'compact',
    'services read the topic more and more slowly, and Kafka deletes live Jobs',
  ),
  exactSetting(
    'max.message.bytes',
    String(RECORD_BYTES),
    'a Job with a large selector stops its cluster’s ingester',
  ),
  exactSetting('segment.bytes', String(64 * 1024 * 1024), LATE),
  exactSetting('segment.ms', '300000', LATE),
  exactSetting('min.cleanable.dirty.ratio', '0.1', LATE),
  exactSetting('max.compaction.lag.ms', '600000', LATE),
  exactSetting('delete.retention.ms', '86400000', 'a reader that was down for long misses deletions'),
];

/** A setting that accepts only the wanted value. */
function exactSetting(name: string, value: string, consequence: string): TopicSetting {
  return { name, value, accepts: (actual) => actual === value, consequence, isLoss: false, choice: null };
}

/** Kafka's own defaults. */
const DEFAULTS: readonly string[] = [
  'min.insync.replicas=1',
  'unclean.leader.election.enable=false',
  'compression.type=producer',
];

/**
 * The settings with which a topic is created. A setting with the default value is left out, because some managed
 * services refuse such a setting.
 */
export function settingsAtCreation(wanted: readonly TopicSetting[]): { name: string; value: string }[] {
  const values = new Map(wanted.map(({ name, value }) => [name, value]));
  return [...values]
    .filter(([name, value]) => !DEFAULTS.includes(`${name}=${value}`))
    .map(([name, value]) => ({ name, value }));
}

/** The settings with which Kafka keeps acknowledged records, and every reader can decode them. */
function safetySettings(
  config: KafkaConfig,
  replicas: number | undefined,
  { isLoss }: { isLoss: boolean },
): TopicSetting[] {
  const lost = 'after a failover, records that Kafka has acknowledged may be missing';
  return [
    ...inSyncReplicas(config, replicas),
    {
      ...exactSetting('unclean.leader.election.enable', 'false', lost),
      accepts: (actual) => actual === 'false' || (replicas !== undefined && replicas < 2),
      isLoss,
    },
    {
      ...exactSetting('compression.type', 'producer', 'no reader could decode the records'),
      accepts: isDecodable,
      isLoss: true,
    },
  ];
}

/**
 * With fewer than three replicas, a minimum of two in-sync replicas would allow no broker to be down. If the minimum
 * exceeds the number of replicas, some versions of Kafka accept no record at all.
 */
function inSyncReplicas(config: KafkaConfig, replicas?: number): TopicSetting[] {
  const configured = config.JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS ?? ((replicas ?? 1) >= 3 ? 2 : 1);
  const wanted = Math.min(configured, replicas ?? configured);
  const setting = { name: 'min.insync.replicas', value: String(wanted), isLoss: false };
  const enough: TopicSetting = {
    ...setting,
    accepts: (actual) => Number(actual) >= wanted,
    consequence: 'the loss of one broker may lose records that Kafka has acknowledged',
    choice: { variable: 'JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS' },
  };
  if (replicas === undefined) return [enough];
  const count = replicas === 1 ? '1 replica' : `${replicas} replicas`;
  const possible: TopicSetting = {
    ...setting,
    accepts: (actual) => Number(actual) <= replicas,
    consequence: `the topic has ${count}: no broker may be down, and some versions of Kafka accept no record`,
    choice: null,
  };
  return [enough, possible];
}

function isAtLeast(wanted: string): (actual: string) => boolean {
  return (actual) => actual === FOR_EVER || (wanted !== FOR_EVER && Number(actual) >= Number(wanted));
}
