import { withDigest } from '../../services/adapters/events/event-codec.ts';
import type { Price, PricesApplied } from '../../workflows/ledger/prices.ts';
import { after } from './builders.ts';

/** A price list that ann applied so many seconds after the start of the story. */
export function pricesApplied(at: number, prices: Price[], currency = 'EUR'): PricesApplied {
  return withDigest<PricesApplied>({
    id: `prices/${at}`,
    type: 'prices.applied',
    source: 'jobledger/requests',
    subject: '*',
    time: after(at),
    data: { cluster: '*', by: 'ann', currency, prices },
  });
}
