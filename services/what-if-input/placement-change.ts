import type { PlacementChange } from '../../workflows/history/what-if-placements/types.ts';
import type { SpreadBy } from '../../workflows/placement/facts.ts';
import { InputError } from '../adapters/errors.ts';

/** The values that the shares of a spread Job may follow. */
export const SPREADS = ['room', 'even', 'price'] as const satisfies readonly SpreadBy[];

/** Another choice of clusters in the form that a person writes. */
export interface WrittenChange {
  without: readonly string[];
  /** The prices, each as `<cluster>=<price>`; for a repeated cluster, the last price applies. */
  prices: readonly string[];
  spread?: SpreadBy | undefined;
}

/** Parses other clusters to choose from. `option` is the name of the option for the prices. @throws InputError. */
export function placementChange({ without, prices, spread }: WrittenChange, option: string): PlacementChange {
  return {
    without: [...new Set(without)],
    prices: Object.fromEntries(prices.map((text) => priceIn(text, option))),
    ...(spread !== undefined && { spread }),
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
