import { z } from 'zod';

/** Where ends of Jobs are delivered to; nowhere by default. */
export const sinkEnvironment = z.object({
  JOBLEDGER_SINK_URL: z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL' }).optional(),
  JOBLEDGER_SINK_NAME: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'letters, digits and ._-')
    .default('default'),
  JOBLEDGER_SINK_TOKEN_FILE: z.string().optional(),
});
