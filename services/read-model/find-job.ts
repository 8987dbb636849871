import { InputError } from '../adapters/errors.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { jobsNamed, namesLike, type JobView } from './jobs.ts';

/** What is known of the Job that is meant; what is absent may be anything. */
export interface WantedJob {
  name: string;
  namespace?: string;
  cluster?: string;
  uid?: string;
}

/** Where a Job is or was. */
export type JobLocation = Pick<JobView, 'cluster' | 'namespace' | 'name'>;

/** A name that is not that of one Job, with the Jobs that may be meant. */
class NotOneJobError extends InputError {
  readonly choices: readonly JobLocation[];

  constructor(message: string, choices: readonly JobLocation[]) {
    super(message);
    this.choices = choices;
  }
}

/** No Job of that name was ever seen; `choices` have one like it. */
export class UnknownJobError extends NotOneJobError {
  override readonly name = 'UnknownJobError';
}

/** More than one Job is meant by what was given. */
export class AmbiguousJobError extends NotOneJobError {
  override readonly name = 'AmbiguousJobError';
}

/** The one Job that is meant. @throws UnknownJobError, AmbiguousJobError. */
export async function findJob(run: Run, wanted: WantedJob): Promise<JobView> {
  const found = await run<JobView>(jobsNamed(wanted));
  const [newest] = found;
  if (newest === undefined) throw await unknownJob(run, wanted);
  const byPlace = new Map(found.map((job) => [fullName(job), job] as const));
  const places = [...byPlace.keys()].toSorted();
  if (places.length === 1) return newest;
  throw new AmbiguousJobError(
    `"${wanted.name}" is the name of ${places.length} Jobs; say which one:\n  ${places.join('\n  ')}`,
    [...byPlace.values()].map(placeOf),
  );
}

function placeOf({ cluster, namespace, name }: JobView): JobLocation {
  return { cluster, namespace, name };
}

export function fullName(job: JobLocation): string {
  return `${job.cluster}/${job.namespace}/${job.name}`;
}

async function unknownJob(run: Run, wanted: WantedJob): Promise<UnknownJobError> {
  const place = [wanted.cluster, wanted.namespace].filter((part) => part !== undefined).join('/');
  const uid = wanted.uid === undefined ? '' : ` with the uid ${wanted.uid}`;
  const unknown = `no Job named "${wanted.name}"${place === '' ? '' : ` in ${place}`}${uid} was ever seen`;
  const close = await run<JobLocation>(namesLike(wanted.name));
  if (close.length === 0) return new UnknownJobError(unknown, []);
  return new UnknownJobError(`${unknown}; did you mean\n  ${close.map(fullName).join('\n  ')}`, close);
}
