import { z } from 'zod';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent, JobSubmitted } from '../../workflows/job/events.ts';
import type { ApiCalls, Query } from '../../services/adapters/http/api-calls.ts';
import { cronJobSchema, startSchema } from '../../services/api/schemas/cron-job.ts';
import { jobSchema, jobWithConditionsSchema, podSchema } from '../../services/api/schemas/job.ts';
import type { WantedJob } from '../../services/read-model/find-job.ts';
import type { CronJobView, JobView } from '../../services/read-model/views.ts';
import { isMet, selectorText, splitSelector } from '../../services/read-model/label-selector.ts';
import type { JobsWanted, RowKey, RowSource } from './row-source.ts';

/** Rows per page, the most that the API allows. */
const PAGE = 500;

const superseded = z.object({ id: z.string(), superseded: z.boolean() });
/** Absent from an API of an earlier version. */
const coming = z.object({ coming_starts: z.array(z.string()).default([]) });
const groups = z.object({
  items: z.array(
    z.object({ value: z.string(), jobs: z.int(), active: z.int(), words: z.string().nullable() }),
  ),
});
const gap = z.object({
  id: z.string(),
  /** Absent from an API of an earlier version. */
  namespace: z.string().nullish(),
  resource: z.string(),
  gap_from: z.string(),
  gap_to: z.string(),
  reason: z.string().nullable(),
});

/** The same rows through the HTTP API, by the schemas that it responds with. */
export function apiRows(api: ApiCalls): RowSource {
  const allOf = <S extends z.ZodType>(path: string, query: Query, item: S): Promise<z.infer<S>[]> =>
    Array.fromAsync(pagesOf(api, path, query, item));
  return {
    async jobs(wanted) {
      const query = { ...queryOfMany(wanted), sort: wanted.order };
      const found = await Array.fromAsync(pagesOf(api, '/v1/jobs', query, jobSchema, wanted.limit + 1));
      return found.map(jobRow);
    },
    async groups(wanted, by) {
      const query = { ...queryOfMany(wanted), by, limit: Math.min(PAGE, wanted.limit + 1) };
      return (await api.get('/v1/groups', query, groups)).items;
    },
    async drivenJobs({ namespace, cluster }) {
      const found = await allOf('/v1/jobs', { namespace, cluster, deleted: 'true' }, jobSchema);
      return found
        .filter(({ decisions }) => decisions > 0)
        .map(jobRow)
        .toReversed();
    },
    job: async (wanted) => jobRow(await api.get(pathOf('jobs', wanted), queryOf(wanted), jobSchema)),
    jobOfPod: async (wanted) =>
      jobRow(await api.get(`${pathOf('pods', wanted)}/job`, queryOf(wanted), jobSchema)),
    conditions: async (job) =>
      (await api.get(pathOf('jobs', job), queryOf(job), jobWithConditionsSchema)).conditions,
    chain: async (job) => (await api.get(pathOf('jobs', job), queryOf(job), jobWithConditionsSchema)).chain,
    pods: (job) => allOf(`${pathOf('jobs', job)}/pods`, queryOf(job), podSchema),
    events: (job) => eventsAt<JobEvent>(api, `${pathOf('jobs', job)}/events`, queryOf(job)),
    async submission(job) {
      const query = { ...queryOf(job), type: 'job.submitted' };
      const [found] = await Array.fromAsync(
        eventsAt<JobSubmitted>(api, `${pathOf('jobs', job)}/events`, query),
      );
      return found;
    },
    async superseded(job) {
      const all = await allOf(`${pathOf('jobs', job)}/decisions`, queryOf(job), superseded);
      return all.filter((each) => each.superseded).map(({ id }) => id);
    },
    async gaps({ cluster, namespace, first_seen_at: since, deleted_at: until }) {
      const found = await allOf('/v1/gaps', { cluster, since, until: until ?? undefined }, gap);
      const isOfJob = (of: string | null | undefined): boolean => of == null || of === namespace;
      return found.filter((each) => isOfJob(each.namespace)).toReversed();
    },
    async cronJobs({ namespace, cluster, deleted, limit, selector = [] }) {
      const query = { namespace, cluster, deleted: String(deleted) };
      const found: CronJobView[] = [];
      for await (const each of pagesOf(api, '/v1/cronjobs', query, cronJobSchema)) {
        if (selector.every((requirement) => isMet(requirement, each.labels))) found.push(cronJobRow(each));
        if (found.length > limit) break;
      }
      return found;
    },
    cronJob: async (wanted) =>
      cronJobRow(await api.get(pathOf('cronjobs', wanted), queryOf(wanted), cronJobSchema)),
    comingStarts: async (cronJob) =>
      (await api.get(pathOf('cronjobs', cronJob), queryOf(cronJob), coming)).coming_starts,
    starts: (cronJob, limit) =>
      Array.fromAsync(
        pagesOf(api, `${pathOf('cronjobs', cronJob)}/starts`, queryOf(cronJob), startSchema, limit),
      ),
    cronJobEvents: (cronJob) =>
      Array.fromAsync(eventsAt<CronJobEvent>(api, `${pathOf('cronjobs', cronJob)}/events`, queryOf(cronJob))),
  };
}

