import { CRON_JOB } from './cron-job/kind.ts';
import { JOB } from './job/kind.ts';
import { PLACED_JOB } from './placement/kind.ts';
import type { ObjectRef } from './activities.ts';
import type { Kind, KindName, StreamEvent } from './kind.ts';
import { eventKindName, UID_FIELDS, type OfAnyKind } from './ledger-event.ts';

/** Every kind of controlled object. */
export const KINDS: Readonly<Record<KindName, Kind>> = { PlacedJob: PLACED_JOB, Job: JOB, CronJob: CRON_JOB };
/** The same kinds, as a list. */
export const ALL_KINDS: readonly Kind[] = Object.values(KINDS);

/** The kind that a reference names. */
export function getKind({ kind }: { kind: KindName }): Kind {
  return KINDS[kind];
}

/** The kind of the object whose stream has the event; undefined for an event of a whole cluster. */
export function kindOfEvent(event: { data: object }): Kind | undefined {
  const name = eventKindName(event);
  return name === undefined ? undefined : KINDS[name];
}

/**
 * The id of a stream and of the workflow of its object: `cluster/uid` for a Job, and `cluster/uid/Kind` for another
 * kind, because the streams of two kinds may have the same key.
 */
export function streamId({ cluster, uid, kind }: Pick<ObjectRef, 'cluster' | 'uid' | 'kind'>): string {
  return streamIdOfKey(`${cluster}/${uid}`, kind);
}

/** The id of a stream, from the key of its records. */
export function streamIdOfKey(key: string, kind: KindName): string {
  return kind === 'Job' ? key : `${key}/${kind}`;
}

/** The key of the records of a stream, from the id of the stream. */
export function keyOfStreamId(id: string): string {
  const suffix = ALL_KINDS.map(({ name }) => `/${name}`).find((each) => id.endsWith(each)) ?? '';
  return id.slice(0, id.length - suffix.length);
}

/** The object whose stream has the event; `kind` must be the kind of the event (`kindOfEvent`). */
export function streamObject(kind: Kind, { data, subject }: StreamEvent): ObjectRef {
  const [namespace = '', name = ''] = subject.split('/');
  const { [UID_FIELDS[kind.name]]: uid = '' } = data as { [Field in OfAnyKind<'uidField'>]?: string };
  return { cluster: data.cluster, uid, namespace, name, kind: kind.name };
}
