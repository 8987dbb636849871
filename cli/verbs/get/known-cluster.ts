import { InputError } from '../../../services/adapters/errors.ts';
import { unknownClusterText } from '../../../services/read-model/queries/clusters.ts';
import type { RowSource } from '../../sources/row-source.ts';

/** What a list found. @throws InputError if it is empty because there is no such cluster. */
export async function orUnknownCluster<T>(
  rows: RowSource,
  { cluster }: { cluster?: string | undefined },
  list: Promise<T[]>,
): Promise<T[]> {
  const found = await list;
  if (cluster === undefined || found.length > 0) return found;
  const known = await rows.clusters();
  if (known.includes(cluster)) return found;
  throw new InputError(unknownClusterText(cluster, known));
}
