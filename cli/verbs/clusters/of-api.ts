import { z } from 'zod';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { clusterSchema } from '../../../services/api/schemas/ledger.ts';
import { write, type OutputOption } from '../../output.ts';
import { fields } from '../../print/table.ts';
import { writeJson } from '../../write-json.ts';
import { clusterRow, clusterTable, type ClusterRow } from './cluster-table.ts';

const clustersResponse = z.object({ items: z.array(clusterSchema) });

const readiness = z.object({
  parts: z.record(z.string(), z.object({ status: z.string(), detail: z.string().optional() })),
});

/** With whether the API reaches the cluster; null: it does not connect to it. */
interface ReachedCluster extends ClusterRow {
  reached: boolean | null;
}

/** Prints the clusters, which of them the API reaches, and the parts that are behind or do not answer. */
export async function printClustersOfApi(api: ApiCalls, { output }: OutputOption): Promise<void> {
  const [{ items }, { parts }] = await Promise.all([
    api.get('/v1/clusters', {}, clustersResponse),
    api.get('/readyz', {}, readiness),
  ]);
  const rows = items.map((each): ReachedCluster => {
    const status = parts[`cluster ${each.name}`]?.status;
    return { ...clusterRow(each), reached: status === undefined ? null : status !== 'down' };
  });
  if (output === 'json') return writeJson(rows);
  const shared = Object.entries(parts).filter(([part]) => !part.startsWith('cluster '));
  write(clusterTable(rows, { titles: ['REACHED'], cells: ({ reached }) => [reachedWord(reached)] }));
  write(fields(shared.map(([part, { status, detail }]) => [part, detail ?? status])));
}

function reachedWord(reached: boolean | null): string {
  if (reached === null) return 'not configured';
  return reached ? 'yes' : 'no';
}
