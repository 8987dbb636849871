import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import type { InEpoch } from '../../../workflows/ledger/recorded-event.ts';
import type { CronJob, Job } from '../../../workflows/kubernetes/objects.ts';
import { toTimestamp, versionNumber } from './instants.ts';
import { isNewerObject } from './job-object.ts';

/** The columns of a Job or CronJob that come from its observations. */
interface SeenColumns {
  resource_version: string;
  last_seen_at: string;
  deleted_at: string | null;
  deletion_seen: boolean | null;
}

/** The row after an observation; the unchanged row when it already has this version or a newer version. */
export function rowAfterObservation<Row extends SeenColumns, O extends Job | CronJob>(
  row: Row,
  { time, data }: { time: string; data: InEpoch & { object: O } },
  toColumns: (object: O) => Partial<Row>,
): Row {
  const { object } = data;
  if (!isNewerObject(row, object, data)) return row;
  return {
    ...row,
    ...toColumns(object),
    resource_version: versionNumber(object.metadata.resourceVersion, data),
    last_seen_at: toTimestamp(time) ?? time,
    deleted_at: null,
    deletion_seen: null,
  };
}

/** The row after a deletion; the unchanged row when it has a newer version. */
export function rowAfterDeletion<Row extends SeenColumns, O extends Job | CronJob>(
  row: Row,
  { time, data }: { time: string; data: InEpoch & { object?: O; resourceVersion: string; seen: boolean } },
  toColumns: (object: O) => Partial<Row>,
): Row {
  const { object, resourceVersion, seen } = data;
  if (compareVersions(versionNumber(resourceVersion, data), row.resource_version) < 0) return row;
  const at = toTimestamp(time) ?? time;
  return {
    ...row,
    ...(object !== undefined &&
      isNewerObject(row, object, data) && {
        ...toColumns(object),
        resource_version: versionNumber(object.metadata.resourceVersion, data),
      }),
    last_seen_at: at,
    deleted_at: at,
    deletion_seen: seen,
  };
}

/** True when an observation or a deletion showed a new version. */
export function isNewlySeen(
  before: SeenColumns | undefined,
  after: SeenColumns,
  isDeletion: boolean,
): boolean {
  const isDeletedAlready =
    isDeletion &&
    before !== undefined &&
    before.deleted_at !== null &&
    before.resource_version === after.resource_version;
  // The deletion of an object that was never observed shows no version.
  return after !== before && !isDeletedAlready && after.resource_version !== '0';
}
