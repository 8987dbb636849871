import { CRON_JOB } from './cron-job/kind.ts';
import { JOB } from './job/kind.ts';
import { PLACED_JOB } from './placement/kind.ts';
import type { JobRef } from './activities.ts';
import type { Kind, KindName, StreamEvent } from './kind.ts';

/** Every kind of controlled object. A placed Job is a Job too, and its events name it twice, so it comes first. */
export const KINDS: Readonly<Record<KindName, Kind>> = { PlacedJob: PLACED_JOB, Job: JOB, CronJob: CRON_JOB };
export const ALL_KINDS: readonly Kind[] = Object.values(KINDS);

/** The kind that a reference names; without a name, Job. */
export function kindOf({ kind = 'Job' }: { kind?: KindName }): Kind {
  return KINDS[kind];
}

/** The kind of the object whose stream has the event; undefined for an event of a whole cluster. */
export function kindOfEvent({ data }: { data: object }): Kind | undefined {
  return ALL_KINDS.find(({ uidField }) => uidField in data);
}

/** A reference without a kind is to a Job. */
export function referenceTo({ name: kind }: Kind, to: Omit<JobRef, 'kind'>): JobRef {
  return kind === 'Job' ? to : { ...to, kind };
}

/** The object whose stream has the event. */
export function objectOf(kind: Kind, { data, subject }: StreamEvent): JobRef {
  const [namespace = '', name = ''] = subject.split('/');
  const { [kind.uidField]: uid = '' } = data as { [Field in Kind['uidField']]?: string };
  return referenceTo(kind, { cluster: data.cluster, uid, namespace, name });
}
