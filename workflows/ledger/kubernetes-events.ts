import type { RecordedEvent } from './recorded-event.ts';

/** An object that a Kubernetes Event names. */
export interface ObjectInEvent {
  kind: string;
  name: string;
  /** Absent when the Event names none. */
  namespace?: string;
  uid?: string;
}

/**
 * The recorded parts of a Kubernetes Event (`Event` of events.k8s.io/v1) of another program about a Job or one of its pods.
 * An Event with the same text, apart from numbers and names, is not recorded again. Any user of the namespace may create
 * such an Event.
 */
export interface ObservedKubernetesEvent {
  /** The Job or the pod that the Event is about. */
  regarding: { kind: 'Job' | 'Pod'; uid: string; name: string };
  reason: string;
  type: 'Normal' | 'Warning';
  /** The program that reported the Event. */
  reportedBy: string;
  /** A further object, such as the pod for which another pod was preempted. */
  related?: ObjectInEvent;
  /** The text; of reasons whose text may quote a program, only known phrases. Empty without one. */
  note: string;
  /** The number of repetitions of the Event until then. */
  count: number;
  /** The times of the first and the latest repetition until then, in RFC 3339, by the clock of the program. */
  firstAt: string;
  lastAt: string;
  /** True for the last Event of the Job, or of the Job with this reason, that is recorded: further Events are only counted. */
  isLast?: true;
  /** The UID and the version of the Event. */
  eventUid: string;
  resourceVersion: string;
}

/** Why an Event about a Job or pod is not recorded. */
export type DropCause =
  /** The Job has as many recorded Events, in all or of the reason, as it may have. */
  | 'job-budget'
  /** The namespace has too many new Events at once. */
  | 'namespace-rate'
  /** Too many Events wait for objects that are not known yet. */
  | 'too-many-waiting'
  /** No Job or pod with the UID of the Event became known in time. */
  | 'unknown-object'
  /** The Event, or the object that it names, has no usable form. */
  | 'unreadable';

/** The number of Events of a namespace that are not recorded. */
export interface DroppedCount {
  namespace: string;
  cause: DropCause;
  count: number;
}

/**
 * Kubernetes Events that came between `since` and `until` (RFC 3339) and are not recorded. The largest counts come
 * first; `further` is the sum of the counts that are left out. `gap` is the reason why the watch of the Events had to start
 * over: the number of Events that came and went in the period is not known. `namespace` is the only namespace of the gap
 * when only given namespaces are watched.
 */
export type KubernetesEventsDropped = RecordedEvent<
  'kubernetes-events.dropped',
  {
    cluster: string;
    since: string;
    until: string;
    dropped: DroppedCount[];
    further?: number;
    gap?: { reason: string; namespace?: string };
  }
>;
