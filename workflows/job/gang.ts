/**
 * The scheduling of the pods of a Job: by the PodGroup that they name, or without a PodGroup, and then with the
 * reason (J-8.3, J-8.23). The scheduling is decided once for each Job.
 */
export type Gang = PodGroupOfJob | { none: string };

export interface PodGroupOfJob {
  workload: string;
  podGroup: string;
  /** The field is absent for the API of Kubernetes 1.36. */
  api?: 'v1beta1';
  /**
   * The smallest number of pods that are scheduled together; absent when the pods are scheduled one by one, and in
   * Kubernetes 1.36.
   */
  minCount?: number;
  /** The generation of the Job with which the group was compared; absent in Kubernetes 1.36. */
  generation?: number;
}
