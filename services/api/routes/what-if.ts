import { z } from 'zod';
import type { WhatIfPlacements } from '../../../workflows/history/what-if-placements/types.ts';
import type { WhatIf } from '../../../workflows/history/what-if/types.ts';
import type { StartFate, WhatIfStarts } from '../../../workflows/history/what-if-starts/types.ts';
import { InputError } from '../../adapters/errors.ts';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { ProblemError } from '../../adapters/http/problem.ts';
import { placementChange } from '../../what-if-input/placement-change.ts';
import { policyChange } from '../../what-if-input/policy-change.ts';
import { startChange } from '../../what-if-input/start-change.ts';
import { findCronJob } from '../../read-model/queries/cron-jobs.ts';
import type { JobView } from '../../read-model/views/jobs.ts';
import { isRefused, refusal, type Refused } from '../../../workflows/history/refused.ts';
import { pageFrom } from '../cursor.ts';
import { foldTimeout, type Folds } from '../folds/folds.ts';
import { filterFields, toJobsFilter } from '../jobs-filter.ts';
import { jobsPage, newestFirstCursor, placeOfJob } from '../queries/jobs.ts';
import { wantedJob, type ReadTransaction } from '../reads.ts';
import {
  otherPrices,
  otherSpread,
  policyChanges,
  startChanges,
  withoutClusters,
} from '../schemas/changes.ts';
import * as values from '../schemas/values.ts';
import {
  whatIfOfJobSchema,
  whatIfPlacementsSchema,
  whatIfSchema,
  whatIfStartsSchema,
} from '../schemas/what-if.ts';
import {
  requireAnswer,
  isTooLong,
  FOLDS_A_JOB,
  requireShortCronJob,
  findJobToFold,
  streamLengths,
  TOO_LONG,
} from '../short-streams.ts';

/**
 * The number of events that are folded for one page of Jobs, which takes about a second of one core. A page has at
 * least one Job.
 */
const EVENTS_PER_PAGE = 5000;

/** Applies another policy to the recorded facts, like `jobledger what-if`. */
export function addWhatIfRoutes(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  addWhatIfOfJob(server, reads, folds);
  addWhatIfOfJobs(server, reads, folds);
  addWhatIfPlacements(server, reads, folds);
  addWhatIfOfCronJob(server, reads, folds);
}

function addWhatIfOfJob(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/what-if',
    handlerTimeout: foldTimeout(folds),
    config: { ...FOLDS_A_JOB, problems: [...FOLDS_A_JOB.problems, 'invalid-spec'] },
    schema: {
      operationId: 'whatIf',
      summary: 'The end that the Job would have had under another policy',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        set: policyChanges,
      }),
      response: { 200: whatIfSchema },
    },
    handler: async (request) => {
      const change = changeIn(policyChange, request.query.set);
      const job = await findJobToFold(reads, request);
      const none = refusal('unknown', 'the ledger has no event of this object');
      const [answer = none] = await folds.ask(request, { kind: 'what-if', jobs: [job], change });
      return toResponse(requireAnswer(requireValid(answer)));
    },
  });
}

/** Adds a route whose path does not begin with /v1/jobs/, where it would hide a Job with the same name. */
function addWhatIfOfJobs(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  server.route({
    method: 'GET',
    url: '/v1/what-if',
    handlerTimeout: foldTimeout(folds),
    config: { scope: 'read', problems: ['too-long'] },
    schema: {
      operationId: 'whatIfOfJobs',
      summary: 'The ends that Jobs would have had under another policy, the newest Jobs first',
      description:
        'A page may have fewer Jobs than its limit, because it is bounded by their events; `next` is null only on the last page.',
      tags: ['Why'],
      querystring: z.strictObject({
        ...filterFields,
        set: policyChanges,
        limit: values.limit,
        cursor: newestFirstCursor.optional(),
      }),
      response: { 200: values.pageSchema(whatIfOfJobSchema) },
    },
    handler: async ({ query, caller, raw }) => {
      const change = changeIn(policyChange, query.set);
      const { items, next, isShort } = await reads({ caller, raw }, async (run, places) => {
        const jobs = await run<JobView>(
          jobsPage(toJobsFilter(query), { after: query.cursor ?? null, limit: query.limit }, places),
        );
        const lengths = await streamLengths(run, jobs);
        const folded = pageLength(lengths, query.limit);
        const page = pageFrom(jobs, folded, (last) => placeOfJob(last));
        return { ...page, isShort: page.items.map((_job, place) => !isTooLong(lengths[place] ?? 0)) };
      });
      const short = items.filter((_job, place) => isShort[place]);
      const answers = await folds.ask({ caller, raw }, { kind: 'what-if', jobs: short, change });
      const answerByJob = new Map(short.map((job, place) => [job, answers[place]]));
      return { items: items.map((job) => whatIfOfJob(job, answerByJob.get(job))), next };
    },
  });
}

/** The number of Jobs on a page, which depends on the numbers of their events. Streams that are too long are not folded. */
function pageLength(lengths: readonly number[], limit: number): number {
  let events = 0;
  const end = lengths.findIndex((length, place) => {
    events += isTooLong(length) ? 0 : length;
    return place > 0 && events > EVENTS_PER_PAGE;
  });
  return end === -1 ? limit : Math.min(end, limit);
}

