import { instant, integer, names, orNull, shortText, table, text, type RowOf } from './table.ts';

export const CLUSTERS = table({
  name: 'clusters',
  key: ['name'],
  columns: {
    name: shortText,
    uid: orNull(text),
    version: orNull(text),
    apis: orNull(names),
    first_connected_at: orNull(instant),
    last_connected_at: orNull(instant),
    gap_count: integer,
    last_gap_since: orNull(instant),
    last_gap_until: orNull(instant),
  },
});
export type ClusterRow = RowOf<typeof CLUSTERS>;

/** A period in which events of a cluster may have been missed. */
export const GAPS = table({
  name: 'gaps',
  key: ['id'],
  isAppendOnly: true,
  columns: {
    id: shortText,
    cluster: text,
    namespace: orNull(text),
    resource: text,
    since: instant,
    until: instant,
    reason: text,
    recorded_at: instant,
  },
});
export type GapRow = RowOf<typeof GAPS>;
