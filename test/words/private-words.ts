/** A word that only this project used, and the common word that replaces it. */
export interface PrivateWord {
  word: RegExp;
  instead: string;
}

/** Matched in identifiers, comments, messages and docs, also as part of an identifier: `rollCall`, `createSheaf`. */
export const PRIVATE_WORDS: readonly PrivateWord[] = [
  { word: /surroundings/i, instead: 'context' },
  { word: /shea(f|ves)/i, instead: 'spool' },
  { word: /roll[ -]?call/i, instead: 'ensure workflows' },
  { word: /patien(ce|tly)/i, instead: 'retry policy' },
  { word: /\bportions?\b/i, instead: 'batch' },
  { word: /\bstretch(es)?\b/i, instead: 'offset range' },
  { word: /\bwhoever\b/i, instead: 'who it is: a process, a user, a reader' },
  { word: /\b(course|world)Of\b|\bare no course\b/i, instead: 'counterfactual run' },
  { word: /\bof what there\b|\bwhat there (is|are) of\b/i, instead: 'a plain sentence' },
  { word: /\w+Needs\b/, instead: '…Dependencies' },
  { word: /\boccasions?\b/i, instead: 'event key' },
  { word: /\bowe[sd]? (a|its|their|nothing|the)\b/i, instead: 'awaits its count' },
];
