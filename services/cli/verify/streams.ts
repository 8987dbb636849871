import { InputError } from '../../adapters/errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { WantedJob } from '../job-argument.ts';
import { createStreamVerifier, type StreamVerifier } from './verify-stream.ts';

/** The events of one key of the ledger: those of one Job, or of one cluster. */
export interface Stream {
  cluster: string;
  /** Null for the events of a whole cluster. */
  uid: string | null;
  namespace: string;
  name: string;
  /** When the Job was created, as far as it was observed; else when it was first heard of. */
  createdAt: string;
  verifier: StreamVerifier;
}

/** Sorts events by stream; those of streams that nobody wants are passed over. */
export interface Streams {
  add(event: JobEvent): void;
  /** @throws InputError when a Job that is wanted is not in the ledger, or could be several. */
  chosen(): Stream[];
}

/** `wanted` null: all of them. */
export function createStreams(wanted: readonly WantedJob[] | null): Streams {
  const streams = new Map<string, Stream>();
  const isWanted = (event: JobEvent): boolean =>
    wanted === null || wanted.some((each) => matches(each, streamOf(event)));
  return {
    add(event) {
      if (!isWanted(event)) return;
      const fresh = streamOf(event);
      const key = JSON.stringify([fresh.cluster, fresh.uid]);
      const stream = streams.get(key) ?? { ...fresh, verifier: createStreamVerifier() };
      if (event.type === 'job.observed') stream.createdAt = event.data.object.metadata.creationTimestamp;
      streams.set(key, stream);
      stream.verifier.add(event);
    },
    chosen() {
      const all = [...streams.values()];
      if (wanted === null) return all;
      return [...new Set(wanted.map((each) => theOne(each, all)))];
    },
  };
}

function streamOf(event: JobEvent): Omit<Stream, 'verifier'> {
  const [namespace = '', name = ''] = event.subject.split('/');
  const uid = 'jobUid' in event.data ? event.data.jobUid : null;
  return { cluster: event.data.cluster, uid, namespace, name, createdAt: event.time };
}

function matches(wanted: WantedJob, stream: Omit<Stream, 'verifier'>): boolean {
  return (
    stream.uid !== null &&
    stream.name === wanted.name &&
    (wanted.namespace ?? stream.namespace) === stream.namespace &&
    (wanted.cluster ?? stream.cluster) === stream.cluster &&
    (wanted.uid ?? stream.uid) === stream.uid
  );
}

/** The newest of the Jobs that had this name in one place. */
function theOne(wanted: WantedJob, all: readonly Stream[]): Stream {
  const found = all.filter((stream) => matches(wanted, stream));
  const places = [...new Set(found.map(streamName))].toSorted();
  if (places.length > 1) {
    throw new InputError(
      `"${wanted.name}" is the name of ${places.length} Jobs; say which one:\n  ${places.join('\n  ')}`,
    );
  }
  const newest = found.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0];
  if (newest === undefined)
    throw new InputError(`the ledger has no Job named "${wanted.name}"${placeOf(wanted)}`);
  return newest;
}

export function streamName({ cluster, uid, namespace, name }: Stream): string {
  return uid === null ? `cluster ${cluster}` : `${cluster}/${namespace}/${name}`;
}

function placeOf({ cluster, namespace, uid }: WantedJob): string {
  const place = [cluster, namespace].filter((part) => part !== undefined).join('/');
  return `${place === '' ? '' : ` in ${place}`}${uid === undefined ? '' : ` with the uid ${uid}`}`;
}
