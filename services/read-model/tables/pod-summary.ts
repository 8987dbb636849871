/** The numbers of the pods of a Job. An absent key means zero. */
export interface PodSummary {
  /** The number of pods that run. */
  running: number;
  /** The number of failed pods by cause, such as `137 OOMKilled`. */
  failed: Readonly<Record<string, number>>;
  /**
   * The number of existing pods that do not run, by their reason to wait; the empty text when the reason is unknown.
   */
  waiting: Readonly<Record<string, number>>;
}

export const NO_PODS: PodSummary = { running: 0, failed: {}, waiting: {} };
