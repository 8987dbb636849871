import type { JobStatus, LabelSelector } from '../kubernetes/objects.ts';
import type { Reason } from './reason.ts';

/** A pod to create: its ordinal among all creations of the Job, from 0, gives its name. */
export interface PodToCreate {
  ordinal: number;
  name: string;
  /** Completion index; absent for NonIndexed Jobs. */
  index?: number;
  /** Annotations of per-index Jobs (J-5.7). */
  annotations?: Record<string, string>;
}

export interface PodRef {
  uid: string;
  name: string;
}

interface CommandBase<K extends string> {
  kind: K;
  why: Reason;
}

/** Creates the pods in batches of 1, 2, 4, 8 … (J-5.18), with an Event each. */
export type CreatePods = CommandBase<'CreatePods'> & { finalizer: string; pods: PodToCreate[] };

/**
 * Deletes pods, with an Event each; `untrack` removes the finalizer before, so that they are not counted (J-5.33).
 * `letGo`: the Job succeeds, so that they count for nothing, however they end (J-4.17).
 */
export type DeletePods = CommandBase<'DeletePods'> & { untrack: boolean; letGo?: true; pods: PodRef[] };

/** Removes the tracking finalizer (J-4.11); `unlessAdopted`: not from a pod that another controller has by now. */
export type ReleasePods = CommandBase<'ReleasePods'> & { unlessAdopted?: true; pods: PodRef[] };

/** Makes pods without a controller ours (J-3.32). */
export type AdoptPods = CommandBase<'AdoptPods'> & { finalizer: string; pods: PodRef[] };

/** Takes our owner reference and finalizer from pods that no longer match (J-3.33). */
export type DisownPods = CommandBase<'DisownPods'> & { pods: PodRef[] };

/**
 * Replaces the fields of the status that we own. `from` is how we know them to stand on the server, in version
 * `resourceVersion`; foreign conditions are kept as the server has them. `counted` are the pods that the counters of
 * `to` contain for the first time.
 */
export type WriteStatus = CommandBase<'WriteStatus'> & {
  resourceVersion: string;
  from: JobStatus;
  to: JobStatus;
  counted: { succeeded: string[]; failed: string[] };
};

/** Kubernetes Events on the Job, in order (J-7.2). Best effort: a failure fails nothing. */
export type EmitEvents = CommandBase<'EmitEvents'> & {
  events: { type: 'Normal' | 'Warning'; reason: string; message: string }[];
};

/** A person's suspend or resume: PATCH of `spec.suspend`. */
export type SetSuspend = CommandBase<'SetSuspend'> & { suspend: boolean; request: string };

/** A person's wish that cannot be fulfilled; nothing is sent to the cluster. */
export type RefuseRequest = CommandBase<'RefuseRequest'> & { request: string };

/** Reads the Job: we follow pods of it, but never saw it. */
export type LookUpJob = CommandBase<'LookUpJob'>;

/** Reads pods that were created and then never observed. */
export type LookUpPods = CommandBase<'LookUpPods'> & { pods: PodRef[] };

/** Deletes the Job and, before it, its pods, if the live copy has expired as well; it had so at this instant (J-10.3). */
export type DeleteJob = CommandBase<'DeleteJob'> & { expiredAt: number };

/** Reads pods of the Job's namespace that match and have no controller. */
export type LookUpOrphans = CommandBase<'LookUpOrphans'> & { selector: LabelSelector };

/** A command of a kind. */
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
  | LookUpOrphans;
