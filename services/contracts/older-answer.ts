import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import { parseRecord, writeInstallation, type InstallationRecords } from './installation-records.ts';

const VERSION = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
});
const ANSWER = VERSION.extend({ epoch: z.number(), resource: z.enum(['jobs', 'cronjobs']) });

/**
 * An object that a cluster has shown in an older version than `resourceVersion`, which an earlier answer to a worker
 * had in `epoch`: the API server was restored from an older copy.
 */
export type OlderAnswer = z.infer<typeof ANSWER>;

/** The object in the outcome of a command about a Job or a CronJob; null when the outcome shows none. */
export function objectInOutcome(outcome: object): Omit<OlderAnswer, 'epoch'> | null {
  const { job, cronJob } = outcome as { job?: unknown; cronJob?: unknown };
  const { data } = VERSION.safeParse(job ?? cronJob);
  return data === undefined ? null : { resource: cronJob === undefined ? 'jobs' : 'cronjobs', ...data };
}

/** The last such object of a cluster that a worker has reported; null without a report. */
export function olderAnswer(cluster: string, records: InstallationRecords): OlderAnswer | null {
  return parseRecord(records.get(`older/${cluster}`), ANSWER);
}

/** Reports it to the ingester, which notices it within seconds. @throws UnavailableError when Kafka does not take it. */
export function reportOlderAnswer(
  connection: KafkaConnection,
  cluster: string,
  answer: OlderAnswer,
): Promise<void> {
  return writeInstallation(connection, `older/${cluster}`, answer);
}
