import { InputError } from '../../adapters/errors.ts';
import type { Run } from '../../adapters/postgres/database.ts';
import type { Statement } from '../../adapters/postgres/statement.ts';
import type { Places } from '../../adapters/places.ts';
import { clusterNames, unknownClusterText } from './clusters.ts';
import { fullName, type JobLocation } from '../views/full-name.ts';
import { readHorizon } from '../state/horizon.ts';
import { exactNames, JOB_COLUMNS, similarNames } from './jobs.ts';
import type { JobView } from '../views/jobs.ts';
import { placeValues, visibleIn } from './visible.ts';

/** The parts of a Job's name that the user specified. An absent field matches anything. */
export interface WantedJob {
  name: string;
  namespace?: string;
  cluster?: string;
  uid?: string;
  /** Jobs in other places count as never seen. By default, all places count. */
  places?: Places;
}

/** The kind of object that a name must match. */
export type NamedKind = 'Job' | 'CronJob';

/** The error for a name that does not match exactly one object, with candidates. */
class NotOneJobError extends InputError {
  readonly choices: readonly JobLocation[];
  readonly kind: NamedKind;

  constructor(message: string, choices: readonly JobLocation[], kind: NamedKind = 'Job') {
    super(message);
    this.choices = choices;
    this.kind = kind;
  }
}

/** The error for a name of which the tables contain no object; `choices` are Jobs with similar names. */
export class UnknownJobError extends NotOneJobError {
  override readonly name = 'UnknownJobError';
}

/** The error for a name that matches more than one object. */
export class AmbiguousJobError extends NotOneJobError {
  override readonly name = 'AmbiguousJobError';
}

/** Finds the Job by name. @throws UnknownJobError, AmbiguousJobError. */
export async function findJob(run: Run, wanted: WantedJob): Promise<JobView> {
  const found = await run<JobView>(selectMatching('jobs', JOB_COLUMNS, wanted));
  // The first member of a placed Job has its name, in another cluster.
  const own = found.filter(({ member }) => !member);
  const matching = own.length > 0 ? own : found;
  const [newest] = matching;
  if (newest === undefined) throw await unknownJobError(run, wanted);
  requireOnePlace(wanted.name, 'Job', matching);
  return newest;
}

/** Every Job or CronJob that matches, newest first. */
export function selectMatching(view: 'jobs' | 'cron_jobs', columns: string, wanted: WantedJob): Statement {
  return {
    text: `select ${columns} from jobledger.${view}
      where name = $1 and ($2::text is null or namespace = $2) and ($3::text is null or cluster = $3)
        and ($4::text is null or uid = $4) and ${visibleIn(5, view)}
      order by coalesce(created_at, first_seen_at) desc, first_seen_at desc`,
    values: [
      wanted.name,
      wanted.namespace ?? null,
      wanted.cluster ?? null,
      wanted.uid ?? null,
      ...placeValues(wanted.places ?? null),
    ],
  };
}

/**
 * Checks that all found objects are in one place, where the newest object matches.
 * @throws AmbiguousJobError when they are in several places.
 */
export function requireOnePlace(name: string, kind: NamedKind, found: readonly JobLocation[]): void {
  const byPlace = new Map(found.map((each) => [fullName(each), each] as const));
  const places = [...byPlace.keys()].toSorted();
  if (places.length > 1)
    throw new AmbiguousJobError(
      `"${name}" matches ${places.length} ${kind}s; choose one:\n  ${places.join('\n  ')}`,
      [...byPlace.values()].map(toLocation),
      kind,
    );
}

function toLocation({ cluster, namespace, name }: JobLocation): JobLocation {
  return { cluster, namespace, name };
}

/** Creates the error for a name without a Job, with similar names as suggestions. */
async function unknownJobError(run: Run, wanted: WantedJob): Promise<UnknownJobError> {
  if (wanted.cluster !== undefined) {
    const known = (await run<{ name: string }>(clusterNames(wanted.places))).map(({ name }) => name);
    if (!known.includes(wanted.cluster))
      return new UnknownJobError(unknownClusterText(wanted.cluster, known), []);
  }
  const place = [wanted.cluster, wanted.namespace].filter((part) => part !== undefined).join('/');
  const uid = wanted.uid === undefined ? '' : ` with the uid ${wanted.uid}`;
  const horizon = await readHorizon(run);
  const seen =
    horizon === null
      ? 'was ever seen'
      : `is known; Jobs that ended before ${horizon} were removed from the tables, and are still in the ledger`;
  const unknown = `no Job named "${wanted.name}"${place === '' ? '' : ` in ${place}`}${uid} ${seen}`;
  const close = await run<JobLocation>(similarNames('jobs', wanted.name, wanted.places));
  const cronJobs = await run<JobLocation>(similarNames('cron_jobs', wanted.name, wanted.places));
  const pods = await run<JobLocation>(exactNames('pods', wanted.name, wanted.places));
  return new UnknownJobError(`${unknown}${suggestionText(close, cronJobs, pods)}`, close);
}

/** The suggestions, a line each; empty without suggestions. */
export function suggestionText(
  jobs: readonly JobLocation[],
  cronJobs: readonly JobLocation[],
  pods: readonly JobLocation[] = [],
): string {
  const names = [
    ...pods.map((each) => `pod/${fullName(each)}`),
    ...jobs.map(fullName),
    ...cronJobs.map((each) => `cronjob/${fullName(each)}`),
  ];
  return names.length === 0 ? '' : `; did you mean\n  ${names.join('\n  ')}`;
}
