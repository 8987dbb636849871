import type { Tokens } from './access/authentication.ts';
import type { Run } from '../adapters/postgres/database.ts';
import { requireSchema } from '../read-model/state/schema.ts';
import type { KubernetesClient } from '../adapters/kubernetes/client.ts';
import { countLag, type ReadinessChecks } from './readiness.ts';
import type { Positions } from './stream/positions.ts';

/** The largest normal lag of the tables, in records. */
const ORDINARY_LAG = 10_000n;

export interface CheckedParts {
  run: Run;
  /** The positions of the tables and the end offsets of the ledger. */
  applied: () => Promise<Positions>;
  ledgerEnds: () => Promise<Positions>;
  tokens: Tokens;
  temporal: () => Promise<void>;
  clusters: readonly KubernetesClient[];
}

/** The checks that find out whether each part responds. */
export function createChecks({
  run,
  applied,
  ledgerEnds,
  tokens,
  temporal,
  clusters,
}: CheckedParts): ReadinessChecks {
  return {
    postgres: async () => {
      await requireSchema(run);
      return {};
    },
    kafka: async () => {
      await ledgerEnds();
      return {};
    },
    projection: async () => {
      const lag = countLag(await ledgerEnds(), await applied());
      return { behind: lag > ORDINARY_LAG, detail: `the tables are ${lag} records behind the ledger` };
    },
    ...(tokens !== null && {
      tokens: async () => {
        if (tokens().length === 0) throw new Error('the token file has no valid line');
        return {};
      },
    }),
    temporal: async () => {
      await temporal();
      return {};
    },
    ...Object.fromEntries(
      clusters.map((client) => [
        `cluster ${client.cluster}`,
        async () => {
          await client.request({ method: 'GET', path: '/version', timeoutMs: 2000 });
          return {};
        },
      ]),
    ),
  };
}
