import type { Run } from '../../services/adapters/postgres/database.ts';
import { clusterNames } from '../../services/read-model/queries/clusters.ts';
import { findComingStarts } from '../../services/read-model/queries/coming-starts.ts';
import { findCronJob, listCronJobs, runsOfCronJob } from '../../services/read-model/queries/cron-jobs.ts';
import {
  chainOfJob,
  selectConditions,
  selectHome,
  selectPods,
  actionsOnJob,
  obstaclesOfJob,
} from '../../services/read-model/queries/job-details.ts';
import { findJob } from '../../services/read-model/queries/find-job.ts';
import { findJobOfPod } from '../../services/read-model/queries/find-pod.ts';
import { readPlacements } from '../../services/read-model/queries/placements.ts';
import type { HomeView } from '../../services/read-model/views/placements.ts';
import { decidedJobs } from '../../services/read-model/queries/jobs.ts';
import {
  readCronJobStream,
  readEvents,
  selectGapsDuring,
  readSubmission,
  selectSuperseded,
} from '../../services/read-model/streams/stream.ts';
import { jobsByGroup } from '../../services/api/queries/job-counts.ts';
import { jobsPage, type JobsFilter } from '../../services/api/queries/jobs.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { splitSelector } from '../../services/read-model/queries/label-selector.ts';
import type { JobsWanted, RowSource } from './row-source.ts';

/** The query for the wanted Jobs; its rows have the order and the fields of the API. */
function listedJobs(wanted: JobsWanted): Statement {
  const { order, limit } = wanted;
  return jobsPage(toFilter(wanted), { after: null, limit, ...(order !== undefined && { order }) }, null);
}

/** The filter of the query for Jobs. */
function toFilter(wanted: JobsWanted): JobsFilter {
  const { namespace, cluster, name, deleted, members, statuses, createdFrom, createdBefore, owner } = wanted;
  const { labels, others } = splitSelector(wanted.selector ?? []);
  const where = { namespace, cluster, name, owner, labels, selector: others };
  return { ...where, status: statuses, createdFrom, createdBefore, deleted, members };
}

/** The tables, read directly. */
export function tableRows(run: Run): RowSource {
  return {
    clusters: async () => (await run<{ name: string }>(clusterNames())).map(({ name }) => name),
    jobs: (filter) => run(listedJobs(filter)),
    groups: (filter, by) => run(jobsByGroup(toFilter(filter), by, filter.limit + 1, null)),
    decidedJobs: (filter) => run(decidedJobs(filter)),
    job: (wanted) => findJob(run, wanted),
    jobOfPod: (wanted) => findJobOfPod(run, wanted),
    conditions: (job) => run(selectConditions(job)),
    who: (job) => run(actionsOnJob(job)),
    obstacles: (job) => run(obstaclesOfJob(job)),
    chain: (job) => run(chainOfJob(job)),
    placements: (job) => readPlacements(run, job),
    home: async (job) => (await run<HomeView>(selectHome(job)))[0] ?? null,
    pods: (job) => run(selectPods(job)),
    events: (job) => readEvents(run, job),
    submission: (job) => readSubmission(run, job),
    superseded: async (job) => (await run<{ id: string }>(selectSuperseded(job))).map(({ id }) => id),
    gaps: (job) => run(selectGapsDuring(job)),
    cronJobs: (filter) => run(listCronJobs(filter)),
    cronJob: (wanted) => findCronJob(run, wanted),
    comingStarts: (cronJob) => findComingStarts(run, cronJob),
    starts: (cronJob, limit) => run(runsOfCronJob(cronJob, limit)),
    cronJobEvents: (cronJob) => readCronJobStream(run, cronJob),
  };
}
