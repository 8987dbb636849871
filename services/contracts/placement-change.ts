import type { PlacementChange } from '../../workflows/history/what-if-placements/types.ts';
import { InputError } from '../adapters/errors.ts';

/** How the two options are written, for messages. */
interface Options {
  without: string;
  price: string;
}

/** Parses other clusters to choose from. `prices`: `<cluster>=<price>` each. @throws InputError. */
export function placementChange(
  without: readonly string[],
  prices: readonly string[],
  options: Options,
): PlacementChange {
  if (without.length + prices.length === 0)
    throw new InputError(
      `give a change: ${options.without} with a cluster, or ${options.price} as in west=0.05`,
    );
  const parsed = prices.map((text) => priceIn(text, options.price));
  const twice = parsed.find(([cluster], at) => parsed.findIndex(([other]) => other === cluster) !== at);
  if (twice !== undefined) throw new InputError(`${options.price}: "${twice[0]}" is given twice`);
  return { without: [...new Set(without)], prices: Object.fromEntries(parsed) };
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
