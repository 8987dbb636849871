import { CRON_JOB } from './cron-job/kind.ts';
import { JOB } from './job/kind.ts';
import { PLACED_JOB } from './placement/kind.ts';
import type { ObjectRef } from './activities.ts';
import type { Kind, KindName, StreamEvent } from './kind.ts';
import { eventKindName, UID_FIELDS, type OfAnyKind } from './ledger-event.ts';

/** Every kind of controlled object. */
export const KINDS: Readonly<Record<KindName, Kind>> = { PlacedJob: PLACED_JOB, Job: JOB, CronJob: CRON_JOB };
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

/** The identity of a stream and of its run: the key of its records, and the kind for any kind other than Job. */
export function streamId({ cluster, uid, kind }: Pick<ObjectRef, 'cluster' | 'uid' | 'kind'>): string {
  return streamIdAt(`${cluster}/${uid}`, kind);
}

/** Works like `streamId`, but takes the key of the records. */
export function streamIdAt(key: string, kind: KindName): string {
  return kind === 'Job' ? key : `${key}/${kind}`;
}

/** The key of the records of a stream. */
export function keyOfStreamId(id: string): string {
  const suffix = ALL_KINDS.map(({ name }) => `/${name}`).find((each) => id.endsWith(each)) ?? '';
  return id.slice(0, id.length - suffix.length);
}

/** The object whose stream has the event. */
export function streamObject(kind: Kind, { data, subject }: StreamEvent): ObjectRef {
  const [namespace = '', name = ''] = subject.split('/');
  const { [UID_FIELDS[kind.name]]: uid = '' } = data as { [Field in OfAnyKind<'uidField'>]?: string };
  return { cluster: data.cluster, uid, namespace, name, kind: kind.name };
}
