import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { ensureTopics } from '../../services/adapters/kafka/topics.ts';
import { createLog } from '../../services/adapters/log.ts';

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
  const log = createLog('test');
  log.level = 'silent';
  const source = connectKafka(readConfig(kafkaEnvironment, environment), log);
  const copy = connectKafka(
    readConfig(kafkaEnvironment, { ...environment, JOBLEDGER_LEDGER_TOPIC: topic }),
    log,
  );
  await ensureTopics(copy, new AbortController().signal);
  let changed: string | undefined;
  const messages: { key: string; value: string }[] = [];
  await scan(source, source.topics.ledger, ({ key, value }) => {
    const event = JSON.parse(value?.toString() ?? '{}') as RawEvent;
    const altered = changed === undefined ? change(event) : undefined;
    if (altered !== undefined) changed = event.id;
    messages.push({ key, value: JSON.stringify(altered ?? event) });
  });
  const appender = await createAppender(copy);
  await appender.write(topic, messages);
  await appender.close();
  if (changed === undefined) throw new Error('no event was changed');
  return changed;
}
