import {
  amounts,
  boolean,
  defineTable,
  instant,
  nullable,
  numeric,
  shortText,
  text,
  type RowOf,
} from './table.ts';

/** The facts of a node from an instant on, or its deletion; the migrations describe the columns. */
export const NODE_VERSIONS = defineTable({
  name: 'node_versions',
  key: ['event_id'],
  isAppendOnly: true,
  columns: {
    event_id: shortText,
    cluster: shortText,
    node_uid: shortText,
    node: shortText,
    since: instant,
    deleted: boolean,
    instance_type: nullable(text),
    region: nullable(text),
    zone: nullable(text),
    capacity_type: nullable(text),
    gpu_product: nullable(text),
    cpu_cores: nullable(numeric),
    memory_bytes: nullable(numeric),
    gpus: nullable(numeric),
    capacity: amounts,
  },
});
export type NodeVersionRow = RowOf<typeof NODE_VERSIONS>;
