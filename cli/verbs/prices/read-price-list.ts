import { readFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { parse } from 'yaml';
import { InputError, errorMessage } from '../../../services/adapters/errors.ts';
import { priceListIn, type GivenPriceList } from '../../../services/requests/prices/price-list.ts';

/** Reads a price list from a file, or from the standard input (`-`). @throws InputError with every problem. */
export async function readPriceList(file: string): Promise<GivenPriceList> {
  let value: unknown;
  try {
    value = parse(file === '-' ? await readAll(process.stdin) : readFileSync(file, 'utf8'), {
      logLevel: 'error',
    });
  } catch (error) {
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
  try {
    return priceListIn(value);
  } catch (error) {
    throw error instanceof InputError ? new InputError(`${file}: ${error.message}`) : error;
  }
}
