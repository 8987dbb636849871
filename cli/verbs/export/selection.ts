import { eventKey } from '../../../services/adapters/events/event-codec.ts';
import { ANY } from '../../../services/adapters/places.ts';
import { isMention, isOfKind, eventKindName, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import { createHashTable, hashedWords } from '../../ledger/hash-table.ts';
import type { LedgerStream, StreamConsumer } from '../../ledger/streams.ts';

/** The streams to export; each is exported in full. */
export interface ExportSelection {
  jobs: number;
  cronJobs: number;
  clusters: number;
  has(event: LedgerEvent): boolean;
}

/** Selects streams while the ledger is read for the first time. */
export interface Selector {
  add(event: LedgerEvent): void;
  selection(): ExportSelection;
}

/** The first 128 bits of SHA-256 of a key. */
const WORDS = 4;
/** The bits of the state of a stream: its kind, an accepted event, and the namespaces of its object and of pods in its stream. */
const [JOB, CRON_JOB, ACCEPTED, OBJECT_INSIDE, OBJECT_OUTSIDE, POD_INSIDE] = [1, 2, 4, 8, 16, 32];

/**
 * Selects the Jobs and CronJobs with an event that `selects` accepts, and the streams of their clusters, which
 * contain the cluster's identity and gaps. An event that only mentions an object selects nothing, because any user may name any object as an owner or
 * as a home. With `namespace`, selects only the objects of this namespace, and the clusters that have such objects. Without `isOfJobs` and
 * `namespace`, also selects clusters with accepted events but without Jobs.
 * The selection takes 21 to 43 bytes for each selected Job, with `namespace` for each Job.
 */
export function createSelector(
  selects: (event: LedgerEvent) => boolean,
  {
    cluster: only,
    namespace,
    isOfJobs,
  }: { cluster?: string | undefined; namespace?: string | undefined; isOfJobs: boolean },
): Selector {
  const table = createHashTable(WORDS);
  const clusters = new Set<string>();
  // Any user may create a pod that names the Job of another namespace, so a pod decides only where no object is recorded.
  const isSelected = (state: number): boolean =>
    (state & ACCEPTED) !== 0 &&
    (namespace === undefined ||
      (state & OBJECT_INSIDE) !== 0 ||
      (state & (OBJECT_OUTSIDE | POD_INSIDE)) === POD_INSIDE);
  return {
    add(event) {
      const { cluster } = event.data;
      if ((only ?? cluster) !== cluster) return;
      if (isMention(event)) return;
      const isAccepted = selects(event);
      const isOfCluster = eventKindName(event) === undefined;
      const place = namespace === undefined ? 0 : placeIn(event, namespace);
      if (!isOfCluster && (isAccepted || place !== 0)) {
        const entry = toEntry(event);
        // An event of the CronJob decides the kind, because a pod may name the UID of a CronJob as the UID of its Job.
        const kind = isOfKind('CronJob', event) ? CRON_JOB : JOB;
        table.set(entry, table.getState(entry) | kind | place | (isAccepted ? ACCEPTED : 0));
      }
      const isInside = (place & (OBJECT_INSIDE | POD_INSIDE)) !== 0;
      if (namespace === undefined ? isAccepted && (!isOfCluster || !isOfJobs) : isInside)
        clusters.add(cluster);
    },
    selection() {
      const selected = [...table.counts()].filter(([state]) => isSelected(state));
      const countOf = (isCronJob: boolean): number =>
        selected
          .filter(([state]) => ((state & CRON_JOB) !== 0) === isCronJob)
          .reduce((sum, [, count]) => sum + count, 0);
      return {
        jobs: countOf(false),
        cronJobs: countOf(true),
        // The stream of the price lists belongs to no cluster.
        clusters: clusters.size - (clusters.has(ANY) ? 1 : 0),
        has: (event) =>
          eventKindName(event) === undefined
            ? clusters.has(event.data.cluster)
            : (only ?? event.data.cluster) === event.data.cluster &&
              isSelected(table.getState(toEntry(event))),
      };
    },
  };
}

/** The types of events that show the object of a stream itself. */
const OF_OBJECTS: readonly LedgerEvent['type'][] = ['job.observed', 'job.submitted', 'cronjob.observed'];

/** The bits for the place of an event: an observed object, or a pod, inside or outside of the namespace; 0 for other events. */
function placeIn(event: LedgerEvent, namespace: string): number {
  const isInside = event.subject.startsWith(`${namespace}/`);
  if (event.type === 'pod.observed') return isInside ? POD_INSIDE : 0;
  if (!OF_OBJECTS.includes(event.type)) return 0;
  return isInside ? OBJECT_INSIDE : OBJECT_OUTSIDE;
}

/** The entry of an event's stream in the table of selected streams. */
function toEntry(event: LedgerEvent): Uint32Array {
  return hashedWords(eventKey(event), WORDS);
}

/** The streams that a person has named, and the streams of their clusters. */
export function createSelection(streams: readonly LedgerStream<StreamConsumer>[]): ExportSelection {
  const keys = new Set(streams.map(({ cluster, uid }) => `${cluster}/${uid}`));
  const cronJobs = streams.filter(({ kind }) => kind === 'cronjob').length;
  const clusters = new Set(streams.map(({ cluster }) => cluster));
  return {
    jobs: keys.size - cronJobs,
    cronJobs,
    clusters: clusters.size,
    has: (event) =>
      eventKindName(event) === undefined ? clusters.has(event.data.cluster) : keys.has(eventKey(event)),
  };
}
