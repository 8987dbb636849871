import { z } from 'zod';
import { SCOPES } from '../access/caller.ts';

/** The caller of a request. */
export const whoamiSchema = z
  .object({
    name: z.string().describe('As recorded with requests and submitted Jobs'),
    groups: z
      .array(z.string())
      .describe('From the identity provider or the cluster; none for a token of the file'),
    scopes: z.array(z.enum(SCOPES)).describe('The scopes that the caller has in at least some places'),
  })
  .meta({ id: 'Whoami' });
