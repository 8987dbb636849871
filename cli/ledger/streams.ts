import { InputError } from '../../services/adapters/errors.ts';
import {
  eventKindName,
  isMention,
  isOfKind,
  streamUid,
  type LedgerEvent,
} from '../../workflows/ledger-event.ts';
import type { KindName } from '../../workflows/kind.ts';
import type { WantedJob } from '../../services/read-model/queries/find-job.ts';

/** Receives the events of one stream in ledger order. */
export interface StreamConsumer {
  add(event: LedgerEvent, isProved?: boolean): void;
}

/** The user's description of a Job or CronJob; a Job if no kind is given. */
export interface WantedStream extends WantedJob {
  kind?: 'cronjob';
}

/** The events of one Job or CronJob, or of one cluster. */
export interface LedgerStream<R extends StreamConsumer> {
  kind: 'job' | 'cronjob' | 'cluster';
  /**
   * The kind of the stream's events, because streams of different kinds may have the same key. Absent for a cluster.
   */
  of?: KindName;
  cluster: string;
  /** The value is null for the stream of a cluster. */
  uid: string | null;
  namespace: string;
  name: string;
  /** Creation time of the Job or CronJob if it was observed; otherwise the time of its first event. */
  createdAt: string;
  reader: R;
}

/** Sorts events by stream, and ignores unwanted streams. */
export interface Streams<R extends StreamConsumer> {
  /** `isProved` is true when a checkpoint proves that the record is unchanged. */
  add(event: LedgerEvent, isProved?: boolean): void;
  /** @throws InputError if a wanted stream is not in the ledger or is ambiguous. */
  chosen(): LedgerStream<R>[];
}

/** `wanted` is null for all streams. `open` creates the reader of each stream. */
export function createStreams<R extends StreamConsumer>(
  wanted: readonly WantedStream[] | null,
  open: () => R,
): Streams<R> {
  const streams = new Map<string, LedgerStream<R>>();
  /** The keys of the streams that have events of their own object, and not only mentions by other objects. */
  const existing = new Set<string>();
  // True when the user wants this stream.
  const isWanted = (stream: Named): boolean =>
    wanted === null || wanted.some((each) => matches(each, stream));
  return {
    add(event, isProved = false) {
      const name = streamNamed(event);
      const key = keyOfStream(name);
      const known = streams.get(key);
      // The first event of a stream has its name, so an event without a name starts no wanted stream.
      if (known === undefined && !isWanted(name)) return;
      const stream = known ?? { ...name, createdAt: event.time, reader: open() };
      if (stream.name === '') Object.assign(stream, name);
      if (!isWanted(stream)) return void streams.delete(key);
      streams.set(key, stream);
      stream.createdAt = createdAtIn(event) ?? stream.createdAt;
      if (!isMention(event)) existing.add(key);
      stream.reader.add(event, isProved);
    },
    chosen() {
      const all = [...streams].flatMap(([key, stream]) => (existing.has(key) ? [stream] : []));
      if (wanted === null) return all;
      return [...new Set(wanted.map((each) => newestMatch(each, all)))];
    },
  };
}

export type Named = Pick<
  LedgerStream<StreamConsumer>,
  'kind' | 'of' | 'cluster' | 'uid' | 'namespace' | 'name'
>;

/** Identifies a stream among all streams of the ledger. */
export function keyOfStream({ of, cluster, uid }: Named): string {
  return JSON.stringify([of, cluster, uid]);
}

/** The name of an event's stream. The last events of a vanished Job may not contain its name. */
export function streamNamed(event: LedgerEvent): Named {
  const { cluster } = event.data;
  const [namespace = '', name = ''] = event.subject.split('/');
  const of = eventKindName(event);
  if (of === undefined) return { kind: 'cluster', cluster, uid: null, namespace: '', name: '' };
  const kind = of === 'CronJob' ? 'cronjob' : 'job';
  return { kind, of, cluster, uid: streamUid(event) ?? '', namespace, name };
}

/** The creation time of the Job or CronJob of the stream, from an observation of the object. */
function createdAtIn(event: LedgerEvent): string | undefined {
  const isObserved =
    event.type === 'cronjob.observed' || (event.type === 'job.observed' && !isOfKind('CronJob', event));
  return isObserved ? event.data.object.metadata.creationTimestamp : undefined;
}

/** True when the event says that the Job or CronJob of its stream is deleted. */
export function endsStream(event: LedgerEvent): boolean {
  return event.type === 'cronjob.deleted' || (event.type === 'job.deleted' && !isOfKind('CronJob', event));
}

/** True when the stream is wanted; an unknown part of its name matches any text. */
function matches(wanted: WantedStream, { kind, cluster, uid, namespace, name }: Named): boolean {
  return (
    kind === (wanted.kind ?? 'job') &&
    (name === '' || name === wanted.name) &&
    (namespace === '' || (wanted.namespace ?? namespace) === namespace) &&
    (wanted.cluster ?? cluster) === cluster &&
    (wanted.uid ?? uid) === uid
  );
}

/** The newest matching stream, if all matches have the same full name. */
function newestMatch<R extends StreamConsumer>(
  wanted: WantedStream,
  all: readonly LedgerStream<R>[],
): LedgerStream<R> {
  const found = all.filter((stream) => stream.name !== '' && matches(wanted, stream));
  const places = [...new Set(found.map(streamName))].toSorted();
  if (places.length > 1) {
    throw new InputError(
      `"${wanted.name}" matches ${places.length} ${kindNoun(wanted)}s; choose one:\n  ${places.join('\n  ')}`,
    );
  }
  const newest = found.toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))[0];
  if (newest === undefined)
    throw new InputError(`the ledger has no ${kindNoun(wanted)} named "${wanted.name}"${placeText(wanted)}`);
  return newest;
}

/** The name of a stream as the user gives it, with its cluster and namespace. */
export function streamName({ kind, cluster, namespace, name }: Named): string {
  if (kind === 'cluster') return `cluster ${cluster}`;
  return `${kind === 'cronjob' ? 'cronjob/' : ''}${cluster}/${namespace}/${name}`;
}

/** `Job` or `CronJob`, for a message. */
function kindNoun({ kind }: WantedStream): string {
  return kind === 'cronjob' ? 'CronJob' : 'Job';
}

/** The cluster, the namespace and the uid that the user has given, for a message. */
function placeText({ cluster, namespace, uid }: WantedJob): string {
  const place = [cluster, namespace].filter((part) => part !== undefined).join('/');
  return `${place === '' ? '' : ` in ${place}`}${uid === undefined ? '' : ` with the uid ${uid}`}`;
}
