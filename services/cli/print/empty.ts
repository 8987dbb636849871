/** Whether a value says nothing: absent, zero, false, '', or made of such values alone. */
export function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isEmpty);
  return value === undefined || value === null || value === 0 || value === '' || value === false;
}
