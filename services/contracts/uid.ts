/** An API server gives no longer UIDs. Anybody can write any text where a UID is expected. */
export function isUid(text: string): boolean {
  return /^[\w.:-]{1,64}$/.test(text);
}
