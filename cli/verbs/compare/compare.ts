import type { Command } from 'commander';
import { InputError } from '../../../services/adapters/errors.ts';
import type { WantedJob } from '../../../services/read-model/queries/find-job.ts';
import { fullName } from '../../../services/read-model/views/full-name.ts';
import type { RecordedManifest } from '../../../services/read-model/shown/containers.ts';
import { runFacts } from '../../../services/read-model/shown/run-facts.ts';
import type { JobView } from '../../../services/read-model/views/jobs.ts';
import { JOB_ARGUMENT, showOptions, wantedJob, type ShowOptions } from '../../job-argument.ts';
import { write } from '../../output.ts';
import { statusCell } from '../../print/situation.ts';
import { span, spanBetween } from '../../print/spans.ts';
import { jobOrUnknown } from '../wait/wait.ts';
import { table } from '../../print/table.ts';
import type { RowSource } from '../../sources/row-source.ts';
import { withRows } from '../../sources/with-rows.ts';
import { writeJson } from '../../write-json.ts';

/** Adds the verb `compare`. */
export function registerCompare(program: Command): void {
  const command = program
    .command('compare')
    .description(
      'compare two runs: a Job with the previous Job of its owner, such as a CronJob, or with another Job',
    )
    .argument('<job>', JOB_ARGUMENT)
    .argument('[other]', 'the other Job (default: the previous Job of the same owner)');
  showOptions(command, 'print the facts of both runs as JSON').action(compare);
}

interface Compared {
  job: JobView;
  facts: { what: string; value: string }[];
}

/** Prints the facts of two runs side by side. */
async function compare(
  argument: string,
  otherArgument: string | undefined,
  options: ShowOptions,
): Promise<void> {
  const wanted = wantedJob(argument, options);
  const { uid: _, ...place } = options;
  const other = otherArgument === undefined ? null : wantedJob(otherArgument, place);
  const runs = await withRows(options, async (rows) => {
    const job = await rows.job(wanted);
    const second = other === null ? await runBefore(rows, job) : await rows.job(withPlaceOf(job, other));
    return [await readFacts(rows, job), await readFacts(rows, second)];
  });
  if (options.output === 'json') writeJson(runs);
  else write(comparisonText(runs));
}

/** The other Job has the cluster and namespace of the first Job, unless the user names others. */
function withPlaceOf({ cluster, namespace }: JobView, other: WantedJob): WantedJob {
  return { cluster, namespace, ...other };
}

/** The Job that this Job retries, or the previous Job of the same owner. @throws InputError if no such Job is known. */
async function runBefore(rows: RowSource, job: JobView): Promise<JobView> {
  const { cluster, namespace, owner_kind: kind, owner_name: name } = job;
  const { retryOf: uid, retryOfName: retried } = (await rows.submission(job))?.data ?? {};
  const retriedJob =
    uid === undefined || retried === undefined
      ? null
      : await jobOrUnknown(rows, { cluster, namespace, name: retried, uid }, true);
  if (retriedJob !== null) return retriedJob;
  if (kind === null || name === null)
    throw new InputError(`${fullName(job)} has no owner, so it has no previous run: name the other Job`);
  const [before] = await rows.jobs({
    cluster,
    namespace,
    owner: { kind, name },
    createdBefore: job.created_at ?? job.first_seen_at,
    deleted: true,
    limit: 1,
  });
  if (before === undefined)
    throw new InputError(`no run of ${kind} ${name} before ${fullName(job)} is known`);
  return before;
}

/** The comparable facts of a Job. */
async function readFacts(rows: RowSource, job: JobView): Promise<Compared> {
  const pods = await rows.pods(job);
  return { job, facts: runFacts({ job, pods }, await readManifest(rows, job), Date.now()) };
}

/** The Job as it was first recorded; null when it was never observed. */
async function readManifest(rows: RowSource, job: JobView): Promise<RecordedManifest | null> {
  for await (const event of rows.events(job)) if (event.type === 'job.observed') return event.data.object;
  return null;
}

/** A line for each fact; an asterisk marks the facts that differ. */
function comparisonText(runs: readonly Compared[]): string {
  const [first, second] = runs.map(({ job, facts }) => [
    { what: 'state', value: statusCell(job) },
    { what: 'started', value: job.started_at ?? '' },
    { what: 'duration', value: jobDuration(job) },
    ...facts,
  ]);
  const rows = (first ?? []).flatMap(({ what, value }, at) => {
    const other = second?.[at]?.value ?? '';
    if (value === '' && other === '') return [];
    return [[value === other || what === 'started' ? '' : '*', what, value, other]];
  });
  return [
    table(['DIFFERS', 'FACT', ...runs.map(({ job }) => fullName(job))], rows),
    'not compared: arguments and values of variables, which "kubectl get job NAME -o yaml" shows while a Job exists',
  ].join('\n');
}

/** The duration from the start of a Job to its end, its deletion or now; empty if it has not started. */
function jobDuration({ started_at: started, finished_at: finished, deleted_at: deleted }: JobView): string {
  if (started === null) return '';
  return spanBetween(started, finished ?? deleted) ?? span(Date.parse(started), Date.now());
}