/** A Job with its result; `answer` is undefined for a Job whose stream is too long. */
function whatIfOfJob(
  { cluster, namespace, name, uid }: JobView,
  answer: WhatIf | Refused | undefined,
): z.infer<typeof whatIfOfJobSchema> {
  const named = { cluster, namespace, name, uid };
  if (answer === undefined) return { ...named, what_if: null, refused: TOO_LONG };
  return isRefused(answer)
    ? { ...named, what_if: null, refused: answer.message }
    : { ...named, what_if: toResponse(answer), refused: null };
}

function addWhatIfPlacements(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  server.route({
    method: 'GET',
    url: '/v1/jobs/:job/what-if/placements',
    handlerTimeout: foldTimeout(folds),
    config: FOLDS_A_JOB,
    schema: {
      operationId: 'whatIfPlacements',
      summary:
        'The clusters or the shares that the placed Job would have got without some clusters or at other prices',
      tags: ['Why'],
      params: z.object({ job: values.jobName }),
      querystring: z.strictObject({
        ...values.whichJob,
        without_cluster: withoutClusters,
        price: otherPrices,
        spread: otherSpread,
      }),
      response: { 200: whatIfPlacementsSchema },
    },
    handler: async (request) => {
      const { without_cluster: without = [], price = [], spread } = request.query;
      const written = { without: [without].flat(), prices: [price].flat(), spread };
      const change = parseInput(() => placementChange(written, 'price'));
      const job = await findJobToFold(reads, request);
      const answer = await folds.ask(request, { kind: 'what-if-placements', job, change });
      return shownPlacements(requireAnswer(answer));
    },
  });
}

function addWhatIfOfCronJob(server: HttpServer, reads: ReadTransaction, folds: Folds): void {
  server.route({
    method: 'GET',
    url: '/v1/cronjobs/:cronjob/what-if',
    handlerTimeout: foldTimeout(folds),
    config: {
      scope: 'read',
      problems: [
        'unknown-cron-job',
        'ambiguous-cron-job',
        'too-long',
        'broken-stream',
        'newer-core',
        'invalid-spec',
      ],
    },
    schema: {
      operationId: 'whatIfOfCronJob',
      summary:
        'The starts of the CronJob that would have been skipped, added, earlier or later with another spec',
      tags: ['Why'],
      params: z.object({ cronjob: values.cronJobName }),
      querystring: z.strictObject({ ...values.whichJob, set: startChanges }),
      response: { 200: whatIfStartsSchema },
    },
    handler: async ({ params: { cronjob }, query, caller, raw }) => {
      const change = changeIn(startChange, query.set);
      const cronJob = await reads({ caller, raw }, async (run, places) => {
        const found = await findCronJob(run, wantedJob(cronjob, query, places));
        await requireShortCronJob(run, found);
        return found;
      });
      const answer = await folds.ask({ caller, raw }, { kind: 'what-if-starts', cronJob, change });
      return shownStarts(requireAnswer(requireValid(answer)));
    },
  });
}

/** Parses the changes to a spec. @throws ProblemError for an invalid path or value. */
function changeIn<C>(
  parse: (sets: readonly string[], files: readonly string[], option: string) => C,
  sets: string | readonly string[],
): C {
  return parseInput(() => parse([sets].flat(), [], 'set'));
}

/** Runs `parse`. @throws ProblemError instead of an InputError. */
function parseInput<C>(parse: () => C): C {
  try {
    return parse();
  } catch (error) {
    if (error instanceof InputError) throw new ProblemError('bad-request', error.message);
    throw error;
  }
}

/** Checks the changed spec. @throws ProblemError when the API server would reject the values. */
function requireValid<T extends object>(answer: T | Refused): T | Refused {
  if (isRefused(answer) && answer.refused === 'invalid')
    throw new ProblemError('invalid-spec', `set: ${answer.message}`);
  return answer;
}

/** The result with the field names of the API. */
function toResponse({ unknownSince, podHours, ...rest }: WhatIf): z.infer<typeof whatIfSchema> {
  return { ...rest, unknown_since: unknownSince, pod_hours: podHours };
}

function shownPlacements({ choices, ...rest }: WhatIfPlacements): z.infer<typeof whatIfPlacementsSchema> {
  return {
    ...rest,
    choices: choices.map(({ decisionNumber, ...choice }) => ({ ...choice, decision_number: decisionNumber })),
  };
}

function shownStarts({ cronJob, starts, ...rest }: WhatIfStarts): z.infer<typeof whatIfStartsSchema> {
  const shownFate = ({ startedAt, replacedAt }: StartFate) => ({
    started_at: startedAt,
    replaced_at: replacedAt,
  });
  return {
    ...rest,
    cron_job: cronJob,
    starts: starts.map(({ scheduledAt, actual, counterfactual, ...start }) => ({
      ...start,
      scheduled_at: scheduledAt,
      actual: shownFate(actual),
      counterfactual: counterfactual === null ? null : shownFate(counterfactual),
    })),
  };
}
