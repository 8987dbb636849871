import { storedEvent, type StoredEvent } from '../../adapters/events/event-codec.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { sql, type Statement } from '../../adapters/postgres/statement.ts';
import { belongsToHistory } from '../../../workflows/ledger-event.ts';
import { PLACEMENT_MANAGER } from '../../../workflows/kubernetes/names.ts';
import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import type { ClusterGap } from '../../../workflows/ledger/cluster-events.ts';
import type { JobEvent, JobSubmitted } from '../../../workflows/job/events.ts';

interface JobKey {
  cluster: string;
  uid: string;
}

export interface GapView {
  resource: string;
  since: string;
  until: string;
  reason: string | null;
}

/** A gap with its id. */
export interface GapOfJob extends GapView {
  id: string;
}

/** The observed lifetime of a Job. */
export interface LifeOfJob {
  first_seen_at: string;
  deleted_at: string | null;
}

/**
 * The maximum number of events on a page, and the number of bytes, as text, after which a page gets no further events,
 * because the author of an object determines the size of its events.
 */
const PAGE = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

/** The events of one Job, in ledger order, read page by page. */
export async function* readEvents(run: Run, job: JobKey): AsyncGenerator<JobEvent> {
  const kind = await kindOfJob(run, job);
  for await (const event of readPages<JobEvent>(run, job, selectEventsAfter))
    if (belongsToHistory(kind, event)) yield event;
}

/**
 * The kind of a Job, which determines the events in its history. Events of another kind do not count, because any user
 * can write the UID of a Job.
 */
export async function kindOfJob(run: Run, { cluster, uid }: JobKey): Promise<'PlacedJob' | 'Job'> {
  const [row] = await run<{ managed_by: string | null }>(
    sql`select managed_by from jobledger.jobs where cluster = ${cluster} and uid = ${uid}`,
  );
  return row?.managed_by === PLACEMENT_MANAGER ? 'PlacedJob' : 'Job';
}

/** Yields the events of an object page by page. */
async function* readPages<E extends JobEvent | CronJobEvent>(
  run: Run,
  key: JobKey,
  after: (key: JobKey, offset: string) => Statement,
): AsyncGenerator<E> {
  let last = '-1';
  for (;;) {
    const page = await run<StoredEvent<E> & { kafka_offset: string; found: number }>(after(key, last));
    for (const { kafka_offset: offset, found: _, ...row } of page) {
      last = offset;
      yield storedEvent<E>(row as unknown as StoredEvent<E>);
    }
    const found = page[0]?.found ?? 0;
    if (found < PAGE && page.length === found) return;
  }
}

function selectEventsAfter({ cluster, uid }: JobKey, offset: string): Statement {
  return selectPage(
    sql`select * from jobledger.events where cluster = ${cluster} and job_uid = ${uid} and kafka_offset > ${offset}`,
  );
}

/** All events of one CronJob, in ledger order. */
export function readCronJobStream(run: Run, cronJob: JobKey): Promise<CronJobEvent[]> {
  return Array.fromAsync(readPages<CronJobEvent>(run, cronJob, selectCronJobEventsAfter));
}

function selectCronJobEventsAfter({ cluster, uid }: JobKey, offset: string): Statement {
  return selectPage(
    sql`select * from jobledger.cron_job_events where cluster = ${cluster} and cron_job_uid = ${uid} and kafka_offset > ${offset}`,
  );
}

/** The first events of a statement, with the number of its events up to `PAGE`. */
function selectPage({ text, values }: Statement): Statement {
  return {
    text: `select kafka_offset, id, type, type_version, source, subject, time, digest, data, found from (
        select *, count(*) over ()::integer as found, coalesce(sum(octet_length(data::text))
          over (order by kafka_offset rows between unbounded preceding and 1 preceding), 0) as bytes_before
        from (${text} order by kafka_offset limit ${PAGE}) first
      ) page where bytes_before < ${PAGE_BYTES} order by kafka_offset`,
    values,
  };
}

/** All events of one Job, in ledger order. */
export function readStream(run: Run, job: JobKey): Promise<JobEvent[]> {
  return Array.fromAsync(readEvents(run, job));
}

/** All events of one Job, in ledger order, followed by the gaps of its cluster while it existed. */
export async function readHistory(run: Run, job: JobKey & LifeOfJob): Promise<JobEvent[]> {
  const gaps = await run<GapOfJob>(selectGapsDuring(job));
  return withGaps(job, await readStream(run, job), gaps);
}

/** The events of a Job, followed by the gaps of its cluster. */
export function withGaps(
  job: Pick<JobKey, 'cluster'>,
  events: readonly JobEvent[],
  gaps: readonly GapOfJob[],
): JobEvent[] {
  return [...events, ...gaps.map((gap) => gapEvent(job, gap))];
}

/**
 * The event of a gap, rebuilt from the gaps table without resourceVersions, because this table outlives the events of
 * dropped months.
 */
function gapEvent({ cluster }: Pick<JobKey, 'cluster'>, gap: GapOfJob): ClusterGap {
  const [since, until] = [gap.since, gap.until];
  const resource = gap.resource === 'jobs' ? 'jobs' : 'pods';
  const data = { cluster, resource, from: '', to: '', since, until, reason: gap.reason ?? '' } as const;
  return {
    id: gap.id,
    type: 'cluster.gap',
    source: cluster,
    subject: cluster,
    time: until,
    digest: '',
    data,
  };
}

/** The event that names the submitter of the Job; undefined for other Jobs. */
export async function readSubmission(run: Run, { cluster, uid }: JobKey): Promise<JobSubmitted | undefined> {
  const [row] = await run<
    StoredEvent<JobSubmitted>
  >(sql`select id, type, type_version, source, subject, time, digest, data from jobledger.events
    where cluster = ${cluster} and job_uid = ${uid} and type = 'job.submitted' limit 1`);
  return row === undefined ? undefined : storedEvent(row);
}

/** The ids of superseded decisions, which were made again after a crash. */
export function selectSuperseded({ cluster, uid }: JobKey): Statement {
  return sql`select id from jobledger.decisions
    where cluster = ${cluster} and job_uid = ${uid} and superseded`;
}

/** The periods in which events of the Job's cluster may have been missed while the Job existed. */
export function selectGapsDuring(job: JobKey & LifeOfJob): Statement {
  return sql`select id, resource, since, until, reason from jobledger.gaps
    where cluster = ${job.cluster}
      and (namespace is null or namespace = (select j.namespace from jobledger.jobs j where j.cluster = ${job.cluster} and j.uid = ${job.uid}))
      and until >= ${job.first_seen_at}
      and since <= coalesce(${job.deleted_at}::timestamptz, now())
    order by until, since, resource`;
}
