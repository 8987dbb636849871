import { z } from 'zod';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';
import {
  parseRecord,
  writeInstallationRecord,
  type InstallationRecords,
} from '../installation/installation-records.ts';

const VERSION = z.object({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  resourceVersion: z.string(),
});
const ANSWER = VERSION.extend({ epoch: z.number(), resource: z.enum(['jobs', 'cronjobs']) });

/**
 * An object that a cluster has shown in an older version than `resourceVersion`, although an earlier answer to a worker
 * in `epoch` had that version. The API server was therefore restored from an older copy.
 */
export type OlderAnswer = z.infer<typeof ANSWER>;

/** The object in the outcome of a command about a Job or a CronJob; null when the outcome contains no object. */
export function objectInOutcome(outcome: object): Omit<OlderAnswer, 'epoch'> | null {
  const { job, cronJob } = outcome as { job?: unknown; cronJob?: unknown };
  const { data } = VERSION.safeParse(job ?? cronJob);
  return data === undefined ? null : { resource: cronJob === undefined ? 'jobs' : 'cronjobs', ...data };
}

/** The last older answer of a cluster that a worker has reported; null without a report. */
export function lastOlderAnswer(cluster: string, records: InstallationRecords): OlderAnswer | null {
  return parseRecord(records.get(`older/${cluster}`), ANSWER);
}

/**
 * Reports an older answer to the ingester, which reads the report within seconds.
 * @throws UnavailableError when Kafka does not accept the report.
 */
export function reportOlderAnswer(
  connection: KafkaConnection,
  cluster: string,
  answer: OlderAnswer,
): Promise<void> {
  return writeInstallationRecord(connection, `older/${cluster}`, answer);
}
