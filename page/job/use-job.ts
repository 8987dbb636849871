import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { RecordedManifest } from '../../services/read-model/shown/containers.ts';
import type { JobAddress } from '../address/page-address.ts';
import { allPages, api, requireBody } from '../api/client.ts';
import { ApiError } from '../api/problem.ts';
import { jobByUid } from '../api/job-by-uid.ts';
import type { JobLife, LifePod } from './job-life.ts';
import { isSpread } from './shares.ts';
import { useLiveQueries } from '../api/use-live.ts';
import type {
  JobChain,
  JobDetails,
  ListedJob,
  JobThen,
  ListedKubernetesEvent,
  ListedPlacement,
  RequestEvent,
  WhatIfResponse,
  WhyResponse,
} from '../api/rows.ts';

/** The numbers of rows in a request for pods and in other requests, and the largest number of rows of one kind on the page. */
const [PODS_PAGE, PAGE_SIZE, MOST_ROWS] = [5000, 500, 20_000];

/** The largest number of shown gaps of a cluster. */
const MOST_GAPS = 500;

const NOT_FOUND = 404;

type WhichJob = Pick<JobAddress, 'cluster' | 'namespace' | 'name' | 'uid'>;

/** All data about a Job, which the stream of events keeps up to date. */
export function useJob(which: WhichJob): UseQueryResult<JobLife> {
  const key = ['job', which.cluster, which.namespace, which.name, which.uid];
  const { cluster, namespace, name, uid } = which;
  useLiveQueries(uid === undefined ? { cluster, namespace, job: name } : { cluster, uid }, [
    key,
    ['why', ...key],
    ['kubernetes-events', ...key],
    ['chain', ...key],
  ]);
  return useQuery({ queryKey: key, queryFn: ({ signal }) => readJob(which, signal) });
}

/** Reads all data about a Job. */
async function readJob(which: WhichJob, signal: AbortSignal): Promise<JobLife> {
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

/** `at` limits the data to an instant; null means the present. */
async function readPlacements(
  { cluster, uid, name, managed_by: manager }: JobDetails,
  at: number | null,
  signal: AbortSignal,
): Promise<ListedPlacement[]> {
  if (manager !== 'jobledger.dev/placement') return [];
  const query = { cluster, uid, ...(at !== null && { at: new Date(at).toISOString() }) };
  const params = { path: { job: name }, query };
  return (await requireBody(api.GET('/v1/jobs/{job}/placements', { params, signal }))).items;
}

/** The placements of a placed Job as of an instant; the previous result stays while the page reads the next one. */
export function usePlacementsAt(job: JobDetails, at: number | null): UseQueryResult<ListedPlacement[]> {
  return useQuery({
    queryKey: ['placements-then', job.cluster, job.uid, at],
    enabled: at !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readPlacements(job, at, signal),
  });
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

/** The status of a Job as of an instant; the previous result stays while the page reads the next one. */
export function useJobAt({ cluster, uid, name }: JobDetails, at: number | null): UseQueryResult<JobThen> {
  const instant = new Date(at ?? 0).toISOString();
  return useQuery({
    queryKey: ['as-of', cluster, uid, instant],
    enabled: at !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      requireBody(
        api.GET('/v1/jobs/{job}/as-of', {
          params: { path: { job: name }, query: { cluster, uid, at: instant } },
          signal,
        }),
      ),
  });
}

/** The reason for the status of the Job, or for the creation and the end of a pod. */
export function useWhy(
  { cluster, namespace, uid, name }: Pick<JobDetails, 'cluster' | 'namespace' | 'uid' | 'name'>,
  pod: string | null,
): UseQueryResult<WhyResponse> {
  return useQuery({
    queryKey: ['why', 'job', cluster, namespace, name, uid, pod],
    queryFn: ({ signal }) =>
      requireBody(
        pod === null
          ? api.GET('/v1/jobs/{job}/why', {
              params: { path: { job: name }, query: { cluster, namespace, uid } },
              signal,
            })
          : api.GET('/v1/pods/{pod}/why', {
              params: { path: { pod }, query: { cluster, namespace, uid } },
              signal,
            }),
      ),
  });
}

/** The largest number of Events that a request reads. */
const MOST_EVENTS = 5000;

/** The Kubernetes Events about the Job that Jobledger created, oldest first. */
export function useKubernetesEvents({
  cluster,
  namespace,
  uid,
  name,
  decision_count: decisions,
}: JobDetails): UseQueryResult<{
  items: ListedKubernetesEvent[];
  isWhole: boolean;
}> {
  return useQuery({
    queryKey: ['kubernetes-events', 'job', cluster, namespace, name, uid, decisions],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      allPages((cursor) => {
        const query = { cluster, namespace, uid, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
        const params = { path: { job: name }, query };
        return requireBody(api.GET('/v1/jobs/{job}/kubernetes-events', { params, signal }));
      }, MOST_EVENTS),
  });
}

/** The chain that contains the Job; a Job without predecessors or successors is in no chain. */
export function useChain({
  cluster,
  namespace,
  uid,
  name,
  status: state,
}: JobDetails): UseQueryResult<JobChain> {
  return useQuery({
    queryKey: ['chain', 'job', cluster, namespace, name, uid, state],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const params = { path: { job: name }, query: { cluster, namespace, uid } };
      return requireBody(api.GET('/v1/jobs/{job}/chain', { params, signal }));
    },
  });
}

/** The Job as it was first recorded; null when it was never observed. */
export function useManifest({ cluster, uid, name }: JobDetails): UseQueryResult<RecordedManifest | null> {
  return useQuery({
    queryKey: ['manifest', cluster, uid],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const params = { path: { job: name }, query: { cluster, uid, type: 'job.observed', limit: 1 } };
      const { items } = await requireBody(api.GET('/v1/jobs/{job}/events', { params, signal }));
      const [first] = items;
      return (first?.data as { object?: RecordedManifest } | undefined)?.object ?? null;
    },
  });
}

/** All data about another run of the same owner; null when the run is not known. */
export function useRun(job: JobDetails, uid: string): UseQueryResult<JobLife | null> {
  return useQuery({
    queryKey: ['run', job.cluster, uid],
    queryFn: async ({ signal }) => {
      const run = await jobByUid(uid, signal);
      return run === null ? null : readJob(run, signal);
    },
  });
}

/** The other Jobs of the same owner, the newest first. */
export function useRuns(job: JobDetails, enabled: boolean): UseQueryResult<ListedJob[]> {
  const { cluster, namespace, uid, owner_kind: kind, owner_name: owner } = job;
  return useQuery({
    queryKey: ['runs', cluster, namespace, kind, owner],
    enabled: enabled && owner !== null,
    queryFn: async ({ signal }) => {
      const query = { cluster, namespace, owner: `${kind}/${owner}`, deleted: 'true' as const, limit: 20 };
      const { items } = await requireBody(api.GET('/v1/jobs', { params: { query }, signal }));
      return items.filter((other) => other.uid !== uid);
    },
  });
}

/** The what-if of the Job with other values in its spec. Absent without any. */
export function useWhatIf(
  { cluster, uid, name, decision_count: decisions }: JobDetails,
  set: readonly string[],
): UseQueryResult<WhatIfResponse> {
  return useQuery({
    // The query is repeated, because a newer decision may change the answer.
    queryKey: ['what-if', cluster, uid, decisions, ...set],
    enabled: set.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      requireBody(
        api.GET('/v1/jobs/{job}/what-if', {
          params: { path: { job: name }, query: { cluster, uid, set: [...set] } },
          signal,
        }),
      ),
  });
}
