/** The suffixes of quantities: decimal, and binary. */
const FACTORS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};

/** A quantity of the API, such as 500m, 2Gi or 1e3, as a number; NaN when the text is not a quantity. */
export function parseQuantity(text: string): number {
  const parts = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(text);
  return Number(parts?.[1] ?? NaN) * (FACTORS[parts?.[2] ?? ''] ?? NaN);
}

/** A quantity of the API as a number; a quantity that cannot be read counts as 0. */
export function toAmount(quantity: string): number {
  const amount = parseQuantity(quantity);
  return Number.isNaN(amount) ? 0 : amount;
}
