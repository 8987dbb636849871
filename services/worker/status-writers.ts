import { isClaimed } from '../../workflows/kubernetes/names.ts';
import type { Job, ObjectMeta } from '../../workflows/kubernetes/objects.ts';

/** A Job with what the API server notes of who wrote what. */
export interface WrittenJob extends Job {
  metadata: ObjectMeta & { managedFields?: ManagedFields[] };
}

interface ManagedFields {
  manager?: string;
  subresource?: string;
  /** When this writer last changed one of its fields. */
  time?: string;
  fieldsV1?: Record<string, Record<string, unknown>>;
}

/** What the API server calls us: our user agent. */
const OURSELVES = 'jobledger';

/** Fields of a status that no one but a Job controller writes; conditions may be anybody's (J-1.23). */
const CONTROLLERS_FIELDS = [
  'active',
  'ready',
  'terminating',
  'startTime',
  'completionTime',
  'succeeded',
  'failed',
  'completedIndexes',
  'uncountedTerminatedPods',
].map((field) => `f:${field}`);

/** Who other than us last wrote a Job's status as its controller does, and when, by writer. */
export function otherWriters({ metadata }: WrittenJob): Map<string, string> {
  const others = (metadata.managedFields ?? []).filter(
    (entry) => isControllers(entry) && entry.manager !== OURSELVES,
  );
  return new Map(others.map(({ manager = 'somebody', time = '' }) => [manager, time]));
}

/**
 * Whether the Jobs that we claim are ours already: it is our status write that came last, among all of them and on each
 * that we wrote. What the controller before us wrote on old Jobs stays noted for ever.
 */
export function areOursAlready(jobs: readonly WrittenJob[]): boolean {
  const writes = jobs.filter(({ spec }) => isClaimed('all', spec.managedBy)).map(lastWrites);
  const newest = (who: 'ours' | 'others'): string => latest(writes.map((each) => each[who]));
  return (
    newest('ours') > newest('others') && writes.every(({ ours, others }) => ours === '' || ours >= others)
  );
}

function lastWrites(job: WrittenJob): { ours: string; others: string } {
  const ours = (job.metadata.managedFields ?? []).filter(
    (entry) => isControllers(entry) && entry.manager === OURSELVES,
  );
  return {
    ours: latest(ours.map(({ time = '' }) => time)),
    others: latest([...otherWriters(job).values()]),
  };
}

/** RFC 3339 in UTC, so that they compare as texts; empty for never. */
function latest(instants: readonly string[]): string {
  return instants.reduce((a, b) => (a > b ? a : b), '');
}

function isControllers({ subresource, fieldsV1 }: ManagedFields): boolean {
  const fields = Object.keys(fieldsV1?.['f:status'] ?? {});
  return subresource === 'status' && fields.some((field) => CONTROLLERS_FIELDS.includes(field));
}
