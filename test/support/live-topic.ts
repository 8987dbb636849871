import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { encodeLiveRecord, readLiveTopic, type LiveRecord } from '../../services/live-topic/live-topic.ts';

/**
 * Reads the live topic. The result puts it back to what it was then, as an ingester leaves it that is killed before its
 * next write: called while no ingester runs. `without`: records that it had not written before either.
 */
export async function rememberLiveTopic(
  variables: NodeJS.ProcessEnv,
  without?: LiveRecord['kind'],
): Promise<() => Promise<void>> {
  const kafka = connectKafka(readConfig(kafkaEnvironment, variables), silentLog());
  const records = await readLiveTopic(kafka);
  const before = records.filter(({ kind }) => kind !== without).map(encodeLiveRecord);
  return async () => {
    const known = new Set(before.map(({ key }) => key));
    const later = (await readLiveTopic(kafka)).map(encodeLiveRecord).filter(({ key }) => !known.has(key));
    const appender = await createAppender(kafka);
    await appender.write(kafka.topics.live, [...before, ...later.map(({ key }) => ({ key, value: null }))]);
    await appender.close();
  };
}
