/** `{ a: 1 }` → `--a=1`. */
export function asFlags(flags: Readonly<Record<string, string | number | boolean>>): string[] {
  return Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
}
