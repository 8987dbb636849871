import type { ClusterConnected, ClusterGap, JobEvent } from '../../../workflows/job/events.ts';

/** An event in the stream of a Job. */
export type StreamEvent = Exclude<JobEvent, ClusterConnected | ClusterGap>;

export function isOfJob(event: JobEvent): event is StreamEvent {
  return 'jobUid' in event.data;
}

/** Namespace and name of an event's Job. */
export function jobNameOf(event: JobEvent): { namespace: string; name: string } {
  const slash = event.subject.indexOf('/');
  return { namespace: event.subject.slice(0, Math.max(slash, 0)), name: event.subject.slice(slash + 1) };
}
