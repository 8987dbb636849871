import type { TopicSetting } from './topic-settings.ts';

/** The value of a setting in Kafka, and whether an operator has set it on the topic itself. */
export interface ActualSetting {
  value: string;
  isOnTopic: boolean;
}

/** A setting with an unsuitable value. */
export interface SettingDeviation extends TopicSetting {
  actual: string;
}

/** The changes to a topic that this program makes, and the changes that only a person may make. */
export interface SettingsCheck {
  toAlter: SettingDeviation[];
  /**
   * The settings whose unsuitable values an operator has set on the topic; only a person may change them.
   */
  chosen: SettingDeviation[];
}

/** Compares the settings of a topic with the wanted settings. Settings that Kafka does not report are left out. */
export function checkSettings(
  wanted: readonly TopicSetting[],
  actual: ReadonlyMap<string, ActualSetting>,
): SettingsCheck {
  const check: SettingsCheck = { toAlter: [], chosen: [] };
  for (const setting of wanted) {
    const found = actual.get(setting.name);
    if (found === undefined || setting.accepts(found.value)) continue;
    const isChosen = setting.choice !== null && found.isOnTopic;
    (isChosen ? check.chosen : check.toAlter).push({ ...setting, actual: found.value });
  }
  return check;
}

/** The faults of a topic and their remedies, for a person. */
export function adviceOn(
  topic: string,
  brokers: readonly string[],
  deviations: readonly SettingDeviation[],
): string {
  const found = deviations.map(
    ({ name, actual, value, consequence }) => `${name} is ${actual}, wanted ${value} (${consequence})`,
  );
  const settings = deviations.map(({ name, value }) => `${name}=${value}`).join(',');
  const command = `kafka-configs.sh --bootstrap-server ${brokers.join(',')} --alter --entity-type topics --entity-name ${topic} --add-config ${settings}`;
  const allowing = deviations.flatMap(({ choice, actual }) =>
    choice === null || choice.variable === null ? [] : [`${choice.variable}=${actual}`],
  );
  const otherwise = allowing.length === 0 ? '' : `; or, if this is intended, set ${allowing.join(' ')}`;
  return `the topic ${topic}: ${found.join('; ')}; run ${command}${otherwise}`;
}
