import { instant, integer, labels, numeric, orNull, shortText, table, text, type RowOf } from './table.ts';

/** One pod; the migrations describe the columns. */
export const PODS = table({
  name: 'pods',
  key: ['cluster', 'job_uid', 'uid'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    uid: shortText,
    namespace: orNull(shortText),
    job_name: orNull(shortText),
    name: shortText,
    completion_index: orNull(integer),
    phase: orNull(text),
    exit_code: orNull(integer),
    reason: orNull(text),
    message: orNull(text),
    container: orNull(text),
    node: orNull(text),
    restarts: integer,
    restarted: orNull(text),
    labels: labels,
    resource_version: numeric,
    created_at: orNull(instant),
    started_at: orNull(instant),
    first_ready_at: orNull(instant),
    finished_at: orNull(instant),
    deletion_requested_at: orNull(instant),
    deleted_at: orNull(instant),
    creation_decision: orNull(text),
    creation_rule: orNull(text),
    creation_message: orNull(text),
    deletion_decision: orNull(text),
    deletion_rule: orNull(text),
    deletion_message: orNull(text),
    deletion_decided_at: orNull(instant),
    end_message: orNull(text),
    end_event_id: orNull(text),
    counted_as: orNull(text),
    count_decision: orNull(text),
    first_seen_at: instant,
    last_seen_at: instant,
  },
});
export type PodRow = RowOf<typeof PODS>;

/** One pod creation that a decision requested. */
export const CREATIONS = table({
  name: 'creations',
  key: ['cluster', 'job_uid', 'name'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    name: shortText,
    ordinal: integer,
    completion_index: orNull(integer),
    decision: text,
    rule: text,
    message: text,
    decided_at: instant,
    result: orNull(text),
    pod_uid: orNull(text),
    error: orNull(text),
    outcome_at: orNull(instant),
  },
});
export type CreationRow = RowOf<typeof CREATIONS>;
