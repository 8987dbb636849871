import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { decodeEvent } from '../../services/adapters/events/event-codec.ts';
import { isOfKind, type LedgerEvent } from '../../workflows/ledger-event.ts';
import { decodeJobEvent } from './decode-job-event.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { scan } from '../../services/adapters/kafka/scan.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import type { JobEvent } from '../../workflows/job/events.ts';

/** Every record of the ledger that these variables name, repeats too, partition by partition. */
export async function ledgerEvents(variables: NodeJS.ProcessEnv): Promise<JobEvent[]> {
  const kafka = connectKafka(readConfig(kafkaEnvironment, variables), silentLog());
  const events: JobEvent[] = [];
  await scan(kafka, kafka.topics.ledger, ({ value }) => void events.push(decodeJobEvent(value)));
  return events;
}

/** Every record of the ledger that is not in the stream of a CronJob. */
export async function eventsOfJobs(variables: NodeJS.ProcessEnv): Promise<JobEvent[]> {
  return (await allEvents(variables)).filter((event) => !isOfKind('CronJob', event)) as JobEvent[];
}

/** Every record of the ledger. */
export async function allEvents(variables: NodeJS.ProcessEnv): Promise<LedgerEvent[]> {
  const kafka = connectKafka(readConfig(kafkaEnvironment, variables), silentLog());
  const events: LedgerEvent[] = [];
  await scan(kafka, kafka.topics.ledger, ({ value }) => void events.push(decodeEvent(value)));
  return events;
}
