import { describe, expect, it } from '@jest/globals';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import {
  adviceOn,
  checkSettings,
  type ActualSetting,
  type SettingsCheck,
} from '../../services/adapters/kafka/settings-check.ts';
import {
  settingsAtCreation,
  wantedTopics,
  type TopicSetting,
} from '../../services/adapters/kafka/topic-settings.ts';

const TOPICS = { ledger: 'l', live: 'l.live', deadLetters: 'l.dead-letters', features: 'l.features' };

function wantedSetting(topic: string, variables: Record<string, string> = {}, replicas = 3): TopicSetting[] {
  const config = readConfig(kafkaEnvironment, { KAFKA_BROKERS: 'k:9092', ...variables });
  return (
    wantedTopics(TOPICS, config)
      .find((each) => each.topic === topic)
      ?.settings(replicas) ?? []
  );
}

/** What Kafka reports when nothing was set on a topic, and these values on the topic. */
function actual(onTopic: Record<string, string> = {}): Map<string, ActualSetting> {
  const brokers = {
    'cleanup.policy': 'delete',
    'retention.ms': '604800000',
    'retention.bytes': '-1',
    'max.message.bytes': '1048588',
    'min.insync.replicas': '1',
  };
  return new Map(
    Object.entries({ ...brokers, ...onTopic }).map(([name, value]) => [
      name,
      { value, isOnTopic: name in onTopic },
    ]),
  );
}

function named({ toAlter, chosen }: SettingsCheck): { toAlter: string[]; chosen: string[] } {
  const text = ({ name, value }: TopicSetting): string => `${name}=${value}`;
  return { toAlter: toAlter.map(text), chosen: chosen.map(text) };
}

describe('a ledger topic that was created without settings', () => {
  it('gets all of its settings: Kafka keeps its records for ever, accepts large records, and waits for two replicas', () => {
    expect(named(checkSettings(wantedSetting('l'), actual()))).toEqual({
      toAlter: ['retention.ms=-1', 'max.message.bytes=4194304', 'min.insync.replicas=2'],
      chosen: [],
    });
  });

  it('gets no value for min.insync.replicas when it has one or two replicas, because one acknowledgement is enough', () => {
    for (const replicas of [1, 2])
      expect(named(checkSettings(wantedSetting('l', {}, replicas), actual())).toAlter).toEqual([
        'retention.ms=-1',
        'max.message.bytes=4194304',
      ]);
  });
});

describe('a topic whose min.insync.replicas is above the number of its replicas', () => {
  it.each([1, 2])(
    'is reported with its consequence for %i replicas, and the suggested command lowers the setting',
    (replicas) => {
      const { toAlter, chosen } = checkSettings(
        wantedSetting('l.features', {}, replicas),
        actual({ 'cleanup.policy': 'compact', 'min.insync.replicas': '3' }),
      );
      expect(chosen).toEqual([]);
      const count = replicas === 1 ? '1 replica' : '2 replicas';
      expect(adviceOn('l.features', ['k:9092'], toAlter)).toBe(
        `the topic l.features: min.insync.replicas is 3, wanted 1 (the topic has ${count}: no broker may be down, and some versions of Kafka accept no record); run kafka-configs.sh --bootstrap-server k:9092 --alter --entity-type topics --entity-name l.features --add-config min.insync.replicas=1`,
      );
    },
  );

  it('is never created by Jobledger, which lowers the configured value to the number of replicas', () => {
    const variables = { JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS: '3' };
    const inSync = wantedSetting('l', variables, 2).find(({ name }) => name === 'min.insync.replicas');
    expect(inSync?.value).toBe('2');
    expect(settingsAtCreation(wantedSetting('l', variables, 2))).toContainEqual({
      name: 'min.insync.replicas',
      value: '2',
    });
  });
});

describe('a topic whose min.insync.replicas equals the number of its replicas', () => {
  it('is not reported', () => {
    const { toAlter, chosen } = checkSettings(wantedSetting('l'), actual({ 'min.insync.replicas': '3' }));
    expect([...toAlter, ...chosen].map(({ name }) => name)).not.toContain('min.insync.replicas');
  });
});

