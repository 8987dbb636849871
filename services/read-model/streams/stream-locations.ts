import type { Run } from '../../adapters/postgres/database.ts';
import type { KindName } from '../../../workflows/kind.ts';
import { KINDS } from '../../../workflows/kinds.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';
import { appliedPositions } from '../state/positions.ts';

/** The location of a stream's record in the ledger topic. */
export interface RecordLocation {
  /** The stream: `<cluster>/<job uid>` or `<cluster>/<cronjob uid>`. */
  key: string;
  partition: number;
  offset: bigint;
}

/** The locations of some Jobs' and CronJobs' records in the ledger, as far as the projector has read it. */
export interface StreamLocations {
  records: RecordLocation[];
  /** For each partition, the offset after the last record that the tables know. */
  appliedUpTo: ReadonlyMap<number, bigint>;
  /** Streams whose records begin after the events of their last snapshot. */
  fromSnapshot: ReadonlySet<string>;
  /**
   * Streams whose records the tables do not know completely: streams with events in dropped months, and streams of
   * removed Jobs.
   */
  incomplete: ReadonlySet<string>;
}

/** The state format of usable snapshots, by kind. */
type StateFormats = Readonly<Record<KindName, string>>;

const STATE_FORMATS: StateFormats = {
  PlacedJob: KINDS.PlacedJob.stateFormat,
  Job: KINDS.Job.stateFormat,
  CronJob: KINDS.CronJob.stateFormat,
};

/**
 * Finds the records of streams by index, including records that could not be projected. If a stream's last snapshot has
 * the given state format, the result begins at the first event that the snapshot does not contain.
 */
export async function locateStreams(
  run: Run,
  topic: string,
  keys: readonly string[],
): Promise<StreamLocations> {
  // The positions are read first, so that a record that is applied between the two queries is found twice and never lost.
  const appliedUpTo = await appliedPositions(run, topic);
  const [clusters, uids] = [keys.map(clusterIn), keys.map(uidIn)];
  const found = await run<{ key: string; partition: number; kafka_offset: string; is_part: boolean }>(
    selectLocations(topic, keys),
  );
  const dropped = await run<{ key: string }>(
    sql`select wanted.cluster || '/' || wanted.uid as key
      from unnest(${clusters}::text[], ${uids}::text[]) as wanted (cluster, uid)
      cross join jobledger.retention
      left join jobledger.jobs using (cluster, uid)
      left join jobledger.cron_jobs using (cluster, uid)
      where coalesce(jobs.first_seen_at, cron_jobs.first_seen_at) < events_from
        or (jobs.first_seen_at is null and cron_jobs.first_seen_at is null
          and (events_from is not null or horizon is not null))`,
  );
  return {
    records: found.map(({ key, partition, kafka_offset: offset }) => ({
      key,
      partition,
      offset: BigInt(offset),
    })),
    appliedUpTo,
    fromSnapshot: new Set(found.filter((record) => record.is_part).map(({ key }) => key)),
    incomplete: new Set(dropped.map(({ key }) => key)),
  };
}

/**
 * The locations of the records. Postgres must run each subquery per stream, by index: without statistics, for example
 * in a new installation, it would join all events with all events.
 */
export function selectLocations(topic: string, keys: readonly string[], formats = STATE_FORMATS): Statement {
  const text = `with wanted as materialized (
      select * from unnest($1::text[], $2::text[]) as wanted (cluster, uid)
    )
    ${placesIn('events', 'job_uid', { type: 'job.snapshotted', format: '$3' })}
    union all
    ${placesIn('cron_job_events', 'cron_job_uid', { type: 'cronjob.snapshotted', format: '$4' })}
    union all
    select key, partition, kafka_offset, false from jobledger.dead_letters
    where topic = $5 and key = any($6)`;
  return {
    text,
    values: [keys.map(clusterIn), keys.map(uidIn), formats.Job, formats.CronJob, topic, [...keys]],
  };
}

/** The locations in a table of events; for each stream, from the first event that its last snapshot does not contain. */
function placesIn(table: string, uid: string, snapshot: { type: string; format: string }): string {
  return `select wanted.cluster || '/' || wanted.uid as key, record.*, first.kafka_offset is not null as is_part
    from wanted
    left join lateral (
      select data from jobledger.${table}
      where cluster = wanted.cluster and ${uid} = wanted.uid and type = '${snapshot.type}'
      order by kafka_offset desc limit 1
    ) as snapshot on data ->> 'stateFormat' = ${snapshot.format}
    left join lateral (
      select kafka_offset from jobledger.${table}
      where cluster = wanted.cluster and ${uid} = wanted.uid
        and id = coalesce(snapshot.data -> 'unfolded' ->> 0, snapshot.data ->> 'until')
      limit 1
    ) as first on true
    cross join lateral (
      select kafka_partition as partition, kafka_offset from jobledger.${table}
      where cluster = wanted.cluster and ${uid} = wanted.uid and kafka_offset >= coalesce(first.kafka_offset, 0)
      order by kafka_offset
    ) as record`;
}

/** The cluster in a key, which ends at the last slash: a cluster's name may contain slashes, but a UID does not. */
function clusterIn(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function uidIn(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
