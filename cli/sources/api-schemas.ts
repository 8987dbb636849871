import { z } from 'zod';
import { PLACEMENT_VIEW } from '../../services/read-model/views/placements.ts';

export { cronJobSchema, startSchema } from '../../services/api/schemas/cron-job.ts';
export { jobSchema, jobWithConditionsSchema, podSchema } from '../../services/api/schemas/job.ts';

export const placements = z.object({ items: z.array(PLACEMENT_VIEW) });

export const clusters = z.object({ items: z.array(z.object({ name: z.string() })) });
export const superseded = z.object({ id: z.string(), superseded: z.boolean() });
export const groups = z.object({
  items: z.array(
    z.object({ value: z.string(), job_count: z.int(), active: z.int(), message: z.string().nullable() }),
  ),
});
export const comingStarts = z.object({ coming_starts: z.array(z.string()) });
export const gap = z.object({
  id: z.string(),
  namespace: z.string().nullable(),
  resource: z.string(),
  since: z.string(),
  until: z.string(),
  reason: z.string().nullable(),
});

/** An event, which is checked by the schema of its type. */
export const event = z.looseObject({});

/** A page of a list. */
export function createPageSchema<S extends z.ZodType>(item: S) {
  return z.object({ items: z.array(item), next: z.string().nullable() });
}
