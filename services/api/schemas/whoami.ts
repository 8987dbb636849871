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
    rights: z
      .array(
        z.object({
          scope: z.enum(SCOPES),
          places: z
            .array(z.object({ cluster: z.string(), namespace: z.string() }))
            .nullable()
            .describe('Namespaces of clusters, where * is every one; null: everywhere'),
        }),
      )
      .describe('Where the caller has each of its scopes'),
  })
  .meta({ id: 'Whoami' });

export type Whoami = z.infer<typeof whoamiSchema>;
