/** The pods of a Job, as counts. Absent keys mean none. */
export interface PodSummary {
  /** Number of pods that run. */
  running: number;
  /** Number of failed pods by cause, such as `137 OOMKilled`. */
  failed: Readonly<Record<string, number>>;
  /** Number of pods that exist and do not run, by what they wait for; the empty text when nothing is known. */
  waiting: Readonly<Record<string, number>>;
}

export const NO_PODS: PodSummary = { running: 0, failed: {}, waiting: {} };
