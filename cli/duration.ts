const UNITS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

const DURATION = /^(?:\d{1,6}(?:\.\d{1,3})?[smhd]){1,4}$/;

/**
 * A duration such as `90s`, `10m`, `1h30m`, `1.5h` or `7d` in milliseconds; a whole number without a unit counts seconds. Returns
 * null for other texts.
 */
export function durationIn(text: string): number | null {
  if (/^\d{1,6}$/.test(text)) return Number(text) * UNITS.s;
  if (!DURATION.test(text)) return null;
  const parts = text.split(/(?<=[smhd])/);
  return parts.reduce((sum, part) => {
    const unit = UNITS[part.slice(-1) as keyof typeof UNITS];
    return sum + Math.round(Number(part.slice(0, -1)) * unit);
  }, 0);
}
