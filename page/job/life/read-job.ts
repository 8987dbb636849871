import type { JobAddress } from '../../address/page-address.ts';
import { allPages, api, requireBody } from '../../api/client.ts';
import { ApiError } from '../../api/problem.ts';
import type { JobDetails, ListedPlacement, RequestEvent } from '../../api/rows.ts';
import { isSpread, type JobLife, type LifePod } from './job-life.ts';

/** The number of rows in a request for pods. */
const PODS_PAGE = 5000;

/** The number of rows in any other request. */
export const PAGE_SIZE = 500;

/** The largest number of rows of one kind on the page. */
const MOST_ROWS = 20_000;

/** The largest number of shown gaps of a cluster. */
const MOST_GAPS = 500;

const NOT_FOUND = 404;

/** The Job that an address names. */
export type WhichJob = Pick<JobAddress, 'cluster' | 'namespace' | 'name' | 'uid'>;

/** Reads all data about a Job. */
export async function readJob(which: WhichJob, signal: AbortSignal): Promise<JobLife> {
  const { cluster, namespace, name, uid } = which;
  const path = { job: name };
  const query = { cluster, namespace, ...(uid !== undefined && { uid }) };
  const job = await requireBody(api.GET('/v1/jobs/{job}', { params: { path, query }, signal }));
  // The next requests use the uid, so that the page stays with this Job even if another Job gets its name.
  const exact = (
    cursor: string | undefined,
  ): { cluster: string; uid: string; limit: number; cursor?: string } => ({
    cluster: job.cluster,
    uid: job.uid,
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  });
  const placements = await readPlacements(job, null, signal);
  const [pods, decisions, gaps, requests] = await Promise.all([
    isSpread(placements) ? podsOfMembers(placements, signal) : readPods(job, signal),
    allPages(
      (cursor) =>
        requireBody(api.GET('/v1/jobs/{job}/decisions', { params: { path, query: exact(cursor) }, signal })),
      MOST_ROWS,
    ),
    requireBody(api.GET('/v1/gaps', { params: { query: gapsQuery(job) }, signal })),
    allPages((cursor) => requestsPage(job, cursor, signal), MOST_ROWS),
  ]);
  const isWhole = pods.isWhole && decisions.isWhole && requests.isWhole && gaps.next === null;
  return {
    job,
    pods: pods.items,
    placements,
    decisions: decisions.items,
    gaps: gaps.items,
    requests: requests.items,
    isWhole,
  };
}

interface Pods {
  items: LifePod[];
  isWhole: boolean;
}

/** Reads the pods of a Job, up to the largest number that the page shows. */
function readPods(
  { cluster, uid, name }: Pick<JobDetails, 'cluster' | 'uid' | 'name'>,
  signal: AbortSignal,
): Promise<Pods> {
  return allPages((cursor) => {
    const query = { cluster, uid, limit: PODS_PAGE, ...(cursor !== undefined && { cursor }) };
    return requireBody(api.GET('/v1/jobs/{job}/pods', { params: { path: { job: name }, query }, signal }));
  }, MOST_ROWS);
}

/** The pods of all members; the pods in clusters that the user may not read are omitted. */
async function podsOfMembers(placements: readonly ListedPlacement[], signal: AbortSignal): Promise<Pods> {
  const found = await Promise.all(
    placements.flatMap(({ placed_in: cluster, member_name: name, member_uid: uid }) =>
      uid === null ? [] : [podsOfMember({ cluster, uid, name }, signal)],
    ),
  );
  return { items: found.flatMap(({ items }) => items), isWhole: found.every(({ isWhole }) => isWhole) };
}

/** Reads the pods of a member, each with the member. */
async function podsOfMember(member: NonNullable<LifePod['member']>, signal: AbortSignal): Promise<Pods> {
  try {
    const { items, isWhole } = await readPods(member, signal);
    return { items: items.map((pod) => ({ ...pod, member })), isWhole };
  } catch (error) {
    if (error instanceof ApiError && error.status === NOT_FOUND) return { items: [], isWhole: true };
    throw error;
  }
}

/** Reads the placements of a placed Job, as of an instant in milliseconds since 1970; `at` null means the present. Any other Job has none. */
export async function readPlacements(
  { cluster, uid, name, managed_by: manager }: JobDetails,
  at: number | null,
  signal: AbortSignal,
): Promise<ListedPlacement[]> {
  if (manager !== 'jobledger.dev/placement') return [];
  const query = { cluster, uid, ...(at !== null && { at: new Date(at).toISOString() }) };
  const params = { path: { job: name }, query };
  return (await requireBody(api.GET('/v1/jobs/{job}/placements', { params, signal }))).items;
}

/** Reads a page of the requests about a Job. */
async function requestsPage(
  { cluster, uid, name }: JobDetails,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ items: RequestEvent[]; next: string | null }> {
  const query = { cluster, uid, type: 'request.received,job.submitted', limit: PAGE_SIZE };
  const params = { path: { job: name }, query: { ...query, ...(cursor !== undefined && { cursor }) } };
  const { items, next } = await requireBody(api.GET('/v1/jobs/{job}/events', { params, signal }));
  return { items: items as unknown as RequestEvent[], next };
}

/** The query for the gaps of the cluster during the life of the Job. */
function gapsQuery({ cluster, first_seen_at: since, deleted_at: until }: JobDetails): {
  cluster: string;
  since: string;
  until?: string;
  limit: number;
} {
  return { cluster, since, ...(until !== null && { until }), limit: MOST_GAPS };
}
