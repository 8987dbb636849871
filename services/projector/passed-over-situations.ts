import type { Pod } from '../../workflows/kubernetes/objects.ts';
import type { Log } from '../adapters/process/log.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { sql } from '../adapters/postgres/statement.ts';
import { JOBS, type JobRow } from '../read-model/tables/jobs.ts';
import { PODS, type PodRow } from '../read-model/tables/pods.ts';
import type { AppliedLedger } from './apply.ts';
import { keepRepairing } from './keep-repairing.ts';
import { situationOfPods } from './projections/job-situations.ts';
import { explanationOf } from './projections/pod-object.ts';
import { columnsOf, upsert } from './statements.ts';

/** Jobs in one transaction. */
const AT_ONCE = 200;

/**
 * Writes the states, waits and reasons of Jobs to which a projector of an earlier version has applied events: once after an
 * upgrade, and again when such a projector runs beside this one.
 */
export function keepSituations(
  ledger: AppliedLedger,
  { log, signal }: { log: Log; signal: AbortSignal },
): Promise<void> {
  const failed = 'the states of Jobs that an earlier version has projected are not written; trying again';
  return keepRepairing(() => repairSituations(ledger, log, signal), { failed, log, signal });
}

interface Range {
  partition: number;
  from: string;
  to: string;
}

export async function repairSituations(
  { database, topic }: AppliedLedger,
  log: Log,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const ranges = await database.run<Range>(
    sql`select partition, situations_offset::text as from, next_offset::text as to from jobledger.positions
      where topic = ${topic} and situations_offset < next_offset order by partition`,
  );
  for (const range of ranges) {
    const { partition, from, to } = range;
    const jobs = await database.run<JobKey>(
      sql`select distinct cluster, job_uid as uid from jobledger.events
        where kafka_partition = ${partition} and kafka_offset >= ${from}::bigint and kafka_offset < ${to}::bigint
          and job_uid is not null`,
    );
    log.info(
      { ...range, jobs: jobs.length },
      'writing the states of Jobs that an earlier version has projected',
    );
    for (let at = 0; at < jobs.length && !signal.aborted; at += AT_ONCE)
      await database.transaction(async (run) => {
        // No projector writes rows of the partition meanwhile.
        await run(
          sql`select from jobledger.positions where topic = ${topic} and partition = ${partition} for update`,
        );
        await repair(run, jobs.slice(at, at + AT_ONCE));
      });
    if (signal.aborted) return;
    await database.run(
      sql`update jobledger.positions set situations_offset = greatest(situations_offset, ${to}::bigint)
        where topic = ${topic} and partition = ${partition}`,
    );
  }
}

interface JobKey {
  cluster: string;
  uid: string;
}

async function repair(run: Run, keys: readonly JobKey[]): Promise<void> {
  const [clusters, uids] = [keys.map(({ cluster }) => cluster), keys.map(({ uid }) => uid)];
  const jobs = await run<JobRow>({
    text: `select ${columnsOf(JOBS).join(', ')} from jobledger.jobs
      where (cluster, uid) in (select * from unnest($1::text[], $2::text[]))`,
    values: [clusters, uids],
  });
  const pods = await run<PodRow>({
    text: `select ${columnsOf(PODS).join(', ')} from jobledger.pods
      where (cluster, job_uid) in (select * from unnest($1::text[], $2::text[]))`,
    values: [clusters, uids],
  });
  const explained = await withExplanations(run, pods);
  const requests = await lastRequests(run, clusters, uids);
  const podsOf = Map.groupBy(explained, ({ cluster, job_uid: uid }) => `${cluster}/${uid}`);
  const repaired = jobs.map((job) => {
    const key = `${job.cluster}/${job.uid}`;
    const request = requests.get(key);
    const isSuspension = request?.command === 'suspend';
    return situationOfPods(
      {
        ...job,
        suspend_requested_by: isSuspension ? request.by : null,
        suspend_requested_at: isSuspension ? request.time : null,
      },
      podsOf.get(key) ?? [],
    );
  });
  if (explained.length > 0) await run(upsert(PODS, explained));
  if (repaired.length > 0) await run(upsert(JOBS, repaired));
}

/** With the reason of each pod without a node, which an earlier version did not write. */
async function withExplanations(run: Run, pods: readonly PodRow[]): Promise<PodRow[]> {
  const waiting = pods.filter(({ phase }) => phase === 'Pending');
  if (waiting.length === 0) return [...pods];
  const seen = await run<{ uid: string; object: Pod }>({
    text: `select distinct on (e.cluster, e.job_uid, wanted.uid) wanted.uid, e.data -> 'object' as object
      from unnest($1::text[], $2::text[], $3::text[]) as wanted (cluster, job_uid, uid)
      join jobledger.events e on e.cluster = wanted.cluster and e.job_uid = wanted.job_uid
        and e.type in ('pod.observed', 'pod.deleted') and e.data -> 'object' -> 'metadata' ->> 'uid' = wanted.uid
      order by e.cluster, e.job_uid, wanted.uid, e.resource_version desc, e.kafka_offset`,
    values: [
      waiting.map(({ cluster }) => cluster),
      waiting.map(({ job_uid: job }) => job),
      waiting.map(({ uid }) => uid),
    ],
  });
  const objects = new Map(seen.map(({ uid, object }) => [uid, object]));
  return pods.map((pod) => {
    const object = pod.phase === 'Pending' ? objects.get(pod.uid) : undefined;
    return object === undefined ? pod : { ...pod, ...explanationOf(object) };
  });
}

interface LastRequest {
  cluster: string;
  job_uid: string;
  command: string;
  by: string;
  time: string;
}

/** The last request of a user about each Job. */
async function lastRequests(
  run: Run,
  clusters: readonly string[],
  uids: readonly string[],
): Promise<Map<string, LastRequest>> {
  const rows = await run<LastRequest>(
    sql`select distinct on (cluster, job_uid) cluster, job_uid, data ->> 'command' as command, data ->> 'by' as by, time
      from jobledger.events
      where type = 'command.received' and (cluster, job_uid) in (select * from unnest(${[...clusters]}::text[], ${[...uids]}::text[]))
      order by cluster, job_uid, kafka_offset desc`,
  );
  return new Map(rows.map((row) => [`${row.cluster}/${row.job_uid}`, row]));
}
