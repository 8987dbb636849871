/** The UIDs of API servers are at most this long. Anybody can write any text where a UID is expected. */
export function isUid(text: string): boolean {
  return /^[\w.:-]{1,64}$/.test(text);
}
