import { z } from 'zod';
import {
  boolean,
  instant,
  integer,
  jsonColumn,
  numeric,
  nullable,
  shortText,
  defineTable,
  text,
  type RowOf,
} from './table.ts';

/** Indexes that a member of a spread Job could run; `until` is null while the member can run the indexes. */
export const HELD_INDEXES = z.object({
  indexes: z.string(),
  since: z.string(),
  until: z.string().nullable(),
  decision: z.string(),
});

/**
 * `askedIn` is the epoch of the member's cluster when a list of the pods of given-up indexes was last requested. It is
 * absent without this list, and after a restore of the cluster, because the list then proves nothing (J-16.19).
 */
const GRANTED = z.array(HELD_INDEXES.extend({ askedIn: z.int().optional() }));
export type Granted = z.infer<typeof GRANTED>[number];

/** A cluster that got a placed Job; the migrations describe the columns. */
export const PLACEMENTS = defineTable({
  name: 'placements',
  key: ['cluster', 'job_uid', 'grant_number'],
  columns: {
    cluster: shortText,
    job_uid: shortText,
    grant_number: integer,
    namespace: text,
    job_name: text,
    placed_in: shortText,
    member_name: text,
    member_uid: nullable(shortText),
    resource_version: nullable(numeric),
    given_at: instant,
    decision: text,
    rule: text,
    message: text,
    stopping: nullable(text),
    refused: nullable(text),
    indexes: nullable(text),
    succeeded: integer,
    failed: integer,
    ended_at: nullable(instant),
    end_reason: nullable(text),
    end_decision: nullable(text),
    end_message: nullable(text),
    overlapped: boolean,
    granted: nullable(jsonColumn(GRANTED)),
  },
});
export type PlacementRow = RowOf<typeof PLACEMENTS>;
