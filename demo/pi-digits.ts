/** Extra digits, which absorb the truncation errors of the divisions. */
const GUARD = 20;

/**
 * The first `count` digits of π as "3.14…", truncated, not rounded. Uses Machin's formula, π/4 = 4·arctan(1/5) −
 * arctan(1/239), and not the algorithm of examples/pi.yaml, so that each program checks the other.
 */
export function piDigits(count: number): string {
  const one = 10n ** BigInt(count - 1 + GUARD);
  const pi = 4n * (4n * arctanOfInverse(5n, one) - arctanOfInverse(239n, one));
  const digits = pi.toString().slice(0, count);
  return `${digits.slice(0, 1)}.${digits.slice(1)}`;
}

/** arctan(1/x) in units of 1/one, by its Taylor series. */
function arctanOfInverse(x: bigint, one: bigint): bigint {
  let sum = 0n;
  let sign = 1n;
  let power = one / x;
  for (let divisor = 1n; power > 0n; divisor += 2n) {
    sum += (sign * power) / divisor;
    sign = -sign;
    power /= x * x;
  }
  return sum;
}
