import { Kafka, logLevel, type Admin } from 'kafkajs';
import type { Addresses } from '../../../infra/local/state/addresses.ts';
import { existingTopics } from '../../../services/adapters/kafka/existing-topics.ts';
import { uniqueName, type OwnPart } from './own-part.ts';

/**
 * The ledger's topic of a file; the names of all its other topics and of its consumer groups begin with the same word. Our
 * services create them.
 */
export function ownTopics({ kafkaBrokers = '', kafkaAccount }: Addresses): Promise<OwnPart> {
  const prefix = `${uniqueName()}.`;
  return Promise.resolve({
    addresses: { kafkaBrokers, ...(kafkaAccount !== undefined && { kafkaAccount }) },
    ledgerTopic: `${prefix}ledger`,
    release: () => onServer({ kafkaBrokers, kafkaAccount }, (admin) => deleteAll(admin, prefix)),
  });
}

/** The ledgers that this file makes itself. */
const beside = new Set<string>();

/** A topic that a test makes itself: deleted with the others of its file. */
export function topicBeside(
  { JOBLEDGER_LEDGER_TOPIC = 'jobledger.ledger' }: NodeJS.ProcessEnv,
  name: string,
): string {
  const topic = `${JOBLEDGER_LEDGER_TOPIC.split('.')[0]}.${name}`;
  beside.add(topic);
  return topic;
}

async function deleteAll(admin: Admin, prefix: string): Promise<void> {
  const topics = await ledgerTopics(admin, [`${prefix}ledger`, ...beside]);
  if (topics.length > 0) await admin.deleteTopics({ topics });
  const { groups } = await admin.listGroups();
  const own = groups.map(({ groupId }) => groupId).filter((name) => name.startsWith(prefix));
  // Kafka deletes no group with members, which a killed consumer remains until its session expires. Nobody else joins it.
  if (own.length > 0) await admin.deleteGroups(own).catch(() => undefined);
}

/** The existing topics of these ledgers. */
export async function ledgerTopics(admin: Admin, ledgers: readonly string[]): Promise<string[]> {
  const names = ledgers.flatMap((ledger) => [
    ledger,
    ...['live', 'dead-letters', 'features'].map((topic) => `${ledger}.${topic}`),
  ]);
  return [...(await existingTopics(admin, names))];
}

async function onServer(
  {
    kafkaBrokers = '',
    kafkaAccount,
  }: Pick<Addresses, 'kafkaBrokers'> & { kafkaAccount: Addresses['kafkaAccount'] | undefined },
  work: (admin: Admin) => Promise<void>,
): Promise<void> {
  const kafka = new Kafka({
    clientId: 'jobledger-test',
    brokers: [kafkaBrokers],
    ...(kafkaAccount !== undefined && { sasl: { mechanism: 'plain', ...kafkaAccount } }),
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  try {
    await admin.connect();
    await work(admin);
  } finally {
    await admin.disconnect();
  }
}
