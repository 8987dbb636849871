import { z } from 'zod';
import {
  jobSchema as listedJob,
  jobWithConditionsSchema as wholeJob,
} from '../../services/api/schemas/job.ts';
import { HOME_VIEW, PLACEMENT_VIEW } from '../../services/read-model/views.ts';

export { cronJobSchema, startSchema } from '../../services/api/schemas/cron-job.ts';
export { podSchema } from '../../services/api/schemas/job.ts';

/** Absent from an API of an earlier version. */
const OF_PLACED = { member: z.boolean().default(false), placed_in: z.string().nullable().default(null) };
export const jobSchema = listedJob.extend(OF_PLACED);
export const jobWithConditionsSchema = wholeJob.extend({
  ...OF_PLACED,
  home: HOME_VIEW.nullable().default(null),
});
const { held, holds, status, active } = PLACEMENT_VIEW.shape;
const OF_MEMBER = {
  held: held.default(null),
  holds: holds.default(null),
  status: status.default(null),
  active: active.default(null),
};
export const placements = z.object({ items: z.array(PLACEMENT_VIEW.extend(OF_MEMBER)) });

export const superseded = z.object({ id: z.string(), superseded: z.boolean() });
export const groups = z.object({
  items: z.array(
    z.object({ value: z.string(), jobs: z.int(), active: z.int(), words: z.string().nullable() }),
  ),
});
/** Absent from an API of an earlier version. */
export const comingStarts = z.object({ coming_starts: z.array(z.string()).default([]) });
export const gap = z.object({
  id: z.string(),
  /** Absent from an API of an earlier version. */
  namespace: z.string().nullish(),
  resource: z.string(),
  gap_from: z.string(),
  gap_to: z.string(),
  reason: z.string().nullable(),
});

/** An event, whose own schema is that of its type. */
export const event = z.looseObject({});

/** A page of a list. */
export function pageOf<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}
