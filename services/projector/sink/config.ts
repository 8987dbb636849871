import { z } from 'zod';
import { isReadable } from '../../adapters/network/address.ts';
import { InputError } from '../../adapters/errors.ts';
import type { HttpSink } from './deliver.ts';

/** The address for ends of Jobs; none by default. */
export const sinkEnvironment = z.object({
  JOBLEDGER_SINK_URL: z.url({ protocol: /^https?$/, error: 'an http:// or https:// URL' }).optional(),
  JOBLEDGER_SINK_NAME: z
    .string()
    .regex(/^[\w.-]{1,100}$/, 'letters, digits and ._-')
    .default('default'),
  JOBLEDGER_SINK_TOKEN_FILE: z.string().optional(),
  JOBLEDGER_SINK_WITHOUT_TLS: z.enum(['true', 'false']).default('false'),
});

/** The sink; null when there is none. @throws InputError when deliveries could be read on the way. */
export function sinkIn(config: z.infer<typeof sinkEnvironment>): HttpSink | null {
  const { JOBLEDGER_SINK_URL: url, JOBLEDGER_SINK_TOKEN_FILE: tokenFile = null } = config;
  if (url === undefined) return null;
  if (isReadable(url) && config.JOBLEDGER_SINK_WITHOUT_TLS !== 'true')
    throw new InputError(
      'JOBLEDGER_SINK_URL without TLS would receive its token and the ends of Jobs in plain text: use https://, or set JOBLEDGER_SINK_WITHOUT_TLS=true where the network is trusted',
    );
  return { url, tokenFile };
}
