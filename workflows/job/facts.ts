import type { JobSpec, JobStatus, LabelSelector } from '../kubernetes/objects.ts';

/** What `decide` reads of a Job: everything but the template, which never passes through Temporal. */
export interface JobFacts {
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  deleting: boolean;
  spec: Omit<JobSpec, 'selector'> & { selector: LabelSelector };
  /** `template.spec.restartPolicy`. */
  restartPolicy: string;
  status: JobStatus;
}

/** What `decide` reads of a pod. Instants are milliseconds since the epoch; what is absent has its usual value. */
export interface PodFacts {
  uid: string;
  name: string;
  resourceVersion: string;
  phase: string;
  createdAt: number;
  /** Version of the list that found it so: it is as new as that list. Absent: the watch told it. */
  listedAt?: string;
  /** Carries one of the tracking finalizers (J-0.4, J-4.34). */
  tracked?: true;
  /** One of them is our own, and not only the reserved one. */
  trackedByUs?: true;
  /** UID of the controller; absent when it has none. */
  controller?: string;
  labels?: Record<string, string>;
  /** Recorded for a Job that is not its controller, though it has one. */
  elsewhere?: true;
  /** Has a deletionTimestamp. */
  deleting?: true;
  scheduled?: true;
  ready?: true;
  /** Since when Ready is True. */
  readySince?: number;
  /** By J-5.41; present once the pod is terminal or being deleted. */
  finishedAt?: number;
  /** Restarts of all containers together (J-6.4); of the one, and of the sidecar, that restarted most (J-5.31). */
  restarts?: number;
  maxRestarts?: number;
  maxSidecarRestarts?: number;
  /** Annotations of Indexed and per-index Jobs (J-0.4, J-5.8). */
  index?: number;
  failureCount?: number;
  ignoredFailureCount?: number;
  /** What a failure policy looks at (J-6.10): containers with a non-zero exit code, in order, … */
  exits?: { container: string; code: number }[];
  /** … and the conditions; of a pod that has not failed, only those that not every pod has. */
  conditions?: { type: string; status: string }[];
}

/** A fact as a signal carries it: `digest` is that of the whole record in the ledger. */
export type Fact = { id: string; digest: string } & (
  | { type: 'job.observed'; job: JobFacts }
  | { type: 'job.deleted'; resourceVersion: string }
  | { type: 'pod.observed'; pod: PodFacts }
  | { type: 'pod.deleted'; uid: string; name: string; resourceVersion: string }
  | { type: 'command.received'; command: 'suspend' | 'resume'; by: string }
);
