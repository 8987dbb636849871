/** An instant as the Kubernetes API stores it: RFC 3339, cut to the second. */
export function toInstant(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** Milliseconds of an instant of the API, or of `otherwise` when it has none. */
export function fromInstant(instant: string | undefined, otherwise: number): number {
  const ms = Date.parse(instant ?? '');
  return Number.isNaN(ms) ? otherwise : ms;
}
