import { instant, integer, names, nullable, shortText, defineTable, text, type RowOf } from './table.ts';

export const CLUSTERS = defineTable({
  name: 'clusters',
  key: ['name'],
  columns: {
    name: shortText,
    uid: nullable(text),
    version: nullable(text),
    apis: nullable(names),
    not_recorded: names,
    first_connected_at: nullable(instant),
    last_connected_at: nullable(instant),
    detached_at: nullable(instant),
    gap_count: integer,
    last_gap_since: nullable(instant),
    last_gap_until: nullable(instant),
  },
});
export type ClusterRow = RowOf<typeof CLUSTERS>;

/** A period in which events of a cluster may have been missed. */
export const GAPS = defineTable({
  name: 'gaps',
  key: ['id'],
  isAppendOnly: true,
  columns: {
    id: shortText,
    cluster: text,
    namespace: nullable(text),
    resource: text,
    since: instant,
    until: instant,
    reason: text,
    recorded_at: instant,
  },
});
export type GapRow = RowOf<typeof GAPS>;
