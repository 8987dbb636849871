import { z } from 'zod';
import { boolean, instant, integer, json, orNull, shortText, table, text, type RowOf } from './table.ts';

/** Indexes that a member of a spread Job could run; `until` is null while it has them. */
const GRANTED = z.array(
  z.object({
    indexes: z.string(),
    since: z.string(),
    until: z.string().nullable(),
    decision: z.string(),
  }),
);
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
