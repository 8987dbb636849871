import { compact } from '../../job/observe/compact.ts';
import type { JobDecided, JobEvent, JobSubmitted, AwaitedJob, JobDetached } from '../../job/events.ts';
import type { JobFacts } from '../../batch/facts.ts';
import type { PodFacts } from '../../job/facts.ts';
import { outcomeText } from './outcome-text.ts';
import { commandLine } from './command-text.ts';
import { createDecisionLines, type DecisionLines, type Line } from './decision-lines.ts';
import { jobText } from './job-text.ts';
import { podText } from './pod-text.ts';
import { apiRequestLine } from './api-request-line.ts';
import { kubernetesEventLine } from './kubernetes-event-line.ts';
import { requestLine } from './request-line.ts';
import { createIsOlder, OLDER, deletedText, type IsOlder } from './observations.ts';
import { fewText } from './few.ts';

/** The latest observations, which are compared with the next observations. */
interface Memory {
  job: JobFacts | null;
  pods: Map<string, PodFacts>;
  isOlder: IsOlder;
  lines: DecisionLines<JobDecided>;
}

/** Describes the events of one Job in ledger order, each by its changes. */
export function createJobNarrator(superseded: ReadonlySet<string>): (event: JobEvent) => Line[] {
  const lines = createDecisionLines<JobDecided>(superseded, commandLine);
  const memory: Memory = { job: null, pods: new Map(), isOlder: createIsOlder(), lines };
  return (event) => narrate(memory, event);
}

/** The lines about one event, compared with the latest observations in `memory`. */
function narrate(memory: Memory, event: JobEvent): Line[] {
  const fact = compact(event);
  switch (event.type) {
    case 'job.observed': {
      if (fact?.type !== 'job.observed') return [];
      if (memory.isOlder(event, fact.job, memory.job)) return [{ about: 'job', message: OLDER }];
      const message = jobText(memory.job, fact.job);
      memory.job = fact.job;
      return [{ about: 'job', message }];
    }
    case 'job.deleted':
      return [{ about: 'job', message: deletedText(event.data.seen) }];
    case 'pod.observed': {
      if (fact?.type !== 'pod.observed') return [];
      const before = memory.pods.get(fact.pod.uid) ?? null;
      if (memory.isOlder(event, fact.pod, before)) return [{ about: `pod ${fact.pod.name}`, message: OLDER }];
      const message = podText(before, fact.pod, event.data.object);
      memory.pods.set(fact.pod.uid, fact.pod);
      return [{ about: `pod ${fact.pod.name}`, message }];
    }
    case 'pod.deleted':
      return [{ about: `pod ${event.data.podName}`, message: deletedText(event.data.seen) }];
    case 'request.received':
      return [requestLine(event.data)];
    case 'job.submitted':
      return [{ about: 'request', message: submissionText(event.data) }];
    case 'api-request.audited':
      // A pod may name any Job as its owner.
      return isElsewhere(memory.job, event) ? [] : [apiRequestLine(event.data)];
    case 'kubernetes-event.observed':
      return [kubernetesEventLine(event.data)];
    case 'job.detached':
      return [{ about: 'detach', message: detachmentText(event.data) }];
    case 'awaited-job.observed':
      return [{ about: `job ${event.data.awaited.name}`, message: awaitedText(event.data.awaited) }];
    case 'job.decided':
      return [memory.lines.decision(event)];
    case 'outcome.recorded':
      return [memory.lines.outcome(event, outcomeText(event.data.outcome))];
    case 'job.folded':
    case 'job.snapshotted':
    case 'submission.received':
    case 'cluster.connected':
    case 'cluster.gap':
    case 'kubernetes-events.dropped':
    case 'cluster.restored':
    case 'cluster.detached':
    case 'prices.applied':
    case 'node.observed':
    case 'node.deleted':
      return [];
  }
}

/** True when an event is about a Job in another namespace. */
function isElsewhere(job: JobFacts | null, { subject }: JobEvent): boolean {
  return job !== null && !subject.startsWith(`${job.namespace}/`);
}

/** A submission as text. */
function submissionText(submission: JobSubmitted['data']): string {
  const retried = retriedJob(submission);
  return `submitted by ${submission.by}${retried === null ? '' : ` to retry ${retried}`}`;
}

/** The name and the UID of the Job whose work is done again; null when the submission is not a retry. */
export function retriedJob({ retryOf, retryOfName: name }: JobSubmitted['data']): string | null {
  if (retryOf === undefined) return null;
  return name === undefined ? `the Job with the UID ${retryOf}` : `${name} (${retryOf})`;
}

/** The observed state of an awaited Job, as text. */
function awaitedText({ uid, waitsFor, end, gone }: AwaitedJob): string {
  if (uid === undefined) return 'waited for, does not exist';
  const how = end === undefined ? null : end.type === 'Complete' ? 'succeeded' : 'failed';
  const ended = how === null ? null : `${how} at ${end?.at}${end?.reason === '' ? '' : ` (${end?.reason})`}`;
  if (gone === true) return `waited for, deleted${ended === null ? ' before it ended' : `; it ${ended}`}`;
  if (ended !== null) return `waited for, ${ended}`;
  return waitsFor === undefined
    ? 'waited for, has not ended'
    : `waited for, waits for ${fewText(waitsFor)} itself`;
}

/** The effect of a detachment on a Job, as text. */
function detachmentText({
  by,
  podCount,
  runningPodCount,
  uncountedPodCount,
  open,
}: JobDetached['data']): string {
  const parts = [
    ...(podCount === 0 ? [] : [`the tracking finalizer of ${podsText(podCount)} is removed`]),
    ...(runningPodCount === 0 ? [] : [`${runningPodCount} of them still running, to be counted by nobody`]),
    ...(uncountedPodCount === 0 ? [] : [`${podsText(uncountedPodCount)} ended and not counted`]),
    ...(open ? ['nobody controls the Job from now on'] : []),
  ];
  return [`the cluster is detached by ${by}`, ...parts].join('; ');
}

function podsText(pods: number): string {
  return pods === 1 ? '1 pod' : `${pods} pods`;
}
