import { parseQuantity } from '../../../services/adapters/kubernetes/quantity.ts';

/** A quantity in units of a divisor, rounded up, as in the downward API. */
export function divideQuantity(quantity: string, divisor: string | undefined): string {
  const unit = divisor === undefined || divisor === '0' ? 1 : parseQuantity(divisor);
  // Digits beyond the sixth are rounding errors of the division.
  return String(Math.ceil(Number((parseQuantity(quantity) / unit).toFixed(6))));
}
