import { InputError } from '../../adapters/errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { WantedJob } from '../../read-model/find-job.ts';

/** Receives the events of one stream in ledger order. */
export interface StreamConsumer {
  add(event: JobEvent, isProved?: boolean): void;
}

/** The events with one key: those of one Job, or of one cluster. */
export interface LedgerStream<R extends StreamConsumer> {
  cluster: string;
  /** Null for the stream of a cluster. */
  uid: string | null;
  namespace: string;
  name: string;
  /** Creation time of the Job if it was observed; otherwise the time of its first event. */
  createdAt: string;
  reader: R;
}

/** Sorts events by stream, and ignores unwanted streams. */
export interface Streams<R extends StreamConsumer> {
  /** `isProved`: a checkpoint proves that the record is as it was. */
  add(event: JobEvent, isProved?: boolean): void;
  /** @throws InputError when a wanted Job is not in the ledger or is ambiguous. */
  chosen(): LedgerStream<R>[];
}

/** `wanted`: null for all Jobs. `open` creates the reader of each stream. */
export function createStreams<R extends StreamConsumer>(
  wanted: readonly WantedJob[] | null,
  open: () => R,
): Streams<R> {
  const streams = new Map<string, LedgerStream<R> | 'unwanted'>();
  const isWanted = (stream: Named): boolean =>
    wanted === null || wanted.some((each) => matches(each, stream));
  return {
    add(event, isProved = false) {
      const name = nameOf(event);
      const key = keyOfStream(name);
      const known = streams.get(key);
      if (known === 'unwanted') return;
      const stream = known ?? { ...name, createdAt: event.time, reader: open() };
      if (stream.name === '') Object.assign(stream, name);
      streams.set(key, isWanted(stream) ? stream : 'unwanted');
      if (event.type === 'job.observed') stream.createdAt = event.data.object.metadata.creationTimestamp;
      stream.reader.add(event, isProved);
    },
    chosen() {
      const all = [...streams.values()].filter((stream) => stream !== 'unwanted');
      if (wanted === null) return all;
      return [...new Set(wanted.map((each) => theOne(each, all)))];
    },
  };
}

export type Named = Pick<LedgerStream<StreamConsumer>, 'cluster' | 'uid' | 'namespace' | 'name'>;

export function keyOfStream({ cluster, uid }: Named): string {
  return JSON.stringify([cluster, uid]);
}

/** The name of an event's stream. The last events of a vanished Job may not contain its name. */
export function nameOf(event: JobEvent): Named {
  const uid = 'jobUid' in event.data ? event.data.jobUid : null;
  const [namespace = '', name = ''] = uid === null ? [] : event.subject.split('/');
  return { cluster: event.data.cluster, uid, namespace, name };
}

/** Parts that are not known yet match. */
function matches(wanted: WantedJob, { cluster, uid, namespace, name }: Named): boolean {
  return (
    uid !== null &&
    (name === '' || name === wanted.name) &&
    (namespace === '' || (wanted.namespace ?? namespace) === namespace) &&
    (wanted.cluster ?? cluster) === cluster &&
    (wanted.uid ?? uid) === uid
  );
}

/** The newest Job that matches, if all matches have the same full name. */
function theOne<R extends StreamConsumer>(
  wanted: WantedJob,
  all: readonly LedgerStream<R>[],
): LedgerStream<R> {
  const found = all.filter((stream) => stream.name !== '' && matches(wanted, stream));
  const places = [...new Set(found.map(streamName))].toSorted();
  if (places.length > 1) {
    throw new InputError(
      `"${wanted.name}" matches ${places.length} Jobs; choose one:\n  ${places.join('\n  ')}`,
    );
  }
  const newest = found.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0];
  if (newest === undefined)
    throw new InputError(`the ledger has no Job named "${wanted.name}"${placeOf(wanted)}`);
  return newest;
}

export function streamName({ cluster, uid, namespace, name }: Named): string {
  return uid === null ? `cluster ${cluster}` : `${cluster}/${namespace}/${name}`;
}

function placeOf({ cluster, namespace, uid }: WantedJob): string {
  const place = [cluster, namespace].filter((part) => part !== undefined).join('/');
  return `${place === '' ? '' : ` in ${place}`}${uid === undefined ? '' : ` with the uid ${uid}`}`;
}
