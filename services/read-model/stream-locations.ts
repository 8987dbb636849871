import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { appliedPositions } from './positions.ts';

/** Where a record of a stream is in the ledger topic. */
export interface RecordLocation {
  /** The stream: `<cluster>/<job uid>`. */
  key: string;
  partition: number;
  offset: bigint;
}

/** Where the ledger has the records of some Jobs, as far as the projector has read it. */
export interface StreamLocations {
  records: RecordLocation[];
  /** By partition: the tables say nothing of records from this offset on. */
  appliedUpTo: ReadonlyMap<number, bigint>;
  /** Streams with events in months that were dropped: the tables do not know all of their records. */
  incomplete: ReadonlySet<string>;
}

/** Finds the records of streams by index, records that could not be projected included. */
export async function locateStreams(
  run: Run,
  topic: string,
  keys: readonly string[],
): Promise<StreamLocations> {
  // Read first: what is applied between the two queries is only found twice.
  const appliedUpTo = await appliedPositions(run, topic);
  const [clusters, uids] = [keys.map(clusterOf), keys.map(uidOf)];
  const found = await run<{ key: string; partition: number; kafka_offset: string }>(
    sql`select cluster || '/' || job_uid as key, kafka_partition as partition, kafka_offset from jobledger.events
      where (cluster, job_uid) in (select * from unnest(${clusters}::text[], ${uids}::text[]))
      union all
      select key, partition, kafka_offset from jobledger.dead_letters
      where topic = ${topic} and key = any(${[...keys]})`,
  );
  const dropped = await run<{ key: string }>(
    sql`select wanted.cluster || '/' || wanted.uid as key
      from unnest(${clusters}::text[], ${uids}::text[]) as wanted (cluster, uid)
      join jobledger.retention on events_from is not null
      left join jobledger.jobs using (cluster, uid)
      where jobs.first_seen_at is null or jobs.first_seen_at < events_from`,
  );
  return {
    records: found.map(({ key, partition, kafka_offset: offset }) => ({
      key,
      partition,
      offset: BigInt(offset),
    })),
    appliedUpTo,
    incomplete: new Set(dropped.map(({ key }) => key)),
  };
}

/** A cluster's name may contain slashes, a UID does not. */
function clusterOf(key: string): string {
  return key.slice(0, key.lastIndexOf('/'));
}

function uidOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}
