import { ANY } from '../../../services/adapters/places.ts';
import type { AppliedPrices } from '../../../services/api/schemas/prices.ts';
import { write, type OutputOption } from '../../output.ts';
import { table } from '../../print/table.ts';
import { nodesText } from './nodes-text.ts';
import { writeJson } from '../../write-json.ts';
import type { ConnectionOptions } from '../../server/connection-options.ts';

/** The options of `prices apply`. */
export interface ApplyOptions extends ConnectionOptions, OutputOption {
  readonly by?: string;
  readonly dryRun: boolean;
  readonly correction: boolean;
}

type Change = AppliedPrices['changes'][number];

/** Prints the result of `prices apply`: the differences from the present list, and whether the list was recorded. */
export function printApplied(
  result: AppliedPrices,
  { output, dryRun }: Pick<ApplyOptions, 'output' | 'dryRun'>,
): void {
  if (output === 'json') return writeJson(result);
  const { applied, by, changes, correction } = result;
  if (changes.length === 0) return write('the present list has the same prices, so nothing was recorded');
  write(
    table(
      ['CHANGE', 'RESOURCE', 'CLUSTER', 'NODES', 'FROM', 'PRESENT', 'NEW'],
      changes.map(
        ({ change, resource, cluster, node_class, capacity_type, valid_from: from, before, after }) => [
          change,
          resource,
          cluster === ANY ? 'every' : cluster,
          nodesText({ node_class, capacity_type }),
          from,
          priceText(before),
          priceText(after),
        ],
      ),
    ),
  );
  if (applied) write(`recorded by ${by}${correction ? ' as a correction of the past' : ''}`);
  else if (dryRun) write('nothing was recorded (--dry-run)');
}

/** The price with the end of its period; empty without a price. */
function priceText(price: Change['before']): string {
  if (price === null) return '';
  const { per_hour: perHour, currency, valid_until: until } = price;
  return `${perHour} ${currency}${until === null ? '' : ` until ${until}`}`;
}
