import {
  boolean,
  instant,
  names,
  numeric,
  enumColumn,
  nullable,
  shortText,
  defineTable,
  text,
  type RowOf,
} from './table.ts';

/** A request to an API server that changed a Job or a pod; the migrations describe the columns. */
export const API_REQUESTS = defineTable({
  name: 'api_requests',
  key: ['cluster', 'job_uid', 'event_id'],
  isAppendOnly: true,
  columns: {
    cluster: shortText,
    job_uid: shortText,
    namespace: text,
    job_name: text,
    resource: enumColumn(['jobs', 'pods']),
    uid: text,
    name: text,
    verb: enumColumn(['create', 'update', 'patch', 'delete', 'deletecollection']),
    by: text,
    impersonated_by: nullable(text),
    user_agent: nullable(text),
    fields: names,
    written_version: nullable(numeric),
    cascade: boolean,
    panicked: boolean,
    received_at: instant,
    audit_id: text,
    event_id: shortText,
    recorded_at: instant,
  },
});
export type ApiRequestRow = RowOf<typeof API_REQUESTS>;
