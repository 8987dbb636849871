/** A rule of the Job semantics, and what it means here, in words. */
export interface Reason {
  rule: string;
  words: string;
}
