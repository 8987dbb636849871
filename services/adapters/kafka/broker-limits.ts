import type { ConfigResourceTypes } from 'kafkajs';
import type { UsedAdmin } from './client-library.ts';
import { RECORD_BYTES } from './topic-settings.ts';

/** The following constant belongs to Kafka's protocol. Node cannot import the constants of kafkajs. */
const BROKER: ConfigResourceTypes.BROKER = 4;

/** A limit of a broker, the smallest value that suffices, and the effect of a lower value. */
interface Limit {
  name: string;
  least: number;
  consequence: string;
  /** True when `kafka-configs.sh` can change the limit; otherwise the limit is a line of server.properties. */
  isDynamic: boolean;
}

const LIMITS: readonly Limit[] = [
  {
    name: 'message.max.bytes',
    least: RECORD_BYTES,
    consequence: 'topics without a max.message.bytes of their own refuse a large Job or decision',
    isDynamic: true,
  },
  {
    name: 'replica.fetch.max.bytes',
    least: RECORD_BYTES,
    consequence: 'replicas copy such records one at a time',
    isDynamic: false,
  },
  {
    // A request has more bytes than its records.
    name: 'socket.request.max.bytes',
    least: RECORD_BYTES + 1024 * 1024,
    consequence: 'the broker closes the connection on which a large Job or decision is sent',
    isDynamic: false,
  },
];

/** The values of a broker's settings. */
export type BrokerSettings = ReadonlyMap<string, string>;

/** Reads the settings of the brokers. @throws if the account may not describe them. */
export async function settingsOfBrokers(
  admin: Pick<UsedAdmin, 'describeConfigs'>,
  ids: readonly number[],
): Promise<Map<number, BrokerSettings>> {
  const configNames = LIMITS.map(({ name }) => name);
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: ids.map((id) => ({ type: BROKER, name: String(id), configNames })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      Number(resourceName),
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue])),
    ]),
  );
}

/** The advice about limits that do not allow a record of 4 MiB; null if the limits suffice. */
export function limitsAdvice(
  brokers: ReadonlyMap<number, BrokerSettings>,
  addresses: readonly string[],
): string | null {
  const faults = LIMITS.flatMap((limit) => findFaults(limit, brokers));
  if (faults.length === 0) return null;
  const found = faults.map(
    ({ name, least, value, ids, consequence }) =>
      `${name} is ${value} on ${ids.length === 1 ? 'the broker' : 'the brokers'} ${ids.join(', ')}, wanted ${least} (${consequence})`,
  );
  /** The faulty limits with the smallest values that suffice, as `name=value`. */
  const namedSettings = (isDynamic: boolean): string[] => [
    ...new Set(
      faults.filter((each) => each.isDynamic === isDynamic).map(({ name, least }) => `${name}=${least}`),
    ),
  ];
  const [dynamic, fixed] = [namedSettings(true), namedSettings(false)];
  const remedies = [
    ...(dynamic.length === 0
      ? []
      : [
          `run kafka-configs.sh --bootstrap-server ${addresses.join(',')} --alter --entity-type brokers --entity-default --add-config ${dynamic.join(',')}`,
        ]),
    ...(fixed.length === 0 ? [] : [`set ${fixed.join(', ')} in server.properties and restart the brokers`]),
  ];
  return `${found.join('; ')}; ${remedies.join('; ')}`;
}

/** The values of a limit that are too low, each with the ids of its brokers. */
function findFaults(
  limit: Limit,
  brokers: ReadonlyMap<number, BrokerSettings>,
): (Limit & { value: string; ids: number[] })[] {
  const byValue = new Map<string, number[]>();
  for (const [id, settings] of brokers) {
    const value = settings.get(limit.name);
    if (value !== undefined && Number(value) < limit.least)
      byValue.set(value, [...(byValue.get(value) ?? []), id]);
  }
  return [...byValue].map(([value, ids]) => ({ ...limit, value, ids }));
}
