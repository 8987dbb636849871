/**
 * How the pods of a Job are scheduled: as a gang, by the PodGroup that they name, or one by one, and why (J-8.3). Decided
 * once for each Job.
 */
export type Gang = { workload: string; podGroup: string } | { none: string };
