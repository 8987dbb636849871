import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { CronJobAddress, Scope } from '../address/page-address.ts';
import { allPages, api, requireBody } from '../api/client.ts';
import type {
  CronJobDetails,
  CronJobStart,
  ListedCronJob,
  SkippedStart,
  WhatIfOfStarts,
} from '../api/rows.ts';

/** The largest numbers of CronJobs in a list, and of starts of one CronJob. */
const [MOST, MOST_STARTS] = [2000, 60];
const PAGE_SIZE = 500;

/** The CronJobs of a scope, sorted by cluster, namespace and name. */
export function useCronJobs({ cluster, namespace }: Scope): UseQueryResult<ListedCronJob[]> {
  const scope = { ...(cluster !== undefined && { cluster }), ...(namespace !== undefined && { namespace }) };
  return useQuery({
    queryKey: ['cron-jobs', cluster, namespace],
    queryFn: async ({ signal }) => {
      const { items } = await allPages((cursor) => {
        const query = { ...scope, limit: PAGE_SIZE, ...(cursor !== undefined && { cursor }) };
        return requireBody(api.GET('/v1/cronjobs', { params: { query }, signal }));
      }, MOST);
      return items;
    },
  });
}

/** A CronJob with its latest starts and its skipped times, the latest first in both lists. */
interface KnownCronJob {
  cronJob: CronJobDetails;
  starts: CronJobStart[];
  skipped: SkippedStart[];
}

/** One CronJob and its latest starts. */
export function useCronJob({ cluster, namespace, name }: CronJobAddress): UseQueryResult<KnownCronJob> {
  return useQuery({
    queryKey: ['cron-job', cluster, namespace, name],
    queryFn: async ({ signal }) => {
      const path = { cronjob: name };
      const [cronJob, starts, skipped] = await Promise.all([
        requireBody(
          api.GET('/v1/cronjobs/{cronjob}', { params: { path, query: { cluster, namespace } }, signal }),
        ),
        requireBody(
          api.GET('/v1/cronjobs/{cronjob}/starts', {
            params: { path, query: { cluster, namespace, limit: MOST_STARTS } },
            signal,
          }),
        ),
        requireBody(
          api.GET('/v1/cronjobs/{cronjob}/skipped', {
            params: { path, query: { cluster, namespace } },
            signal,
          }),
        ),
      ]);
      return { cronJob, starts: starts.items, skipped: skipped.items };
    },
  });
}

/** The starts that another schedule would have changed; absent if `set` is empty. */
export function useStartsWhatIf({
  cluster,
  namespace,
  name,
  set = [],
}: CronJobAddress): UseQueryResult<WhatIfOfStarts> {
  return useQuery({
    queryKey: ['starts-what-if', cluster, namespace, name, ...set],
    enabled: set.length > 0,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      requireBody(
        api.GET('/v1/cronjobs/{cronjob}/what-if', {
          params: { path: { cronjob: name }, query: { cluster, namespace, set: [...set] } },
          signal,
        }),
      ),
  });
}
