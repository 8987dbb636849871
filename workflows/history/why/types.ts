/** A question about the Job, one of its pods (name or UID), one completion index, or one decision (number). */
export type Question =
  | { about: 'job' }
  | { about: 'pod'; pod: string }
  | { about: 'index'; index: number }
  | { about: 'decision'; number: number };

/** The answer. The explanation is plain JSON; instants are in RFC 3339 and UTC. */
export interface Why {
  /** The object, as `<cluster>/<namespace>/<name>`. */
  job: string;
  /** The subject as text: `Job pi`, `pod pi-x7k2q`, `index 3`, `decision 4`. */
  about: string;
  answers: WhyAnswer[];
  /** The causes of answers and waits, each cause once, from the latest cause to the roots. */
  causes: Cause[];
  /** The periods in which something was not done or not observed, with their reasons, ordered by their start. */
  waits: Wait[];
}

export interface WhyAnswer {
  /** `why it was created`, `how it ended`, … */
  question: string;
  message: string;
  /** Ids of causes. */
  because: string[];
}

/** A fact, a command of a decision, an outcome, or a reason to wait. */
export interface Cause {
  /** An event id, `<decision>#<number from 0>` for a command, or `<decision>#waiting` for a reason to wait. */
  id: string;
  /**
   * The instant of the change where it is known, for example of the end of a pod; otherwise the time of the record.
   */
  at: string;
  /** `job`, `pod pi-x7k2q`, `decision 3`, `answer 3.1`, `request`, `gap`. */
  about: string;
  message: string;
  /** The rule of a command or a reason to wait; null for facts and outcomes. */
  rule: string | null;
  /** The ids of the causes; empty for a root. */
  because: string[];
}

/** A period in which something was not done or not observed. */
export interface Wait {
  since: string;
  /** The value is null when the wait lasts until the last recorded event. */
  until: string | null;
  message: string;
  rule: string | null;
  because: string[];
}

/** The answer to a question before its causes are followed. */
export interface PartialAnswer {
  about: string;
  answers: WhyAnswer[];
  /** Selects the waits of the Job that belong to the answer. */
  concerns: (wait: Wait) => boolean;
}
