/**
 * The same value with every bigint converted to a number. A record of the ledger contains an integer beyond 2^53 as a
 * bigint, which is exact; the number is rounded. A value without a bigint, which is the usual case, is not copied.
 */
export function plainNumbers<T>(value: T): T {
  return holdsBigint(value) ? (withPlainNumbers(value) as T) : value;
}

/** True when a value contains a bigint. */
function holdsBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  for (const key in value) if (holdsBigint((value as Record<string, unknown>)[key])) return true;
  return false;
}

/** A copy of a value in which every bigint is a number. */
function withPlainNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withPlainNumbers(part)]));
}
