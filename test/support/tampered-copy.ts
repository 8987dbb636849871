import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { stampLedger } from '../../services/installation/stamp.ts';
import { silentLog } from '../../services/adapters/process/log.ts';

/** A ledger record as JSON. */
export interface RawEvent {
  id: string;
  type: string;
  data: Record<string, unknown>;
}

/**
 * Copies the ledger to a topic of another name, with the first event for which `change` returns a text replaced by that
 * text. Returns the id of that event.
 */
export async function tamperedCopy(
  environment: NodeJS.ProcessEnv,
  topic: string,
  change: (event: RawEvent) => RawEvent | undefined,
): Promise<string> {
  let changed: string | undefined;
  await alteredCopy(environment, topic, (records) =>
    records.map((record) => {
      const event = JSON.parse(record.value?.toString() ?? '{}') as RawEvent;
      const altered = changed === undefined ? change(event) : undefined;
      if (altered !== undefined) changed = event.id;
      return { ...record, value: Buffer.from(JSON.stringify(altered ?? event)) };
    }),
  );
  if (changed === undefined) throw new Error('no event was changed');
  return changed;
}

/** Copies the ledger to a topic of another name, each record to its partition, after `alter`. */
export async function alteredCopy(
  environment: NodeJS.ProcessEnv,
  topic: string,
  alter: (records: LedgerRecord[]) => LedgerRecord[],
): Promise<void> {
  const source = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  const target = { ...environment, JOBLEDGER_LEDGER_TOPIC: topic };
  const copy = connectKafka(readConfig(kafkaEnvironment, target), silentLog());
  await ensureTopics(copy, new AbortController().signal);
  await stampLedger(copy);
  const records: LedgerRecord[] = [];
  await scan(source, source.topics.ledger, (record) => void records.push(record));
  const messages = alter(records).map(({ partition, key, value }) => ({
    partition,
    key,
    value: value?.toString() ?? null,
  }));
  const appender = await createAppender(copy);
  await appender.write(topic, messages);
  await appender.close();
}