describe('a ledger topic on which an operator has set a retention', () => {
  it('keeps this retention, because only a person may decide about the deletion of records', () => {
    const settings = actual({ 'retention.ms': '604800000', 'retention.bytes': '1000' });
    expect(named(checkSettings(wantedSetting('l'), settings)).chosen).toEqual([
      'retention.ms=-1',
      'retention.bytes=-1',
    ]);
  });

  it('needs no report when the configuration asks for the same retention, or a shorter retention', () => {
    const settings = actual({ 'retention.ms': '604800000' });
    for (const wanted of ['604800000', '86400000'])
      expect(
        checkSettings(wantedSetting('l', { JOBLEDGER_LEDGER_RETENTION_MS: wanted }), settings).chosen,
      ).toEqual([]);
    expect(
      named(checkSettings(wantedSetting('l', { JOBLEDGER_LEDGER_RETENTION_MS: '604800001' }), settings))
        .chosen,
    ).toEqual(['retention.ms=604800001']);
  });

  it('needs no report when it keeps records longer than configured, because Jobledger never shortens a retention', () => {
    const wanted = wantedSetting('l', { JOBLEDGER_LEDGER_RETENTION_MS: '1000' });
    const settings = actual({ 'retention.ms': '-1', 'max.message.bytes': '5000000' });
    expect(named(checkSettings(wanted, settings))).toEqual({
      toAlter: ['min.insync.replicas=2'],
      chosen: [],
    });
  });
});

describe('a compacted ledger topic', () => {
  it('gets another cleanup policy, because compaction would keep only the newest event of each Job', () => {
    const { toAlter } = checkSettings(wantedSetting('l'), actual({ 'cleanup.policy': 'compact' }));
    expect(toAlter[0]).toMatchObject({ name: 'cleanup.policy', value: 'delete', isLoss: true });
  });
});

describe('the records that Kafka has acknowledged', () => {
  it('cannot get lost by an unclean election where the topic has several replicas', () => {
    const unclean = actual({ 'unclean.leader.election.enable': 'true', 'min.insync.replicas': '2' });
    for (const topic of ['l', 'l.features'])
      expect(checkSettings(wantedSetting(topic), unclean).toAlter).toContainEqual(
        expect.objectContaining({ name: 'unclean.leader.election.enable', value: 'false', isLoss: true }),
      );
    expect(named(checkSettings(wantedSetting('l', {}, 1), unclean)).toAlter).not.toContain(
      'unclean.leader.election.enable=false',
    );
  });

  it.each(['snappy', 'lz4'])('are never stored with %s, which readers cannot decode', (codec) => {
    for (const topic of ['l', 'l.live', 'l.features', 'l.dead-letters'])
      expect(
        checkSettings(wantedSetting(topic), actual({ 'compression.type': codec })).toAlter,
      ).toContainEqual(
        expect.objectContaining({ name: 'compression.type', value: 'producer', isLoss: true }),
      );
  });

  it.each(['producer', 'gzip', 'zstd', 'uncompressed'])('may be stored with the compression %s', (codec) => {
    const { toAlter } = checkSettings(wantedSetting('l'), actual({ 'compression.type': codec }));
    expect(toAlter.map(({ name }) => name)).not.toContain('compression.type');
  });
});

describe('a new topic of the ledger', () => {
  it('gets no setting that equals Kafka’s default', () => {
    expect(settingsAtCreation(wantedSetting('l', {}, 1)).map(({ name }) => name)).toEqual([
      'cleanup.policy',
      'retention.ms',
      'retention.bytes',
      'max.message.bytes',
    ]);
    expect(settingsAtCreation(wantedSetting('l'))).toContainEqual({
      name: 'min.insync.replicas',
      value: '2',
    });
  });
});

describe('the topic of the feature level', () => {
  it('must be compacted', () => {
    const { toAlter } = checkSettings(wantedSetting('l.features', {}, 1), actual());
    expect(toAlter).toMatchObject([{ name: 'cleanup.policy', value: 'compact', isLoss: true }]);
  });
});

describe('the advice on the settings of a topic', () => {
  it('names no variable for the retention of the dead letters, because no variable limits that retention', () => {
    const { chosen } = checkSettings(
      wantedSetting('l.dead-letters'),
      actual({ 'retention.ms': '604800000' }),
    );
    expect(adviceOn('l.dead-letters', ['k:9092'], chosen)).toBe(
      'the topic l.dead-letters: retention.ms is 604800000, wanted -1 (Kafka deletes dead letters that must be kept); run kafka-configs.sh --bootstrap-server k:9092 --alter --entity-type topics --entity-name l.dead-letters --add-config retention.ms=-1',
    );
  });

  it('names the actual and the wanted value, the command, and the variable that allows the actual value', () => {
    const { chosen } = checkSettings(wantedSetting('l'), actual({ 'retention.ms': '604800000' }));
    expect(adviceOn('l', ['k:9092'], chosen)).toBe(
      'the topic l: retention.ms is 604800000, wanted -1 (Kafka deletes events that must be kept); run kafka-configs.sh --bootstrap-server k:9092 --alter --entity-type topics --entity-name l --add-config retention.ms=-1; or, if this is intended, set JOBLEDGER_LEDGER_RETENTION_MS=604800000',
    );
  });
});
