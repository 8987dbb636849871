import { createAppender } from '../../../services/adapters/kafka/append.ts';
import { applyPrices, planPrices } from '../../../services/requests/prices/apply-prices.ts';
import { shownChanges } from '../../../services/requests/prices/compare.ts';
import type { GivenPriceList } from '../../../services/requests/prices/price-list.ts';
import { openLedger } from '../../ledger/read-ledger.ts';
import { thisUser } from '../../this-user.ts';
import { withDatabase } from '../../with-database.ts';
import { printApplied, type ApplyOptions } from './print-applied.ts';

/** Applies a price list: compares it with the tables, and appends it to the ledger. @throws InputError. */
export async function applyOnServers(list: GivenPriceList, options: ApplyOptions): Promise<void> {
  const by = thisUser(options.by);
  const planned = await withDatabase(options, (run) =>
    planPrices(run, list, { isCorrection: options.correction }),
  );
  const isApplied = !options.dryRun && planned.changes.length > 0;
  if (isApplied) {
    const appender = await createAppender(await openLedger(options));
    try {
      await applyPrices(appender, planned, by);
    } finally {
      await appender.close();
    }
  }
  const { changes, isCorrection: correction } = planned;
  printApplied({ by, applied: isApplied, correction, changes: shownChanges(changes) }, options);
}
