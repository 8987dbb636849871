import { z } from 'zod';
import { SCOPES } from '../access/caller.ts';

/** The caller of a request. */
export const whoamiSchema = z
  .object({
    name: z.string().describe('As recorded with requests and submitted Jobs'),
    groups: z
      .array(z.string())
      .describe('As the identity provider or the cluster says; none for a token of the file'),
    scopes: z.array(z.enum(SCOPES)).describe('What the caller may do, at least in some places'),
  })
  .meta({ id: 'Whoami' });
