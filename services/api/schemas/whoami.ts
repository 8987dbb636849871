import { z } from 'zod';
import { SCOPES } from '../access/caller.ts';

/** The caller of a request. */
export const whoamiSchema = z
  .object({
    name: z.string().describe('The name of the caller, as recorded with requests and submitted Jobs'),
    groups: z
      .array(z.string())
      .describe('The groups from the identity provider or the cluster; empty for a token of the file'),
    scopes: z.array(z.enum(SCOPES)).describe('The scopes that the caller has in at least some places'),
    rights: z
      .array(
        z.object({
          scope: z.enum(SCOPES),
          places: z
            .array(z.object({ cluster: z.string(), namespace: z.string() }))
            .nullable()
            .describe(
              'The namespaces of clusters; * means every namespace or cluster, and null means every place',
            ),
        }),
      )
      .describe('The places where the caller has each of its scopes'),
  })
  .meta({ id: 'Whoami' });

export type Whoami = z.infer<typeof whoamiSchema>;
