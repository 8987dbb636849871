import { z } from 'zod';
import type { PolicyChange, WhatIf } from '../../../workflows/history/what-if/types.ts';
import { whatIf } from '../../../workflows/history/what-if/what-if.ts';
import type { StartFate, WhatIfStarts } from '../../../workflows/history/what-if-starts/types.ts';
import { whatIfStarts } from '../../../workflows/history/what-if-starts/what-if-starts.ts';
import { InputError } from '../../adapters/errors.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { policyChange } from '../../contracts/policy-change.ts';
import { startChange } from '../../contracts/start-change.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import { findCronJob } from '../../read-model/cron-jobs.ts';
import { cronJobStreamOf, streamOf } from '../../read-model/stream.ts';
import type { JobView } from '../../read-model/views.ts';
import { isRefused, type Refused } from '../../../workflows/history/refused.ts';
import { pageFrom } from '../cursor.ts';
import { filterFields, filterOf } from '../jobs-filter.ts';
import { jobsPage, placeInOrder, placeOfJob } from '../queries/jobs.ts';
import { jobOf, wanted, type ReadTransaction } from '../reads.ts';
import * as values from '../schemas/values.ts';
import { whatIfOfJobSchema, whatIfSchema, whatIfStartsSchema } from '../schemas/what-if.ts';
import {
  answered,
  isTooLong,
  requireShort,
  requireShortCronJob,
  streamLengths,
  TOO_LONG,
} from '../short-streams.ts';

const change = values
  .textUpTo(10_000)
  .describe('Another value in the spec, such as backoffLimit=3; a policy as JSON; null removes the field');

const set = z.union([change, z.array(change).min(1)]);

const startValue = values
  .textUpTo(10_000)
  .describe('Another value in the spec, such as schedule=@hourly; null removes the field');

const startSet = z.union([startValue, z.array(startValue).min(1)]);

/** Events that are folded for one page of Jobs: about a second of one core. A page has at least one Job. */
const EVENTS_PER_PAGE = 5000;

/** Another policy applied to the recorded facts; corresponds to `jobledger what-if`. */
export function addWhatIfRoutes(server: HttpServer, reads: ReadTransaction): void {
  addWhatIfOfJob(server, reads);
  addWhatIfOfJobs(server, reads);
  addWhatIfOfCronJob(server, reads);
}

function addWhatIfOfJob(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/what-if',
    config: {
      scope: 'read',
      problems: ['unknown-job', 'ambiguous-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'whatIf',
      summary: 'How and when the Job would have ended under another policy',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        set,
      }),
      response: { 200: whatIfSchema },
    },
    handler: ({ params, query, caller, raw }) => {
      const changed = changeIn(policyChange, query.set);
      return reads({ caller, raw }, async (run, places) => {
        const job = await jobOf(run, { params, query }, places);
        await requireShort(run, job);
        const answer = whatIf(await streamOf(run, job), changed);
        return shown(answered(requireValid(answer)));
      });
    },
  });
}

/** Not below /v1/jobs/, where it would hide a Job of this name. */
function addWhatIfOfJobs(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/what-if',
    config: { scope: 'read' },
    schema: {
      operationId: 'whatIfOfJobs',
      summary: 'How and when Jobs would have ended under another policy, the newest Jobs first',
      description:
        'A page may have fewer Jobs than its limit, because it is bounded by their events; `next` is null only on the last page.',
      tags: ['Why'],
      querystring: z.strictObject({
        ...filterFields,
        set,
        limit: values.limit,
        cursor: values.cursor.optional(),
      }),
      response: { 200: values.pageOf(whatIfOfJobSchema) },
    },
    handler: ({ query, caller, raw }) => {
      const changed = changeIn(policyChange, query.set);
      const after = placeInOrder(query.cursor);
      return reads({ caller, raw }, async (run, places) => {
        const jobs = await run<JobView>(jobsPage(filterOf(query), { after, limit: query.limit }, places));
        const lengths = await streamLengths(run, jobs);
        const folded = pageLength(lengths, query.limit);
        const { items, next } = pageFrom(jobs, folded, (last) => placeOfJob(last));
        const compared = [];
        for (const [place, job] of items.entries())
          compared.push(await whatIfOf(run, job, { events: lengths[place] ?? 0, changed }));
        return { items: compared, next };
      });
    },
  });
}

