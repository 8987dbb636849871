/**
 * The scheduling of the pods of a Job: by the PodGroup that they name, or without one, with the reason (J-8.3,
 * J-8.23). Decided once for each Job.
 */
export type Gang = PodGroupOfJob | { none: string };

export interface PodGroupOfJob {
  workload: string;
  podGroup: string;
  /** Absent for the API of Kubernetes 1.36. */
  api?: 'v1beta1';
  /**
   * The least number of pods that are scheduled together; absent when they are scheduled one by one, and in
   * Kubernetes 1.36.
   */
  minCount?: number;
  /** The generation of the Job that the group was compared with; absent in Kubernetes 1.36. */
  generation?: number;
}
