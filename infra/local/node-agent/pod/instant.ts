/** Milliseconds since 1970 in the format of the Kubernetes API: RFC 3339, truncated to the second. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Parses an instant of the API to milliseconds since 1970; returns `otherwise` when it is absent or invalid. */
export function fromInstant(instant: string | undefined, otherwise: number): number {
  const ms = Date.parse(instant ?? '');
  return Number.isNaN(ms) ? otherwise : ms;
}
