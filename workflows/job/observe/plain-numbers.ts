/**
 * The same value with every bigint converted to a number. The ledger has integers beyond 2^53 exactly; the state has them
 * rounded, because no decision depends on the last digit.
 */
export function plainNumbers<T>(value: T): T {
  return plain(value) as T;
}

function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)]));
}
