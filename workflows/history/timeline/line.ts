/** A line of the timeline, with lines below it. */
export interface TimelineLine {
  time: string;
  /** The subject of the line: job, cronjob, pod pi-x, decision 3, answer 3.1, request, gap. */
  about: string;
  message: string;
  below?: readonly string[];
}
