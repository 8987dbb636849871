import { z } from 'zod';
import {
  boolean,
  instant,
  integer,
  json,
  numeric,
  orNull,
  shortText,
  table,
  text,
  type RowOf,
} from './table.ts';

/** Indexes that a member of a spread Job could run; `until` is null while it has them. */
export const HELD_INDEXES = z.object({
  indexes: z.string(),
  since: z.string(),
  until: z.string().nullable(),
  decision: z.string(),
});

/**
 * `askedIn` is the epoch of its cluster when a list of the pods of given-up indexes was last requested; absent
 * without such a list, or when the cluster was restored since, because the list then proves nothing (J-16.19).
 */
const GRANTED = z.array(HELD_INDEXES.extend({ askedIn: z.int().optional() }));
export type Granted = z.infer<typeof GRANTED>[number];

/** A cluster that got a placed Job; the migrations describe the columns. */
export const PLACEMENTS = table({
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
    member_uid: orNull(shortText),
    resource_version: orNull(numeric),
    given_at: instant,
    decision: text,
    rule: text,
    message: text,
    stopping: orNull(text),
    refused: orNull(text),
    indexes: orNull(text),
    succeeded: integer,
    failed: integer,
    ended_at: orNull(instant),
    end_reason: orNull(text),
    end_decision: orNull(text),
    end_message: orNull(text),
    overlapped: boolean,
    granted: orNull(json(GRANTED)),
  },
});
export type PlacementRow = RowOf<typeof PLACEMENTS>;
