import { isClaimed } from '../../workflows/kubernetes/names.ts';
import type { ObjectMeta } from '../../workflows/kubernetes/objects.ts';

/** A Job or CronJob with its managed fields. */
export interface WrittenObject {
  metadata: ObjectMeta & { managedFields?: ManagedFields[] };
  spec: { managedBy?: string };
  status?: object;
}

interface ManagedFields {
  manager?: string;
  subresource?: string;
  /** The time at which this manager last changed one of its fields. */
  time?: string;
  fieldsV1?: Record<string, Record<string, unknown>>;
}

/** Our name in managed fields, which is the user agent. */
const OURSELVES = 'jobledger';

/**
 * The status fields that only a Job or CronJob controller writes; conditions may come from other clients (J-1.23,
 * J-9.1).
 */
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
  'lastScheduleTime',
  'lastSuccessfulTime',
].map((field) => `f:${field}`);

/**
 * The managers other than Jobledger that wrote the status of a Job as its controller, with the time of their last
 * write.
 */
export function findOtherWriters({ metadata }: Pick<WrittenObject, 'metadata'>): Map<string, string> {
  const others = (metadata.managedFields ?? []).filter(
    (entry) => isWriteOfController(entry) && entry.manager !== OURSELVES,
  );
  return new Map(others.map(({ manager = 'unknown', time = '' }) => [manager, time]));
}

/**
 * True when Jobledger already controls the claimed Jobs: the last status write of all Jobs is ours, and so is the last
 * status write of each Job to which Jobledger has written. On old Jobs, managed fields keep the writes of the previous
 * controller forever.
 */
export function areOursAlready(jobs: readonly WrittenObject[]): boolean {
  const writes = jobs.filter(({ spec }) => isClaimed('all', spec.managedBy)).map(findLastWrites);
  const newestWrite = (who: 'ours' | 'others'): string => latestInstant(writes.map((each) => each[who]));
  return (
    newestWrite('ours') > newestWrite('others') &&
    writes.every(({ ours, others }) => ours === '' || ours >= others)
  );
}

/**
 * The times at which Jobledger and another controller last wrote the status of a Job, as RFC 3339 in UTC; empty without
 * a write.
 */
export interface LastWrites {
  ours: string;
  others: string;
}

/** True when another controller has written the last status of all Jobs, and thus controls the Jobs at present. */
export function areOthersNow(writes: readonly LastWrites[]): boolean {
  return latestInstant(writes.map(({ others }) => others)) > latestInstant(writes.map(({ ours }) => ours));
}

/** The last writes to the status of a Job, by Jobledger and by another controller. */
export function findLastWrites(job: Pick<WrittenObject, 'metadata'>): LastWrites {
  const ours = (job.metadata.managedFields ?? []).filter(
    (entry) => isWriteOfController(entry) && entry.manager === OURSELVES,
  );
  return {
    ours: latestInstant(ours.map(({ time = '' }) => time)),
    others: latestInstant([...findOtherWriters(job).values()]),
  };
}

/** The latest time; times in RFC 3339 and UTC compare as text. Empty for none. */
function latestInstant(instants: readonly string[]): string {
  return instants.reduce((a, b) => (a > b ? a : b), '');
}

function isWriteOfController({ subresource, fieldsV1 }: ManagedFields): boolean {
  const fields = Object.keys(fieldsV1?.['f:status'] ?? {});
  return subresource === 'status' && fields.some((field) => CONTROLLERS_FIELDS.includes(field));
}
