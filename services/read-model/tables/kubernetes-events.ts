import {
  boolean,
  defineTable,
  enumColumn,
  instant,
  integer,
  nullable,
  shortText,
  text,
  type RowOf,
} from './table.ts';

/** A Kubernetes Event of another program about a Job or a pod; the migrations describe the columns. */
export const KUBERNETES_EVENTS = defineTable({
  name: 'kubernetes_events',
  key: ['cluster', 'job_uid', 'event_id'],
  isAppendOnly: true,
  columns: {
    cluster: shortText,
    job_uid: shortText,
    namespace: text,
    job_name: text,
    kind: enumColumn(['Job', 'Pod']),
    uid: text,
    name: text,
    reason: text,
    type: enumColumn(['Normal', 'Warning']),
    reported_by: text,
    note: text,
    related_kind: nullable(text),
    related_namespace: nullable(text),
    related_name: nullable(text),
    related_uid: nullable(text),
    count: integer,
    first_at: instant,
    last_at: instant,
    is_last: boolean,
    event_id: shortText,
    recorded_at: instant,
  },
});
export type KubernetesEventRow = RowOf<typeof KUBERNETES_EVENTS>;

/** The number of Kubernetes Events of a namespace that were not recorded in a period; the migrations describe the columns. */
export const DROPPED_KUBERNETES_EVENTS = defineTable({
  name: 'dropped_kubernetes_events',
  key: ['cluster', 'event_id', 'namespace', 'cause'],
  isAppendOnly: true,
  columns: {
    cluster: shortText,
    event_id: shortText,
    namespace: shortText,
    cause: shortText,
    count: nullable(integer),
    since: instant,
    until: instant,
  },
});
export type DroppedKubernetesEventsRow = RowOf<typeof DROPPED_KUBERNETES_EVENTS>;
