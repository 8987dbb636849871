import type { Run } from '../../services/adapters/postgres/database.ts';
import { comingStartsOf } from '../../services/read-model/coming-starts.ts';
import { findCronJob, listCronJobs, runsOfCronJob } from '../../services/read-model/cron-jobs.ts';
import { chainOfJob, conditionsOf, homeOf, podsOf, actionsOnJob } from '../../services/read-model/details.ts';
import { findJob } from '../../services/read-model/find-job.ts';
import { findJobOfPod } from '../../services/read-model/find-pod.ts';
import { placementsOf } from '../../services/read-model/placements.ts';
import type { HomeView } from '../../services/read-model/views.ts';
import { decidedJobs } from '../../services/read-model/jobs.ts';
import {
  cronJobStreamOf,
  eventsOf,
  gapsDuring,
  submissionOf,
  supersededOf,
} from '../../services/read-model/stream.ts';
import { jobsByGroup } from '../../services/api/queries/job-counts.ts';
import { jobsPage, type JobsFilter } from '../../services/api/queries/jobs.ts';
import type { Statement } from '../../services/adapters/postgres/statement.ts';
import { splitSelector } from '../../services/read-model/label-selector.ts';
import type { JobsWanted, RowSource } from './row-source.ts';

/** As the API lists them. */
function listedJobs(wanted: JobsWanted): Statement {
  const { order, limit } = wanted;
  return jobsPage(filterOf(wanted), { after: null, limit, ...(order !== undefined && { order }) }, null);
}

function filterOf(wanted: JobsWanted): JobsFilter {
  const { namespace, cluster, name, deleted, members, statuses, createdFrom, createdBefore, owner } = wanted;
  const { labels, others } = splitSelector(wanted.selector ?? []);
  const where = { namespace, cluster, name, owner, labels, selector: others };
  return { ...where, status: statuses, createdFrom, createdBefore, deleted, members };
}

/** The tables, read directly. */
export function tableRows(run: Run): RowSource {
  return {
    jobs: (filter) => run(listedJobs(filter)),
    groups: (filter, by) => run(jobsByGroup(filterOf(filter), by, filter.limit + 1, null)),
    decidedJobs: (filter) => run(decidedJobs(filter)),
    job: (wanted) => findJob(run, wanted),
    jobOfPod: (wanted) => findJobOfPod(run, wanted),
    conditions: (job) => run(conditionsOf(job)),
    who: (job) => run(actionsOnJob(job)),
    chain: (job) => run(chainOfJob(job)),
    placements: (job) => placementsOf(run, job),
    home: async (job) => (await run<HomeView>(homeOf(job)))[0] ?? null,
    pods: (job) => run(podsOf(job)),
    events: (job) => eventsOf(run, job),
    submission: (job) => submissionOf(run, job),
    superseded: async (job) => (await run<{ id: string }>(supersededOf(job))).map(({ id }) => id),
    gaps: (job) => run(gapsDuring(job)),
    cronJobs: (filter) => run(listCronJobs(filter)),
    cronJob: (wanted) => findCronJob(run, wanted),
    comingStarts: (cronJob) => comingStartsOf(run, cronJob),
    starts: (cronJob, limit) => run(runsOfCronJob(cronJob, limit)),
    cronJobEvents: (cronJob) => cronJobStreamOf(run, cronJob),
  };
}
