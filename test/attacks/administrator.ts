import { setTimeout as delay } from 'node:timers/promises';
import { createAppender } from '../../services/adapters/kafka/append.ts';
import { encodeEvent, withDigest, type EncodedEvent } from '../../services/adapters/events/event-codec.ts';
import { errorMessage } from '../../services/adapters/errors.ts';
import { kafkaEnvironment, readConfig } from '../../services/adapters/config.ts';
import { connectKafka } from '../../services/adapters/kafka/connection.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { createSetAside } from '../../services/consumers/dead-letters.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { eventually } from '../support/eventually.ts';
import type { Installation } from '../support/installation.ts';
import { ledgerIn } from '../support/ledger-in.ts';
import { jobledger } from '../support/rebuild.ts';

/** What an administrator did. */
export interface AdministratorFigures {
  rounds: number;
  /** Records that `admin dead-letters --retry` has appended again. */
  appendedAgain: number;
  /** Records that are no JSON, under keys of Jobs. */
  unusable: number;
  /** Old Jobs whose rows retention has removed. */
  removed: number;
  /** Verbs that failed. */
  failures: string[];
}

const ROUND_MS = 30_000;
/** Records that a dispatcher has set aside, in each round. */
const SET_ASIDE = 10;
/** Retention removes nothing younger. */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Old Jobs that ended in an earlier month, and those that become old one after the other, by how much. */
const [LONG_OVER, OVER_LATER, LATER_BY_MS] = [200, 300, 3000];
/** The reason of an unusable record. */
export const UNUSABLE = 'the record is not JSON';

/**
 * While others attack: sets records of any Jobs aside, appends unusable ones, retries all dead letters, and removes what is old, until the
 * signal. Old Jobs of the attacker's namespace are in the ledger from the beginning: most are older than the horizon, others become so.
 */
export async function administer(
  { environment, sql }: Installation,
  { namespace, signal }: { namespace: string; signal: AbortSignal },
): Promise<AdministratorFigures> {
  const figures: AdministratorFigures = {
    rounds: 0,
    appendedAgain: 0,
    unusable: 0,
    removed: 0,
    failures: [],
  };
  const kafka = connectKafka(readConfig(kafkaEnvironment, environment), silentLog());
  const appender = await createAppender(kafka);
  const variables = { ...ledgerIn(environment), DATABASE_URL: environment['DATABASE_URL'] };
  const run = async (...verb: string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await jobledger(variables, ...verb);
    // 1: the unusable records remain.
    if (exitCode > 1 || (exitCode === 1 && verb[1] !== 'dead-letters'))
      figures.failures.push(`${verb.join(' ')}: ${exitCode} ${stderr}`);
    return stdout;
  };
  try {
    const old = oldJobs(namespace, Date.now());
    await appender.write(
      kafka.topics.ledger,
      old.flatMap(({ records }) => records),
    );
    const left = async (uids: readonly string[]): Promise<number> => {
      const [found] = await sql<{ jobs: number }>(
        `select count(*)::integer as jobs from jobledger.jobs where uid in ('${uids.join("','")}')`,
      );
      return found?.jobs ?? 0;
    };
    await eventually('the old Jobs are in the tables', 60, async () =>
      (await left(old.map(({ uid }) => uid))) === old.length ? true : undefined,
    );
    while (!signal.aborted) {
      const places = await sql<{ partition: number; offset: string; key: string }>(
        `select kafka_partition as partition, kafka_offset::text as "offset", cluster || '/' || job_uid as key
          from jobledger.events where job_uid is not null order by random() limit ${SET_ASIDE}`,
      );
      const letters = places.map(({ partition, offset, key }) => ({
        record: { partition, offset: BigInt(offset), key, value: null },
        reason: 'set aside by the test',
      }));
      const by = { by: 'dispatcher', onOpened: () => undefined } as const;
      await createSetAside(appender, kafka.topics, by)(letters);
      const [first] = places;
      if (first !== undefined) {
        await appender.write(kafka.topics.ledger, [{ key: first.key, value: '{' }]);
        figures.unusable += 1;
      }
      const retried = await run('admin', 'dead-letters', '--retry');
      figures.appendedAgain += Number(/^(\d+) records? appended again/m.exec(retried)?.[1] ?? 0);
      const [month, hourAgo] = [new Date().toISOString().slice(0, 7), new Date(Date.now() - HOUR_MS - 1000)];
      await run('admin', 'retention', '--before', month, '--ended-before', hourAgo.toISOString());
      const over = old.filter(({ endedAt }) => endedAt < hourAgo.getTime()).map(({ uid }) => uid);
      // A projector that removes them at the same time has not ended yet.
      await eventually('the Jobs that ended before the horizon are removed', 30, async () =>
        (await left(over)) === 0 ? true : undefined,
      ).catch((error: unknown) => figures.failures.push(errorMessage(error)));
      figures.removed = over.length;
      figures.rounds += 1;
      await delay(ROUND_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await appender.close();
  }
  return figures;
}

interface OldJob {
  uid: string;
  endedAt: number;
  records: EncodedEvent[];
}

/** Jobs of another controller that were created, ended and deleted long ago, or little more than an hour before they become old. */
function oldJobs(namespace: string, now: number): OldJob[] {
  const oldJob = (at: number, endedAt: number): OldJob => {
    const [name, uid] = [`old-${at}`, `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`];
    const time = (before: number): string => new Date(endedAt - before).toISOString();
    const event = (type: 'job.observed' | 'job.deleted', before: number, data: object): EncodedEvent => {
      const id = `local/jobs/${uid}/${type}/${before}`;
      const of = { id, type, source: 'local', subject: `${namespace}/${name}`, time: time(before) };
      return encodeEvent(
        withDigest<LedgerEvent>({ ...of, data: { cluster: 'local', jobUid: uid, ...data } } as never),
      );
    };
    const metadata = { namespace, name, uid, creationTimestamp: time(60_000) };
    const spec = { parallelism: 1, completions: 1, backoffLimit: 6 };
    const done = { type: 'Complete', status: 'True', lastTransitionTime: time(30_000) };
    const observed = (before: number, resourceVersion: string, status: object): EncodedEvent =>
      event('job.observed', before, { object: { metadata: { ...metadata, resourceVersion }, spec, status } });
    const ended = { succeeded: 1, startTime: time(60_000), completionTime: time(30_000), conditions: [done] };
    return {
      uid,
      endedAt,
      records: [
        observed(60_000, '1', {}),
        observed(30_000, '2', ended),
        event('job.deleted', 0, { resourceVersion: '3', seen: true }),
      ],
    };
  };
  return [
    ...Array.from({ length: LONG_OVER }, (_, at) => oldJob(at, now - 40 * DAY_MS + at * 1000)),
    ...Array.from({ length: OVER_LATER }, (_, at) =>
      oldJob(LONG_OVER + at, now - HOUR_MS + at * LATER_BY_MS),
    ),
  ];
}
