import type { PlacementChange } from '../../workflows/history/what-if-placements/types.ts';
import { InputError } from '../adapters/errors.ts';

/**
 * Parses other clusters to choose from. `prices`: `<cluster>=<price>` each; of two for one cluster, the later. `option`: the name of
 * their option. @throws InputError.
 */
export function placementChange(
  without: readonly string[],
  prices: readonly string[],
  option: string,
): PlacementChange {
  return {
    without: [...new Set(without)],
    prices: Object.fromEntries(prices.map((text) => priceIn(text, option))),
  };
}

function priceIn(text: string, option: string): [cluster: string, price: number] {
  const { cluster = '', price = '' } =
    /^(?<cluster>[^=]+)=(?<price>\d{1,15}(?:\.\d{1,15})?)$/.exec(text)?.groups ?? {};
  if (cluster === '')
    throw new InputError(
      `${option}: "${text}" is not a cluster and its price per pod and hour, as in west=0.05`,
    );
  return [cluster, Number(price)];
}
