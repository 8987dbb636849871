import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { decodeJobEvent } from './decode-job-event.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../services/adapters/log.ts';
import type { JobEvent } from '../../workflows/job/events.ts';

/** Every record of the ledger that these variables name, repeats too, partition by partition. */
export async function ledgerEvents(variables: NodeJS.ProcessEnv): Promise<JobEvent[]> {
  const kafka = connectKafka(readConfig(kafkaEnvironment, variables), silentLog());
  const events: JobEvent[] = [];
  await scan(kafka, kafka.topics.ledger, ({ value }) => void events.push(decodeJobEvent(value)));
  return events;
}
