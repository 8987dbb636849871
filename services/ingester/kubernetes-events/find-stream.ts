import { compareVersions } from '../../../workflows/ledger/resource-version.ts';
import { isInPart, partIn, watchesResource } from '../../shards/watch-names.ts';
import type { LiveJob, LivePod, LiveSet } from '../live-set/live-set.ts';
import type { FindStream, StreamOfEvent } from './event-recorder.ts';
import type { ReadEvent } from './read-event.ts';

/** Objects by UID, and the positions of the watches that have shown them. */
export type KnownObjects = Pick<LiveSet, 'jobs' | 'pods'> & Partial<Pick<LiveSet, 'positions'>>;

/**
 * Returns a function that finds the Job of an Event among known objects; the first of `known` that has an object counts.
 * `epoch` is the present epoch of the cluster.
 */
export function createFindStream(known: readonly KnownObjects[], epoch = 0): FindStream {
  const find = <E>(
    entriesIn: (objects: KnownObjects) => ReadonlyMap<string, E>,
    uid: string,
  ): E | undefined => {
    for (const objects of known) {
      const entry = entriesIn(objects).get(uid);
      if (entry !== undefined) return entry;
    }
    return undefined;
  };
  const findJob = (uid: string): LiveJob | undefined => find(({ jobs }) => jobs, uid);
  const findPod = (uid: string): LivePod | undefined => find(({ pods }) => pods, uid);
  return (event) => {
    const { namespace, regarding } = event;
    const { kind, uid, name } = regarding;
    const object = kind === 'Job' ? findJob(uid) : findPod(uid);
    if (object === undefined) return wasPassed(known, event, epoch) ? 'other' : 'unknown';
    // Any user may write the UID of any object into an Event.
    if (object.namespace !== namespace || object.name !== name) return 'other';
    return 'jobs' in object ? streamOfPod(object, regarding, findJob) : { jobUid: uid, jobName: name };
  };
}

/** The stream in which a pod is recorded first: that of the Job that controls it, if there is one. */
function streamOfPod(
  { namespace, jobs: [jobUid] }: LivePod,
  { uid, name }: ReadEvent['regarding'],
  findJob: (uid: string) => LiveJob | undefined,
): StreamOfEvent | 'other' {
  if (jobUid === undefined) return 'other';
  // A pod without a Job may have a stream of its own.
  if (jobUid === uid) return { jobUid, jobName: name };
  const job = findJob(jobUid);
  return { jobUid, jobName: job?.namespace === namespace ? job.name : '' };
}

/**
 * True when a watch has already shown the version of the object that the Event names, so that an object that is not
 * known is not recorded.
 */
function wasPassed(
  known: readonly KnownObjects[],
  { namespace, regarding, regardingVersion }: ReadEvent,
  epoch: number,
): boolean {
  if (regardingVersion === undefined) return false;
  const resource = regarding.kind === 'Job' ? 'jobs' : 'pods';
  return known.some(({ positions = {} }) =>
    Object.entries(positions).some(
      ([name, position]) =>
        watchesResource(resource, name) &&
        isInPart(partIn(name), namespace) &&
        position !== undefined &&
        (position.epoch ?? 0) === epoch &&
        compareVersions(position.resourceVersion, regardingVersion) >= 0,
    ),
  );
}
