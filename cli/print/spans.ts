const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
];

/** Formats a duration with its two largest units: 3d4h, 2m10s, 45s. */
export function span(fromMs: number, toMs: number): string {
  const seconds = Math.max(0, Math.floor((toMs - fromMs) / 1000));
  const first = UNITS.findIndex(([, size]) => seconds >= size);
  if (first === -1) return '0s';
  let rest = seconds;
  const parts = UNITS.slice(first, first + 2).map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('');
}

/** The duration between two timestamps; null when one of them is unknown. */
export function spanBetween(from: string | null, to: string | null): string | null {
  return from === null || to === null ? null : span(Date.parse(from), Date.parse(to));
}
