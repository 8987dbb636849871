import { needsRun, type Arrival, type Kind, type ObservedObject, type StreamEvent } from '../kind.ts';
import * as core from './core.ts';
import { endingCondition, isFinished } from '../batch/conditions.ts';
import { jobExpiry } from '../batch/expiry.ts';
import type { Fact, PodFacts } from './facts.ts';
import type { JobFacts } from '../batch/facts.ts';
import { jobUrgency } from './observe/urgency.ts';
import { STATE_FORMAT } from './record/state-format.ts';
import { stateFormat } from '../decision/state-format.ts';
import { isOurs, type Settings } from './settings.ts';

/** The kind of Jobs, each with its pods. */
export const JOB: Kind = {
  name: 'Job',
  resource: 'jobs',
  workflow: 'jobWorkflow',
  prefix: 'job',
  core,
  stateFormat: STATE_FORMAT,
  stateFormatBy: stateFormat,
  observed: (fact: Fact) => (fact.type === 'job.observed' ? observedJob(fact.job) : null),
  isOurs,
  concerns: concernsRun,
  mayStart: ({ fact, known }) => known !== undefined || fact.type !== 'request.received',
  isRecalledLater: () => false,
  objectIn(fact: Fact) {
    switch (fact.type) {
      case 'job.observed':
      case 'job.deleted':
        return 'itself';
      case 'pod.observed':
        return fact.pod;
      case 'pod.deleted':
        return fact;
      case 'awaited-job.observed':
      case 'request.received':
        return null;
    }
  },
  versionIn: (fact: Fact) => (fact.type === 'job.observed' ? fact.job.resourceVersion : undefined),
  urgency: (previous: Fact | undefined, next: Fact) => jobUrgency(previous, next),
  // The pods of a finished Job were released before it finished.
  onlySaysGone: (fact: Fact) =>
    fact.type === 'pod.observed'
      ? fact.pod.tracked !== true
      : fact.type === 'pod.deleted' || fact.type === 'job.deleted',
};

/** The parts of an observed Job on which its run depends. */
function observedJob(job: JobFacts): ObservedObject {
  const { spec, status, deleting } = job;
  const isOver = deleting || endingCondition(status) !== undefined;
  return {
    managedBy: spec.managedBy,
    expires: jobExpiry(job) !== null,
    isFinished: isFinished(status),
    isToStart: !isOver && spec.suspend !== true && status.startTime === undefined,
  };
}

/**
 * True when a run needs the fact; for a Job of another controller, only facts about the Job are sent, not facts about
 * its pods.
 */
function concernsRun({ fact, event, before, known }: Arrival<Fact>, settings: Settings): boolean {
  if (known?.isOurs === true) return true;
  switch (fact.type) {
    case 'job.observed':
      return needsRun(settings, known) || needsRun(settings, before);
    case 'job.deleted':
      return known === undefined ? mayHaveBeenOurs(settings, event) : needsRun(settings, known);
    // The workflow of the Job, if it still runs, records that the Job is gone.
    case 'request.received':
      return known === undefined;
    case 'pod.observed':
      return known === undefined && isAbandoned(fact.pod, settings);
    case 'pod.deleted':
    case 'awaited-job.observed':
      return false;
  }
}

/**
 * True for a deletion that a workflow of the Job may wait for, because the Job was deleted while this dispatcher was
 * down.
 */
function mayHaveBeenOurs(settings: Settings, event: StreamEvent): boolean {
  if (event.type !== 'job.deleted') return false;
  const { object } = event.data;
  return object === undefined || isOurs(settings, object.spec.managedBy);
}

/**
 * True for a pod with the finalizer of Jobledger whose Job is unknown: a workflow must release the pod, and looks up
 * the Job.
 */
function isAbandoned(pod: PodFacts, { controllers, claim }: Settings): boolean {
  return (
    controllers.includes('job') &&
    pod.tracked === true &&
    pod.elsewhere !== true &&
    (claim === 'all' || pod.trackedByUs === true)
  );
}
