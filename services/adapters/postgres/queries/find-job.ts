import { InputError } from '../../errors.ts';
import type { Run } from '../database.ts';
import { jobsNamed, namesLike, type JobView } from './jobs.ts';

/** What is known of the Job that is meant; what is absent may be anything. */
export interface WantedJob {
  name: string;
  namespace?: string;
  cluster?: string;
  uid?: string;
}

/** The one Job that is meant. @throws InputError, with the candidates, when there is none or more than one. */
export async function findJob(run: Run, wanted: WantedJob): Promise<JobView> {
  const found = await run<JobView>(jobsNamed(wanted));
  const [newest] = found;
  if (newest === undefined) throw await unknownJob(run, wanted);
  const places = [...new Set(found.map(fullName))].toSorted();
  if (places.length === 1) return newest;
  throw new InputError(
    `"${wanted.name}" is the name of ${places.length} Jobs; say which one:\n  ${places.join('\n  ')}`,
  );
}

export function fullName(job: { cluster: string; namespace: string; name: string }): string {
  return `${job.cluster}/${job.namespace}/${job.name}`;
}

async function unknownJob(run: Run, wanted: WantedJob): Promise<InputError> {
  const place = [wanted.cluster, wanted.namespace].filter((part) => part !== undefined).join('/');
  const uid = wanted.uid === undefined ? '' : ` with the uid ${wanted.uid}`;
  const unknown = `no Job named "${wanted.name}"${place === '' ? '' : ` in ${place}`}${uid} was ever seen`;
  const close = await run<{ cluster: string; namespace: string; name: string }>(namesLike(wanted.name));
  if (close.length === 0) return new InputError(unknown);
  return new InputError(`${unknown}; did you mean\n  ${close.map(fullName).join('\n  ')}`);
}
