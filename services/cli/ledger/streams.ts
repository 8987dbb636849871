import { InputError } from '../../adapters/errors.ts';
import type { JobEvent } from '../../../workflows/job/events.ts';
import type { WantedJob } from '../../read-model/find-job.ts';

/** Takes the events of one stream in, in the order of the ledger. */
export interface StreamConsumer {
  add(event: JobEvent): void;
}

/** The events of one key of the ledger: those of one Job, or of one cluster. */
export interface LedgerStream<R extends StreamConsumer> {
  cluster: string;
  /** Null for the events of a whole cluster. */
  uid: string | null;
  namespace: string;
  name: string;
  /** When the Job was created, as far as it was observed; else when it was first heard of. */
  createdAt: string;
  reader: R;
}

/** Sorts events by stream; those of streams that nobody wants are passed over. */
export interface Streams<R extends StreamConsumer> {
  add(event: JobEvent): void;
  /** @throws InputError when a Job that is wanted is not in the ledger, or could be several. */
  chosen(): LedgerStream<R>[];
}

/** `wanted` null: all of them. `open` gives each stream its reader. */
export function createStreams<R extends StreamConsumer>(
  wanted: readonly WantedJob[] | null,
  open: () => R,
): Streams<R> {
  const streams = new Map<string, LedgerStream<R> | 'unwanted'>();
  const isWanted = (stream: Named): boolean =>
    wanted === null || wanted.some((each) => matches(each, stream));
  return {
    add(event) {
      const name = nameOf(event);
      const key = JSON.stringify([name.cluster, name.uid]);
      const known = streams.get(key);
      if (known === 'unwanted') return;
      const stream = known ?? { ...name, createdAt: event.time, reader: open() };
      if (stream.name === '') Object.assign(stream, name);
      streams.set(key, isWanted(stream) ? stream : 'unwanted');
      if (event.type === 'job.observed') stream.createdAt = event.data.object.metadata.creationTimestamp;
      stream.reader.add(event);
    },
    chosen() {
      const all = [...streams.values()].filter((stream) => stream !== 'unwanted');
      if (wanted === null) return all;
      return [...new Set(wanted.map((each) => theOne(each, all)))];
    },
  };
}

type Named = Pick<LedgerStream<StreamConsumer>, 'cluster' | 'uid' | 'namespace' | 'name'>;

/** What an event tells of the stream that it is in. The name is not known to the last events of what vanished. */
function nameOf(event: JobEvent): Named {
  const uid = 'jobUid' in event.data ? event.data.jobUid : null;
  const [namespace = '', name = ''] = uid === null ? [] : event.subject.split('/');
  return { cluster: event.data.cluster, uid, namespace, name };
}

/** What is not known yet may be what is wanted. */
function matches(wanted: WantedJob, { cluster, uid, namespace, name }: Named): boolean {
  return (
    uid !== null &&
    (name === '' || name === wanted.name) &&
    (namespace === '' || (wanted.namespace ?? namespace) === namespace) &&
    (wanted.cluster ?? cluster) === cluster &&
    (wanted.uid ?? uid) === uid
  );
}

/** The newest of the Jobs that had this name in one place. */
function theOne<R extends StreamConsumer>(
  wanted: WantedJob,
  all: readonly LedgerStream<R>[],
): LedgerStream<R> {
  const found = all.filter((stream) => stream.name !== '' && matches(wanted, stream));
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

export function streamName({ cluster, uid, namespace, name }: Named): string {
  return uid === null ? `cluster ${cluster}` : `${cluster}/${namespace}/${name}`;
}

function placeOf({ cluster, namespace, uid }: WantedJob): string {
  const place = [cluster, namespace].filter((part) => part !== undefined).join('/');
  return `${place === '' ? '' : ` in ${place}`}${uid === undefined ? '' : ` with the uid ${uid}`}`;
}
