import type { ApiCalls } from '../../../services/adapters/http/api-calls.ts';
import { appliedPricesSchema } from '../../../services/api/schemas/prices.ts';
import type { GivenPriceList } from '../../../services/requests/prices/price-list.ts';
import { printApplied, type ApplyOptions } from './print-applied.ts';

/** Applies a price list through the API. @throws InputError if the API refuses the list. */
export async function applyOverApi(
  api: ApiCalls,
  list: GivenPriceList,
  options: ApplyOptions,
): Promise<void> {
  const { by, dryRun, correction } = options;
  const query = { by, dry_run: String(dryRun), correction: String(correction) };
  printApplied(await api.post('/v1/prices', query, list, appliedPricesSchema), options);
}
