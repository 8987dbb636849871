/** True when a value is absent, zero, false, '', or consists only of such values. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === 0 || value === '' || value === false;
}
