import { z } from 'zod';
import type { HttpServer } from '../../adapters/http/http-server.ts';
import { VERSION } from '../../adapters/process/package-dir.ts';
import { ALL_DEAD_LETTERS } from '../../read-model/queries/clusters.ts';
import type { DeadLettersView } from '../../read-model/views/clusters.ts';
import { newestMigration } from '../../read-model/state/schema.ts';
import type { ReadTransaction } from '../reads.ts';
import { installationSchema } from '../schemas/ledger.ts';

export interface InstallationDependencies {
  reads: ReadTransaction;
  /** The feature level; null before Kafka has answered. */
  level: () => number | null;
}

/** The data that all clusters share: versions, and the records of the ledger that could not be used. */
export function addInstallationRoute(server: HttpServer, { reads, level }: InstallationDependencies): void {
  server.route({
    method: 'GET',
    url: '/v1/installation',
    config: { scope: 'read' },
    schema: {
      operationId: 'getInstallation',
      summary: 'The versions of the installation, and the records of the ledger that could not be used',
      tags: ['Clusters'],
      querystring: z.strictObject({}),
      response: { 200: installationSchema },
    },
    handler: async ({ caller, raw }) => {
      const rows = await reads({ caller, raw }, async (run, places) => {
        // A record whose key names no cluster belongs to no known place.
        const [letters] = places === null ? await run<DeadLettersView>(ALL_DEAD_LETTERS) : [];
        return {
          schema: await newestMigration(run),
          dead_letter_count: letters?.dead_letter_count ?? null,
          first_dead_letter_at: letters?.first_dead_letter_at ?? null,
        };
      });
      return { version: VERSION, feature_level: level(), ...rows };
    },
  });
}
