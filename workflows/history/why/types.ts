/** What is asked of a Job's stream: about the Job, about one of its pods (name or uid), or about one decision. */
export type Question =
  { about: 'job' } | { about: 'pod'; pod: string } | { about: 'decision'; number: number };

/** The answer: plain JSON, every instant RFC 3339 in UTC. */
export interface Why {
  /** `<cluster>/<namespace>/<name>` of the Job. */
  job: string;
  /** What was asked about, in words: `Job pi`, `pod pi-x7k2q`, `decision 4`. */
  about: string;
  answers: WhyAnswer[];
  /** What answers and waits rest on, each once, from the latest to the roots. */
  causes: Cause[];
  /** What was not done, or not seen, and why; in the order in which it began. */
  waits: Wait[];
}

export interface WhyAnswer {
  /** `why it was created`, `how it ended`, … */
  question: string;
  words: string;
  /** Ids of causes. */
  because: string[];
}

/** A fact, a command of a decision, an outcome, or a reason to wait. */
export interface Cause {
  /** The id of an event; of a command `<decision>#<number from 0>`, of a reason to wait `<decision>#waiting`. */
  id: string;
  at: string;
  /** `job`, `pod pi-x7k2q`, `decision 3`, `answer 3.1`, `request`, `gap`. */
  about: string;
  words: string;
  /** The rule that a command or a reason to wait comes from; null of facts and outcomes. */
  rule: string | null;
  /** Ids of causes; empty for a root. */
  because: string[];
}

/** A time in which something was not done, or nothing seen. */
export interface Wait {
  since: string;
  /** Null: to the end of what is recorded. */
  until: string | null;
  words: string;
  rule: string | null;
  because: string[];
}

/** What one question has for an answer, before the causes are followed. */
export interface PartialAnswer {
  about: string;
  answers: WhyAnswer[];
  /** Of all waits of the Job, those that concern it. */
  concerns: (wait: Wait) => boolean;
}