/** How many Jobs are on a page, by the numbers of their events. Those that are too long are not folded. */
function pageLength(lengths: readonly number[], limit: number): number {
  let events = 0;
  const end = lengths.findIndex((length, place) => {
    events += isTooLong(length) ? 0 : length;
    return place > 0 && events > EVENTS_PER_PAGE;
  });
  return end === -1 ? limit : Math.min(end, limit);
}

async function whatIfOf(
  run: Run,
  job: JobView,
  { events, changed }: { events: number; changed: PolicyChange },
): Promise<z.infer<typeof whatIfOfJobSchema>> {
  const { cluster, namespace, name, uid } = job;
  const named = { cluster, namespace, name, uid };
  if (isTooLong(events)) return { ...named, what_if: null, refused: TOO_LONG };
  const answer = whatIf(await streamOf(run, job), changed);
  return isRefused(answer)
    ? { ...named, what_if: null, refused: answer.words }
    : { ...named, what_if: shown(answer), refused: null };
}

function addWhatIfOfCronJob(server: HttpServer, reads: ReadTransaction): void {
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob/what-if',
    config: {
      scope: 'read',
      problems: ['unknown-cron-job', 'ambiguous-cron-job', 'too-long', 'broken-stream', 'newer-core'],
    },
    schema: {
      operationId: 'whatIfOfCronJob',
      summary:
        'Which starts of the CronJob would have been skipped, added, earlier or later with another spec',
      tags: ['Why'],
      params: z.object({ cronjob: values.cronJobName }),
      querystring: z.strictObject({ ...values.whichJob, set: startSet }),
      response: { 200: whatIfStartsSchema },
    },
    handler: ({ params: { cronjob }, query, caller, raw }) => {
      const changed = changeIn(startChange, query.set);
      return reads({ caller, raw }, async (run, places) => {
        const cronJob = await findCronJob(run, wanted(cronjob, query, places));
        await requireShortCronJob(run, cronJob);
        const answer = whatIfStarts(await cronJobStreamOf(run, cronJob), changed, zoneRules);
        return shownStarts(answered(requireValid(answer)));
      });
    },
  });
}

/** @throws ProblemError for an invalid path or value. */
function changeIn<C>(
  parse: (sets: readonly string[], files: readonly string[], option: string) => C,
  sets: string | readonly string[],
): C {
  try {
    return parse([sets].flat(), [], 'set');
  } catch (error) {
    if (error instanceof InputError) throw new ProblemError('bad-request', error.message);
    throw error;
  }
}

/** @throws ProblemError when the API server would reject the values. */
function requireValid<T extends object>(answer: T | Refused): T | Refused {
  if (isRefused(answer) && answer.refused === 'invalid')
    throw new ProblemError('bad-request', `set: ${answer.words}`);
  return answer;
}

function shown({ unknownSince, podHours, ...rest }: WhatIf): z.infer<typeof whatIfSchema> {
  return { ...rest, unknown_since: unknownSince, pod_hours: podHours };
}

function shownStarts({ cronJob, starts, ...rest }: WhatIfStarts): z.infer<typeof whatIfStartsSchema> {
  const fate = ({ startedAt, replacedAt }: StartFate) => ({ started_at: startedAt, replaced_at: replacedAt });
  return {
    ...rest,
    cron_job: cronJob,
    starts: starts.map(({ scheduledAt, actual, counterfactual, ...start }) => ({
      ...start,
      scheduled_at: scheduledAt,
      actual: fate(actual),
      counterfactual: counterfactual === null ? null : fate(counterfactual),
    })),
  };
}
