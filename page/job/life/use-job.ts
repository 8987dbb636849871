import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { RecordedManifest } from '../../../services/read-model/shown/containers.ts';
import { allPages, api, requireBody } from '../../api/client.ts';
import { jobByUid } from '../../api/job-by-uid.ts';
import type {
  JobChain,
  JobDetails,
  ListedJob,
  JobThen,
  ListedKubernetesEvent,
  ListedPlacement,
  WhatIfResponse,
  WhyResponse,
} from '../../api/rows.ts';
import { useLiveQueries } from '../../api/use-live.ts';
import type { JobLife } from './job-life.ts';
import { PAGE_SIZE, readJob, readPlacements, type WhichJob } from './read-job.ts';

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

/** The placements of a placed Job as of an instant; the previous result stays while the page reads the next one. */
export function usePlacementsAt(job: JobDetails, at: number | null): UseQueryResult<ListedPlacement[]> {
  return useQuery({
    queryKey: ['placements-then', job.cluster, job.uid, at],
    enabled: at !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => readPlacements(job, at, signal),
  });
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
