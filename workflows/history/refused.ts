/** A question that has no answer, and why: in words for whoever asked. The core throws nothing. */
export interface Refused {
  /** `invalid`: it cannot be asked so; `unknown`: of what is not there; `broken`: the stream is not whole; `newer`: only a newer version can. */
  refused: 'invalid' | 'unknown' | 'broken' | 'newer';
  words: string;
}

export function refused(kind: Refused['refused'], words: string): Refused {
  return { refused: kind, words };
}

export function isRefused(answer: object): answer is Refused {
  return 'refused' in answer;
}
