import type { TopicSetting } from './topic-settings.ts';

/** The value of a setting in Kafka, and whether somebody has set it on the topic itself. */
export interface ActualSetting {
  value: string;
  isOnTopic: boolean;
}

/** A setting whose value does not serve. */
export interface SettingDeviation extends TopicSetting {
  actual: string;
}

/** What to change in a topic, and what only a person may change. */
export interface SettingsCheck {
  toAlter: SettingDeviation[];
  /** Chosen by somebody: we change neither these nor, with less caution, anything that would delete records. */
  chosen: SettingDeviation[];
}

/** Compares the settings of a topic with the wanted ones. Settings that Kafka does not report are left out. */
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

/** What is wrong with a topic, and how to put it right, for a person. */
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
    choice === null ? [] : [`${choice}=${actual}`],
  );
  const otherwise = allowing.length === 0 ? '' : `; or, if it is meant to be so, set ${allowing.join(' ')}`;
  return `the topic ${topic}: ${found.join('; ')}; run ${command}${otherwise}`;
}
