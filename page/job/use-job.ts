import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { JobAddress } from '../address/page-address.ts';
import { allPages, api, bodyOf } from '../api/client.ts';
import { followEvents } from '../api/live.ts';
import type {
  JobDetails,
  JobThen,
  ListedDecision,
  ListedGap,
  ListedPod,
  RequestEvent,
  WhatIfResponse,
  WhyResponse,
} from '../api/rows.ts';

/** Rows per request, and the most rows that the page shows of one kind. */
const [PAGE_SIZE, MOST_ROWS] = [500, 20_000];

/** The most gaps of a cluster shown. */
const MOST_GAPS = 500;

/** Milliseconds between two readings of a Job that changes all the time. */
const LOOK_MS = 1000;

/** All data about a Job, kept up to date. */
export interface JobLife {
  job: JobDetails;
  pods: ListedPod[];
  decisions: ListedDecision[];
  gaps: ListedGap[];
  /** People's requests, in order. */
  requests: RequestEvent[];
  /** False: there is more than the page shows. */
  isWhole: boolean;
}

type WhichJob = Pick<JobAddress, 'cluster' | 'namespace' | 'name' | 'uid'>;

export function useJob(which: WhichJob): UseQueryResult<JobLife> {
  const queries = useQueryClient();
  const key = ['job', which.cluster, which.namespace, which.name, which.uid];
  const text = JSON.stringify(key);
  useEffect(() => {
    let isChanged = false;
    const { cluster, namespace, name, uid } = which;
    const filter = uid === undefined ? { cluster, namespace, job: name } : { cluster, uid };
    const stop = followEvents(
      filter,
      () => (isChanged = true),
      (state) => (isChanged ||= state === 'open'),
    );
    const timer = setInterval(() => {
      if (!isChanged || queries.isFetching({ queryKey: key }) > 0) return;
      isChanged = false;
      void queries.invalidateQueries({ queryKey: key });
      void queries.invalidateQueries({ queryKey: ['why', ...key] });
    }, LOOK_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `text` names the Job
  }, [text, queries]);
  return useQuery({ queryKey: key, queryFn: ({ signal }) => readJob(which, signal) });
}

async function readJob(which: WhichJob, signal: AbortSignal): Promise<JobLife> {
  const { cluster, namespace, name, uid } = which;
  const path = { job: name };
  const query = { cluster, namespace, ...(uid !== undefined && { uid }) };
  const job = await bodyOf(api.GET('/v1/jobs/{job}', { params: { path, query }, signal }));
  // From here on exactly this Job, even if another gets its name.
  const exact = (
    cursor: string | undefined,
  ): { cluster: string; uid: string; limit: number; cursor?: string } => ({
    cluster: job.cluster,
    uid: job.uid,
    limit: PAGE_SIZE,
    ...(cursor !== undefined && { cursor }),
  });
  const [pods, decisions, gaps, requests] = await Promise.all([
    allPages(
      (cursor) => bodyOf(api.GET('/v1/jobs/{job}/pods', { params: { path, query: exact(cursor) }, signal })),
      MOST_ROWS,
    ),
    allPages(
      (cursor) =>
        bodyOf(api.GET('/v1/jobs/{job}/decisions', { params: { path, query: exact(cursor) }, signal })),
      MOST_ROWS,
    ),
    bodyOf(api.GET('/v1/gaps', { params: { query: gapsOf(job) }, signal })),
    allPages((cursor) => requestsPage(job, cursor, signal), MOST_ROWS),
  ]);
  const isWhole = pods.isWhole && decisions.isWhole && requests.isWhole && gaps.next === null;
  return {
    job,
    pods: pods.items,
    decisions: decisions.items,
    gaps: gaps.items,
    requests: requests.items,
    isWhole,
  };
}

async function requestsPage(
  { cluster, uid, name }: JobDetails,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<{ items: RequestEvent[]; next: string | null }> {
  const query = { cluster, uid, type: 'command.received,job.submitted', limit: PAGE_SIZE };
  const params = { path: { job: name }, query: { ...query, ...(cursor !== undefined && { cursor }) } };
  const { items, next } = await bodyOf(api.GET('/v1/jobs/{job}/events', { params, signal }));
  return { items: items as unknown as RequestEvent[], next };
}

function gapsOf({ cluster, first_seen_at: since, deleted_at: until }: JobDetails): {
  cluster: string;
  since: string;
  until?: string;
  limit: number;
} {
  return { cluster, since, ...(until !== null && { until }), limit: MOST_GAPS };
}

/** The status of a Job as seen by an instant; the last one stays while the next is read. */
export function useJobThen({ cluster, uid, name }: JobDetails, at: number | null): UseQueryResult<JobThen> {
  const instant = new Date(at ?? 0).toISOString();
  return useQuery({
    queryKey: ['as-of', cluster, uid, instant],
    enabled: at !== null,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/v1/jobs/{job}/as-of', {
          params: { path: { job: name }, query: { cluster, uid, at: instant } },
          signal,
        }),
      ),
  });
}

/** Why a pod was created and how it ended. */
export function usePodWhy(
  { cluster, namespace, uid, name }: JobDetails,
  pod: string,
): UseQueryResult<WhyResponse> {
  return useQuery({
    queryKey: ['why', 'job', cluster, namespace, name, uid, pod],
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/v1/pods/{pod}/why', {
          params: { path: { pod }, query: { cluster, namespace, uid } },
          signal,
        }),
      ),
  });
}

/** How the Job would have ended with other values in its spec. Absent without any. */
export function useWhatIf(
  { cluster, uid, name, decisions }: JobDetails,
  set: readonly string[],
): UseQueryResult<WhatIfResponse> {
  return useQuery({
    // A newer decision may change the answer.
    queryKey: ['what-if', cluster, uid, decisions, ...set],
    enabled: set.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      bodyOf(
        api.GET('/v1/jobs/{job}/what-if', {
          params: { path: { job: name }, query: { cluster, uid, set: [...set] } },
          signal,
        }),
      ),
  });
}
