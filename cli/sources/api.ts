import type { z } from 'zod';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { JobEvent, JobSubmitted } from '../../workflows/job/events.ts';
import type { ApiCalls, Query, SchemaOf } from '../../services/adapters/http/api-calls.ts';
import type { WantedJob } from '../../services/read-model/queries/find-job.ts';
import type { CronJobView } from '../../services/read-model/views/cron-jobs.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import {
  meetsRequirement,
  selectorText,
  splitSelector,
} from '../../services/read-model/queries/label-selector.ts';
import type { JobsWanted, RowKey, RowSource } from './row-source.ts';

/** Rows per page, the largest number that the API allows. */
export const PAGE = 500;

// The schemas are loaded on demand, because "get" needs none for an API of this version.
const schemas = () => import('./api-schemas.ts');
/** The schema of a listed Job. */
const jobSchema = async () => (await schemas()).jobSchema;

type Job = z.infer<Schemas['jobSchema']>;
type CronJob = z.infer<Schemas['cronJobSchema']>;
type Schemas = Awaited<ReturnType<typeof schemas>>;

/** Creates a source of rows that calls the HTTP API and checks the responses with its schemas. */
export function apiRows(api: ApiCalls): RowSource {
  // All items of a list of the API.
  const readAll = <S extends z.ZodType>(
    path: string,
    query: Query,
    item: SchemaOf<S>,
  ): Promise<z.infer<S>[]> => Array.fromAsync(readPages(api, path, query, item));
  return {
    async clusters() {
      const { clusters } = await schemas();
      return (await api.get('/v1/clusters', {}, clusters)).items.map(({ name }) => name);
    },
    async jobs(wanted) {
      const query = { ...queryOfMany(wanted), sort: wanted.order };
      const found = await Array.fromAsync(readPages(api, '/v1/jobs', query, jobSchema, wanted.limit + 1));
      return found.map(jobRow);
    },
    async groups(wanted, by) {
      const query = { ...queryOfMany(wanted), by, limit: Math.min(PAGE, wanted.limit + 1) };
      const { groups } = await schemas();
      return (await api.get('/v1/groups', query, groups)).items;
    },
    async decidedJobs({ namespace, cluster }) {
      const query = { namespace, cluster, deleted: 'true', members: 'true' };
      const found = await readAll('/v1/jobs', query, jobSchema);
      return found
        .filter(({ decision_count: decisions }) => decisions > 0)
        .map(jobRow)
        .toReversed();
    },
    job: async (wanted) => jobRow(await api.get(objectPath('jobs', wanted), toQuery(wanted), jobSchema)),
    jobOfPod: async (wanted) =>
      jobRow(await api.get(`${objectPath('pods', wanted)}/job`, toQuery(wanted), jobSchema)),
    conditions: async (job) => (await jobWithConditions(api, job)).conditions,
    who: async (job) => (await jobWithConditions(api, job)).who,
    obstacles: async (job) => (await jobWithConditions(api, job)).obstacles,
    chain: async (job) => (await jobWithConditions(api, job)).chain,
    async placements(job) {
      const { placements } = await schemas();
      return (await api.get(`${objectPath('jobs', job)}/placements`, toQuery(job), placements)).items;
    },
    home: async (job) => (await jobWithConditions(api, job)).home,
    pods: async (job) =>
      readAll(`${objectPath('jobs', job)}/pods`, toQuery(job), (await schemas()).podSchema),
    events: (job) => eventsAt<JobEvent>(api, `${objectPath('jobs', job)}/events`, toQuery(job)),
    async submission(job) {
      const query = { ...toQuery(job), type: 'job.submitted' };
      const [found] = await Array.fromAsync(
        eventsAt<JobSubmitted>(api, `${objectPath('jobs', job)}/events`, query),
      );
      return found;
    },
    async superseded(job) {
      const { superseded } = await schemas();
      const all = await readAll(`${objectPath('jobs', job)}/decisions`, toQuery(job), superseded);
      return all.filter((each) => each.superseded).map(({ id }) => id);
    },
    async gaps({ cluster, namespace, first_seen_at: since, deleted_at: until }) {
      const { gap } = await schemas();
      const found = await readAll('/v1/gaps', { cluster, since, until: until ?? undefined }, gap);
      // True for a gap of the whole cluster or of the Job's namespace.
      const isOfJob = (of: string | null | undefined): boolean => of == null || of === namespace;
      return found.filter((each) => isOfJob(each.namespace)).toReversed();
    },
    async cronJobs({ namespace, cluster, deleted, limit, selector = [] }) {
      const query = { namespace, cluster, deleted: String(deleted) };
      const { cronJobSchema } = await schemas();
      const found: CronJobView[] = [];
      for await (const each of readPages(api, '/v1/cronjobs', query, cronJobSchema)) {
        if (selector.every((requirement) => meetsRequirement(requirement, each.labels)))
          found.push(cronJobRow(each));
        if (found.length > limit) break;
      }
      return found;
    },
    async cronJob(wanted) {
      const { cronJobSchema } = await schemas();
      return cronJobRow(await api.get(objectPath('cronjobs', wanted), toQuery(wanted), cronJobSchema));
    },
    async comingStarts(cronJob) {
      const { comingStarts } = await schemas();
      return (await api.get(objectPath('cronjobs', cronJob), toQuery(cronJob), comingStarts)).coming_starts;
    },
    async starts(cronJob, limit) {
      const { startSchema } = await schemas();
      return Array.fromAsync(
        readPages(api, `${objectPath('cronjobs', cronJob)}/starts`, toQuery(cronJob), startSchema, limit),
      );
    },
    cronJobEvents: (cronJob) =>
      Array.fromAsync(
        eventsAt<CronJobEvent>(api, `${objectPath('cronjobs', cronJob)}/events`, toQuery(cronJob)),
      ),
  };
}

