import { z } from 'zod';
import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { ANY } from '../../../services/adapters/places.ts';
import { priceSchema } from '../../../services/api/schemas/prices.ts';
import type { PriceView } from '../../../services/read-model/views/prices.ts';
import { write, type OutputOption } from '../../output.ts';
import { table } from '../../print/table.ts';
import { nodesText } from './nodes-text.ts';
import { writeJson } from '../../write-json.ts';

const pricesResponse = z.object({ items: z.array(priceSchema) });

/** Prints the prices that the caller may see. */
export async function printPricesOfApi(api: ApiCalls, output: OutputOption): Promise<void> {
  const { items } = await api.get('/v1/prices', {}, pricesResponse);
  printPrices(items, output);
}

/** Prints prices with the person who applied them. */
export function printPrices(rows: readonly PriceView[], { output }: OutputOption): void {
  if (output === 'json') return writeJson(rows);
  const [first] = rows;
  if (first === undefined) return write('no prices; "jobledger prices apply FILE" records a price list');
  write(priceTable(rows));
  write(`applied by ${first.applied_by} at ${first.applied_at}`);
}

/** The prices as a table. */
function priceTable(rows: readonly PriceView[]): string {
  return table(
    ['RESOURCE', 'CLUSTER', 'NODES', 'PER HOUR', 'FROM', 'UNTIL'],
    rows.map((row) => [
      row.resource,
      row.cluster === ANY ? 'every' : row.cluster,
      nodesText(row),
      `${row.per_hour} ${row.currency}`,
      row.valid_from,
      row.valid_until ?? '',
    ]),
  );
}
