/**
 * The same value with numbers in the place of big integers: what is beyond 2^53 stands exactly in the ledger, and nearly in
 * a state, where nothing depends on its last digit.
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
