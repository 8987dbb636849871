/**
 * True when a text is not longer than the UIDs of API servers. Users can write any text as a UID, for example in an
 * owner reference.
 */
export function isUid(text: string): boolean {
  return /^[\w.:-]{1,64}$/.test(text);
}
