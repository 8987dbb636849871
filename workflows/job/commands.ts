import type { UnixMs } from '../ledger/instants.ts';
import type { JobStatus, LabelSelector } from '../kubernetes/objects.ts';
import type { Preconditions } from './definitions/preconditions.ts';
import type { Reason } from '../decision/reason.ts';

/** A pod to create. The name of the pod follows from its ordinal among all creations of the Job, counted from 0. */
export interface PodToCreate {
  ordinal: number;
  name: string;
  /** The completion index; absent for NonIndexed Jobs. */
  index?: number;
  /** The annotations of Jobs with a back-off limit per index (J-5.7). */
  annotations?: Record<string, string>;
}

/**
 * The highest number of pods that one command names where Kubernetes has no limit; it bounds the record of a
 * decision, and the facts that are observed before the outcome. The next decision names the remaining pods.
 */
export const MAX_PODS_IN_COMMAND = 5000;

export interface PodRef {
  uid: string;
  name: string;
}

interface CommandBase<K extends string> {
  kind: K;
  why: Reason;
}

/**
 * Creates the pods in batches of 1, 2, 4, 8 … (J-5.18), with an Event for each pod. `podGroup` is the gang that the
 * pods join (J-8.8).
 */
export type CreatePods = CommandBase<'CreatePods'> & {
  preconditions: Preconditions;
  finalizer: string;
  podGroup?: string;
  pods: PodToCreate[];
};

/**
 * Deletes pods, with an Event for each pod. `untrack` removes the finalizer first, so that the pods are not counted
 * (J-5.33). `excluded` excludes the pods from the count because the Job succeeds, whatever the result of the pods
 * (J-4.17). `preconditions` is absent for pods that are counted and released (J-12.5), because a change of the Job
 * does not affect these pods.
 */
export type DeletePods = CommandBase<'DeletePods'> & {
  preconditions?: Preconditions;
  untrack: boolean;
  excluded?: true;
  pods: PodRef[];
};

/**
 * Removes the tracking finalizer (J-4.11); with `unlessAdopted`, keeps the finalizer of a pod that now has another
 * controller.
 */
export type ReleasePods = CommandBase<'ReleasePods'> & { unlessAdopted?: true; pods: PodRef[] };

/** Sets the owner reference and the finalizer of Jobledger on pods without a controller (J-3.32). */
export type AdoptPods = CommandBase<'AdoptPods'> & { finalizer: string; pods: PodRef[] };

/**
 * Removes the owner reference and the finalizer of Jobledger from pods that no longer match the selector (J-3.33).
 */
export type DisownPods = CommandBase<'DisownPods'> & { pods: PodRef[] };

/**
 * Replaces the status fields that the Job controller owns. `from` is the last known status, at `resourceVersion`,
 * which is a version of `epoch`; `epoch` is absent before the first restore of the API server. `generation` is the
 * generation of the spec that the decision used. Conditions of other controllers keep their values on the server.
 * `counted` lists the pods that the counters of `to` include for the first time.
 */
export type WriteStatus = CommandBase<'WriteStatus'> & {
  resourceVersion: string;
  epoch?: number;
  generation: number;
  from: JobStatus;
  to: JobStatus;
  counted: { succeeded: string[]; failed: string[] };
};

/**
 * Creates Kubernetes Events on the Job, in order (J-7.2). Errors are ignored. `invalid` contains every invalid
 * request of the Job, reported now or earlier. `chain` contains every problem with the chain of the Job, reported now
 * or earlier.
 */
export type EmitEvents = CommandBase<'EmitEvents'> & {
  events: { type: 'Normal' | 'Warning'; reason: string; message: string }[];
  invalid?: string[];
  chain?: string[];
};

/**
 * Patches `spec.suspend` as a user requested; `request` is absent when the reason is that the Jobs for which this Job
 * waits have ended.
 */
export type SetSuspend = CommandBase<'SetSuspend'> & {
  preconditions: Preconditions;
  suspend: boolean;
  request?: string;
};

/** Refuses a user's request, and sends no request to the cluster. */
export type RefuseRequest = CommandBase<'RefuseRequest'> & { request: string };

/** Reads the Job when its pods were observed, but never the Job itself. */
export type LookUpJob = CommandBase<'LookUpJob'>;

/** Reads pods that were created and never observed. */
export type LookUpPods = CommandBase<'LookUpPods'> & { pods: PodRef[] };

/** The Workload of a new Job; the Workload has one template of a PodGroup (J-8.4). */
export interface WorkloadToCreate {
  name: string;
  podGroupTemplate: string;
  /** The number of pods that are scheduled together. */
  minCount: number;
}

/** The PodGroup of a Job in Kubernetes 1.37 (J-8.23, J-8.25). */
export interface GroupToEnsure {
  /**
   * The names of the objects; absent when the Workload belongs to the owner of the Job, because this Workload
   * determines the other names (J-8.22).
   */
  own?: { workload: string; podGroupTemplate: string; podGroup: string };
  /**
   * The size of the gang, which existing objects also get; absent when pods are scheduled one by one, or when the
   * owner determines the size.
   */
  minCount?: number;
  /**
   * True when missing objects are created, with an Event for each object. The value is false when the Job has
   * started, and then uses existing objects.
   */
  create: boolean;
}

/**
 * Finds the Workload and the PodGroup of the Job. In Kubernetes 1.36 (J-8.3, J-8.5), a missing Workload is created,
 * with an Event; without `workload`, the Job is not new, and has no Workload. In 1.37 there is a `group`.
 */
export type EnsureGang = CommandBase<'EnsureGang'> & { workload?: WorkloadToCreate; group?: GroupToEnsure };

/**
 * Deletes the Job, and its pods first, if the live Job has also expired. `expiredAt`: milliseconds since 1970
 * (J-10.3).
 */
export type DeleteJob = CommandBase<'DeleteJob'> & { expiredAt: UnixMs };

/**
 * Lists the pods of the namespace that match the selector and have no controller. With `own`, the list also contains
 * pods of the Job, and starts after this name.
 */
export type LookUpOrphans = CommandBase<'LookUpOrphans'> & {
  selector: LabelSelector;
  own?: { after: string };
};

/** The command of one kind. */
export type CommandOf<K extends Command['kind']> = Extract<Command, { kind: K }>;

export type Command =
  | CreatePods
  | DeletePods
  | ReleasePods
  | AdoptPods
  | DisownPods
  | WriteStatus
  | EmitEvents
  | SetSuspend
  | RefuseRequest
  | LookUpJob
  | LookUpPods
  | DeleteJob
  | LookUpOrphans
  | EnsureGang;