/** The path of an object in the API. */
export function objectPath(kind: 'jobs' | 'cronjobs' | 'pods', { name }: Pick<RowKey, 'name'>): string {
  return `/v1/${kind}/${encodeURIComponent(name)}`;
}

/** The query that identifies an object beyond its name. */
export function toQuery({ cluster, namespace, uid }: Omit<WantedJob, 'places'>): Query {
  return { cluster, namespace, uid };
}

/** The filters of the routes about many Jobs. */
function queryOfMany(wanted: JobsWanted): Query {
  const { namespace, cluster, name, deleted, members, statuses, createdFrom, createdBefore, owner } = wanted;
  const { labels, others } = splitSelector(wanted.selector ?? []);
  return {
    namespace,
    cluster,
    name,
    deleted: String(deleted),
    members: members === true ? 'true' : undefined,
    label: Object.entries(labels).map(([label, value]) => `${label}=${value}`),
    selector: others.length === 0 ? undefined : selectorText(others),
    status: statuses?.join(','),
    created_from: createdFrom,
    created_before: createdBefore,
    owner: owner === undefined ? undefined : `${owner.kind}/${owner.name}`,
  };
}

/** Reads a Job together with its conditions. */
async function jobWithConditions(
  api: ApiCalls,
  job: RowKey,
): Promise<z.infer<Schemas['jobWithConditionsSchema']>> {
  const { jobWithConditionsSchema } = await schemas();
  return api.get(objectPath('jobs', job), toQuery(job), jobWithConditionsSchema);
}

/**
 * A response for a single Job or CronJob has more fields than its row. The deadline becomes text here, because Postgres returns this bigint as text.
 */
function jobRow(
  job: Job & {
    conditions?: unknown;
    chain?: unknown;
    who?: unknown;
    obstacles?: unknown;
    home?: unknown;
  },
): JobView {
  const {
    conditions: _conditions,
    chain: _chain,
    who: _who,
    obstacles: _obstacles,
    home: _home,
    ...row
  } = job;
  const { active_deadline_seconds: deadline } = row;
  return { ...row, active_deadline_seconds: deadline === null ? null : String(deadline) };
}

/** The row of a CronJob without further fields of the response; the deadline becomes text, as in Postgres. */
function cronJobRow(cronJob: CronJob & { coming_starts?: unknown }): CronJobView {
  const { coming_starts: _coming, ...row } = cronJob;
  const { starting_deadline_seconds: deadline } = row;
  return { ...row, starting_deadline_seconds: deadline === null ? null : String(deadline) };
}

type PageSchema<S extends z.ZodType> = z.ZodType<{ items: z.infer<S>[]; next: string | null }>;

/** The schema of a page whose items have a schema. */
async function pageSchema<S extends z.ZodType>(item: SchemaOf<S>): Promise<SchemaOf<PageSchema<S>>> {
  if (typeof item === 'function') return async () => (await schemas()).createPageSchema(await item());
  return (await schemas()).createPageSchema(item);
}

/** The items of a list, page by page. */
async function* readPages<S extends z.ZodType>(
  api: ApiCalls,
  path: string,
  query: Query,
  item: SchemaOf<S>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<z.infer<S>> {
  const page = await pageSchema(item);
  let [left, cursor] = [most, undefined as string | undefined];
  while (left > 0) {
    const { items, next } = await api.get(path, { ...query, limit: Math.min(PAGE, left), cursor }, page);
    yield* items;
    left -= items.length;
    if (next === null) return;
    cursor = next;
  }
}

/** The events at a path of the API, in ledger order. */
async function* eventsAt<E>(api: ApiCalls, path: string, query: Query): AsyncGenerator<E> {
  // The module is loaded only here: the other verbs start without the schemas of all events.
  const { decodeEvent } = await import('../../services/adapters/events/event-codec.ts');
  const { stringifyExact } = await import('../../services/adapters/exact-json.ts');
  for await (const each of readPages(api, path, query, (await schemas()).event))
    yield decodeEvent(stringifyExact(each)) as E;
}
