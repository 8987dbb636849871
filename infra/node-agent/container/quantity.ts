const FACTORS: Record<string, number> = {
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

/** The numeric value of a Kubernetes quantity such as `500m` or `1.5Gi`; NaN when the text is not a quantity. */
function parseQuantity(text: string): number {
  const parts = /^([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]*)$/.exec(text);
  return Number(parts?.[1] ?? NaN) * (FACTORS[parts?.[2] ?? ''] ?? NaN);
}

/** A quantity in units of a divisor, rounded up, as in the downward API. */
export function inUnitsOf(quantity: string, divisor: string | undefined): string {
  const unit = divisor === undefined || divisor === '0' ? 1 : parseQuantity(divisor);
  // Digits beyond the sixth are rounding errors of the division.
  return String(Math.ceil(Number((parseQuantity(quantity) / unit).toFixed(6))));
}
