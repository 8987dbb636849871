/**
 * A question that cannot be answered; `message` gives the user the reason. The history code returns this value and
 * does not throw errors.
 */
export interface Refused {
  /**
   * `invalid` stands for invalid input, `unknown` for a missing object, `broken` for a stream that is incomplete or
   * changed, and `newer` for a stream that needs a newer version.
   */
  refused: 'invalid' | 'unknown' | 'broken' | 'newer';
  message: string;
}

/** The answer that a question is refused. */
export function refusal(kind: Refused['refused'], message: string): Refused {
  return { refused: kind, message };
}

export function isRefused(answer: object): answer is Refused {
  return 'refused' in answer;
}
