const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/**
 * A duration such as `90s`, `10m`, `2h` or `7d` in milliseconds; a number alone is of seconds. Returns null for other
 * texts.
 */
export function durationIn(text: string): number | null {
  const [, count, unit = 's'] = /^(\d{1,6})([smhd])?$/.exec(text) ?? [];
  return count === undefined ? null : Number(count) * UNITS[unit as keyof typeof UNITS];
}
