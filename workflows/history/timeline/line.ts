/** One line of a time line, and what belongs below it. */
export interface TimelineLine {
  time: string;
  /** What it is about: job, pod pi-x, decision 3, answer 3.1, request, gap. */
  about: string;
  words: string;
  below?: readonly string[];
}