export function pathOf(kind: 'jobs' | 'cronjobs' | 'pods', { name }: Pick<RowKey, 'name'>): string {
  return `/v1/${kind}/${encodeURIComponent(name)}`;
}

export function queryOf({ cluster, namespace, uid }: Omit<WantedJob, 'places'>): Query {
  return { cluster, namespace, uid };
}

/** The filters of the routes about many Jobs. */
function queryOfMany(wanted: JobsWanted): Query {
  const { namespace, cluster, deleted, states, createdFrom, createdBefore, owner, selector = [] } = wanted;
  const { labels, others } = splitSelector(selector);
  return {
    namespace,
    cluster,
    deleted: String(deleted),
    label: Object.entries(labels).map(([name, value]) => `${name}=${value}`),
    selector: others.length === 0 ? undefined : selectorText(others),
    state: states?.join(','),
    created_from: createdFrom,
    created_before: createdBefore,
    owner: owner === undefined ? undefined : `${owner.kind}/${owner.name}`,
  };
}

/** Postgres returns the deadline, a bigint, as text, so the rows have text too. */
function jobRow(job: z.infer<typeof jobSchema>): JobView {
  const { active_deadline_seconds: deadline } = job;
  return { ...job, active_deadline_seconds: deadline === null ? null : String(deadline) };
}

function cronJobRow(cronJob: z.infer<typeof cronJobSchema>): CronJobView {
  const { starting_deadline_seconds: deadline } = cronJob;
  return { ...cronJob, starting_deadline_seconds: deadline === null ? null : String(deadline) };
}

/** The items of a list, page by page. */
async function* pagesOf<S extends z.ZodType>(
  api: ApiCalls,
  path: string,
  query: Query,
  item: S,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<z.infer<S>> {
  const page = z.object({ items: z.array(item), next: z.string().nullable() });
  let [left, cursor] = [most, undefined as string | undefined];
  while (left > 0) {
    const { items, next } = await api.get(path, { ...query, limit: Math.min(PAGE, left), cursor }, page);
    yield* items;
    left -= items.length;
    if (next === null) return;
    cursor = next;
  }
}

async function* eventsAt<E>(api: ApiCalls, path: string, query: Query): AsyncGenerator<E> {
  // Loaded only here: the other verbs start without the schemas of all events.
  const { decodeEvent } = await import('../../services/adapters/events/event-codec.ts');
  const { stringifyExact } = await import('../../services/adapters/exact-json.ts');
  for await (const each of pagesOf(api, path, query, z.looseObject({})))
    yield decodeEvent(stringifyExact(each)) as E;
}
