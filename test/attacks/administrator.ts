import { setTimeout as delay } from 'node:timers/promises';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { writeDeadLetters } from '../../services/contracts/dead-letters.ts';
import type { Installation } from '../support/installation.ts';
import { ledgerIn } from '../support/ledger-in.ts';
import { jobledger } from '../support/rebuild.ts';

/** What an administrator did. */
export interface AdministratorFigures {
  rounds: number;
  /** Records that `dead-letters --retry` has appended again. */
  appendedAgain: number;
  /** Records that are no JSON, under keys of Jobs. */
  unusable: number;
  /** Verbs that failed. */
  failures: string[];
}

const ROUND_MS = 30_000;
/** Records that a dispatcher has set aside, in each round. */
const SET_ASIDE = 10;
/** Retention removes nothing younger. */
const HOUR_MS = 3_600_000;
/** The reason of an unusable record. */
export const UNUSABLE = 'the record is not JSON';

/**
 * While others attack: sets records of any Jobs aside, appends unusable ones, retries all dead letters, and removes what is old, until the
 * signal.
 */
export async function administer(
  { environment, sql }: Installation,
  signal: AbortSignal,
): Promise<AdministratorFigures> {
  const figures: AdministratorFigures = { rounds: 0, appendedAgain: 0, unusable: 0, failures: [] };
  const kafka = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  const appender = await createAppender(kafka);
  const variables = { ...ledgerIn(environment), DATABASE_URL: environment['DATABASE_URL'] };
  const run = async (...verb: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await jobledger(variables, ...verb);
    // 1: the unusable records remain.
    if (exitCode > 1 || (exitCode === 1 && verb[0] !== 'dead-letters'))
      figures.failures.push(`${verb.join(' ')}: ${exitCode} ${stderr}`);
    return stdout;
  };
  try {
    while (!signal.aborted) {
      const places = await sql<{ partition: number; offset: string; key: string }>(
        `select kafka_partition as partition, kafka_offset::text as "offset", cluster || '/' || job_uid as key
          from jobledger.events where job_uid is not null order by random() limit ${SET_ASIDE}`,
      );
      const letters = places.map(({ partition, offset, key }) => ({
        record: { partition, offset: BigInt(offset), key, value: null },
        reason: 'set aside by the test',
      }));
      await writeDeadLetters(appender, kafka.topics, { by: 'dispatcher', letters });
      const [first] = places;
      if (first !== undefined) {
        await appender.write(kafka.topics.ledger, [{ key: first.key, value: '{' }]);
        figures.unusable += 1;
      }
      const retried = await run('dead-letters', '--retry');
      figures.appendedAgain += Number(/^(\d+) records? appended again/m.exec(retried)?.[1] ?? 0);
      const [month, hourAgo] = [new Date().toISOString().slice(0, 7), new Date(Date.now() - HOUR_MS - 1000)];
      await run('retention', '--before', month, '--ended-before', hourAgo.toISOString());
      figures.rounds += 1;
      await delay(ROUND_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await appender.close();
  }
  return figures;
}
