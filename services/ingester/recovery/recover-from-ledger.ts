import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import type { Log } from '../../adapters/process/log.ts';
import { isInPart, watchName, type Part } from '../../shards/watch-names.ts';
import type { AppendQueue } from '../append/append-queue.ts';
import { applyChange, type LiveChange, type LiveSet, type Resource } from '../live-set/live-set.ts';
import { visitRecordedSince } from './recorded-since.ts';
import type { CountChange } from '../metrics/changes.ts';
import { changeToAdd, createRecordedObjects, type RecordedObject } from '../translate/recorded-objects.ts';

export interface RecoveryDependencies {
  kafka: KafkaConnection;
  cluster: string;
  /** The time since which the live topic may lack appended objects, in milliseconds; null when it is complete. */
  since: number | null;
  live: LiveSet;
  queue: AppendQueue;
  count: CountChange;
  log: Log;
}

/** Recovers the objects of a resource in a part of the cluster. */
export type Recover = (resource: Resource, part: Part) => Promise<LiveChange[]>;

/**
 * Adds the objects to the live set that a killed ingester had appended to the ledger but not yet written to the live
 * topic. A watch from the last position reports these objects again, but a list does not show the deletions after this
 * position. The caller therefore calls the returned function before a list that replaces such a watch. The first call
 * returns the changes, and later calls return none. @throws UnavailableError.
 */
export function createRecovery(dependencies: RecoveryDependencies): Recover {
  const { live, queue, count, log, cluster, since } = dependencies;
  const recovered = new Set<string>();
  let reading: Promise<RecordedObject[]> | undefined;
  return async (resource, part) => {
    const name = watchName(resource, part);
    if (since === null || recovered.has(name)) return [];
    reading ??= readRecordedSince(dependencies, since);
    const recorded = await reading.catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    recovered.add(name);
    const changes: LiveChange[] = [];
    for (const object of recorded) {
      const isListed = object.resource === resource && isInPart(part, object.entry.namespace);
      const change = isListed ? changeToAdd(live, object) : null;
      if (change === null) continue;
      count(live, change);
      applyChange(live, change);
      changes.push(change);
    }
    if (changes.length === 0) return [];
    log.info(
      { cluster, resource, part, objects: changes.length },
      'the live topic lacked objects of the ledger',
    );
    await queue.put({ events: [], changes });
    return changes;
  };
}

/** The objects in the records that were sent at `since` or later, up to the present end of the ledger. */
async function readRecordedSince(
  { kafka, cluster }: RecoveryDependencies,
  since: number,
): Promise<RecordedObject[]> {
  const objects = createRecordedObjects();
  await visitRecordedSince(kafka, { cluster, since }, objects.note);
  return objects.all();
}
