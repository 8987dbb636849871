import { currentPrices } from '../../../services/read-model/queries/prices.ts';
import type { PriceView } from '../../../services/read-model/views/prices.ts';
import type { StateDirOption } from '../../options.ts';
import type { OutputOption } from '../../output.ts';
import { withDatabase } from '../../with-database.ts';
import { printPrices } from './list.ts';

/** Prints the prices in the tables. */
export async function printPricesOfServers(options: StateDirOption & OutputOption): Promise<void> {
  const rows = await withDatabase(options, (run) => run<PriceView>(currentPrices()));
  printPrices(rows, options);
}
