import { z } from 'zod';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { clusterSchema } from '../../../services/api/schemas/ledger.ts';
import { write, type OutputOption } from '../../output.ts';
import { clusterTable } from './cluster-table.ts';
import { fields } from '../../print/table.ts';
import { writeJson } from '../../write-json.ts';

/** The clusters that the caller may see. */
export const clustersResponse = z.object({ items: z.array(clusterSchema) });

const readiness = z.object({
  parts: z.record(z.string(), z.object({ status: z.string(), detail: z.string().optional() })),
});

/** A row of the API. `reached` is true if the API reaches the cluster, and null if the API does not connect to the cluster. */
type ReachedCluster = z.infer<typeof clusterSchema> & { reached: boolean | null };

/**
 * Prints the clusters, marks those that the API reaches, and prints the state of the other parts of the API, such as the delay of the tables.
 */
export async function printClustersFromApi(api: ApiCalls, { output }: OutputOption): Promise<void> {
  const [{ items }, { parts }] = await Promise.all([
    api.get('/v1/clusters', {}, clustersResponse),
    api.get('/readyz', {}, readiness),
  ]);
  const rows = items.map((each): ReachedCluster => {
    const status = parts[`cluster ${each.name}`]?.status;
    return { ...each, reached: status === undefined ? null : status !== 'down' };
  });
  if (output === 'json') return writeJson(rows);
  write(rows.length === 0 ? 'no clusters' : clusterTable(rows, Date.now(), [['REACHED', reachedCell]]));
  const shared = Object.entries(parts).filter(([part]) => !part.startsWith('cluster '));
  write(fields(shared.map(([part, { status, detail }]) => [part, detail ?? status])));
}

/** `yes`, `no`, or `not configured` for a cluster that the API does not connect to. */
function reachedCell({ reached }: ReachedCluster): string {
  return reached === null ? 'not configured' : reached ? 'yes' : 'no';
}
