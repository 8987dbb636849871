import { isTerminal } from '../../../workflows/job/definitions/pod-phase.ts';
import type { InEpoch } from '../../../workflows/ledger/recorded-event.ts';
import type {
  JobDeleted,
  JobEvent,
  JobObserved,
  PodDeleted,
  PodObserved,
} from '../../../workflows/job/events.ts';
import { jobFacts, podFacts } from '../../../workflows/job/observe/compact.ts';
import { jobExpiry } from '../../../workflows/batch/expiry.ts';
import { JOB_NAME_LABEL, PLACEMENT_MANAGER, type Claim } from '../../../workflows/kubernetes/names.ts';
import type { Job, Pod } from '../../../workflows/kubernetes/objects.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { chainPart } from './chain-part.ts';
import { namedJob } from '../../../workflows/kubernetes/controller.ts';
import { findJobsOfPod, jobNameIn } from './jobs-of-pod.ts';
import type { LiveChange, LiveJob, LivePod, LiveSet } from '../live-set/live-set.ts';
import { redactJob, redactPod, type Redaction } from '../redaction/redact.ts';
import { TooLargeError } from './errors.ts';

/** The settings for translating objects of one cluster. */
export interface TranslationScope {
  cluster: string;
  claim: Claim;
  redaction: Redaction;
  /** True when Jobledger controls CronJobs: Jobs are then also recorded in the streams of their CronJobs. */
  cronJobs?: boolean;
  /** The number of restores of the API server from an older copy; absent before the first restore. */
  epoch?: number;
}

/** The events for the ledger, and the changes of the live set. */
export interface Translated<E extends LedgerEvent = JobEvent> {
  events: E[];
  changes: LiveChange[];
}

/** A translation of an object of any kind. */
export type AnyTranslated = Translated<LedgerEvent>;

/** Translates the present version of a Job. */
export function translateJob(scope: TranslationScope, job: Job, time: string): Translated {
  const { cluster } = scope;
  const { uid, namespace, name, resourceVersion } = job.metadata;
  const content = redactJob(job, scope.redaction);
  if (content === null) throw new TooLargeError(`the Job ${namespace}/${name} is too large for the ledger`);
  const event = withDigest<JobObserved>({
    id: `${cluster}/job/${uid}/${resourceVersion}${idSuffix(scope)}`,
    type: 'job.observed',
    source: cluster,
    subject: `${namespace}/${name}`,
    time,
    data: {
      cluster,
      jobUid: uid,
      ...placedJobFields(uid, job.spec.managedBy),
      ...content,
      ...epochField(scope),
    },
  });
  return { events: [event], changes: [{ resource: 'jobs', uid, entry: toLiveJob(job, content.object) }] };
}

/** The additional fields in the record of a placed Job (J-16.1). */
function placedJobFields(uid: string, managedBy: string | undefined): { placedJobUid?: string } {
  return managedBy === PLACEMENT_MANAGER ? { placedJobUid: uid } : {};
}

/**
 * The longest selector of a live Job that is kept, in characters of JSON. The length is limited because every live Job
 * is in memory, and each pod without a controller is compared with the selectors of its namespace.
 */
const LONGEST_SELECTOR = 4096;

/**
 * The entry of a Job in the live set. The stream of a Job whose selector is too long contains only the pods that the
 * Job controls. `recorded` is the Job in the form that the ledger has.
 */
export function toLiveJob({ metadata, spec }: Job, recorded: Job): LiveJob {
  const { namespace, name, resourceVersion } = metadata;
  const { managedBy, selector = {} } = spec;
  const facts = jobFacts(recorded);
  return {
    namespace,
    name,
    resourceVersion,
    selector: JSON.stringify(selector).length > LONGEST_SELECTOR ? {} : selector,
    ...(managedBy !== undefined && { managedBy }),
    ...(jobExpiry(facts) !== null && { expires: true }),
    ...chainPart(facts, metadata.creationTimestamp),
  };
}

/** Translates the deletion of a Job. `job` is the last version of the Job, when its deletion was seen. */
export function translateJobDeletion(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { job?: Job; resourceVersion: string; time: string },
): Translated {
  const { cluster } = scope;
  const known = at.job?.metadata ?? live.jobs.get(uid);
  const object = at.job === undefined ? undefined : redactJob(at.job, scope.redaction)?.object;
  const managedBy = at.job === undefined ? live.jobs.get(uid)?.managedBy : at.job.spec.managedBy;
  const event = withDigest<JobDeleted>({
    id:
      at.job === undefined
        ? `${cluster}/job/${uid}/gone${epochSuffix(scope)}`
        : `${cluster}/job/${uid}/${at.resourceVersion}/deleted${idSuffix(scope)}`,
    type: 'job.deleted',
    source: cluster,
    subject: `${known?.namespace ?? ''}/${known?.name ?? ''}`,
    time: at.time,
    data: {
      cluster,
      jobUid: uid,
      ...placedJobFields(uid, managedBy),
      resourceVersion: at.resourceVersion,
      seen: at.job !== undefined,
      ...(object !== undefined && { object }),
      ...epochField(scope),
    },
  });
  return { events: [event], changes: [{ resource: 'jobs', uid, entry: null }] };
}

/**
 * Translates the present version of a pod to an event for each Job that the pod concerns, possibly none. `listedAt` is
 * the resourceVersion of the list that contained the pod, and is absent for a watch event.
 */
export function translatePod(
  scope: TranslationScope,
  live: LiveSet,
  pod: Pod,
  time: string,
  listedAt?: string,
): Translated {
  const { uid, namespace, name, resourceVersion } = pod.metadata;
  const jobs = findJobsOfPod(scope.claim, live, pod);
  if (jobs.length === 0) return { events: [], changes: [] };
  const content = redactPod(pod, scope.redaction, jobs.length);
  if (content === null) throw new TooLargeError(`the pod ${namespace}/${name} is too large for the ledger`);
  const events = jobs.map((jobUid) =>
    withDigest<PodObserved>({
      id: `${podEventId(scope, pod.metadata, jobUid)}${listedSuffix(listedAt)}${idSuffix(scope)}`,
      type: 'pod.observed',
      source: scope.cluster,
      subject: jobSubject(live, jobUid, pod),
      time,
      data: {
        cluster: scope.cluster,
        jobUid,
        ...content,
        ...(listedAt !== undefined && { listedAt }),
        ...epochField(scope),
      },
    }),
  );
  const { phase, tracked } = podFacts(content.object);
  const isUnfreed = isTerminal(phase) && tracked === true;
  const entry: LivePod = { namespace, name, resourceVersion, jobs, ...(isUnfreed && { unfreed: true }) };
  return { events, changes: [{ resource: 'pods', uid, entry }] };
}

/** Translates the deletion of a pod. `pod` is the last version of the pod, when its deletion was seen. */
export function translatePodDeletion(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { pod?: Pod; resourceVersion: string; time: string },
): Translated {
  const entry = live.pods.get(uid);
  const jobs = at.pod === undefined ? (entry?.jobs ?? []) : findJobsOfPod(scope.claim, live, at.pod);
  const podName = at.pod?.metadata.name ?? entry?.name ?? '';
  const object = at.pod === undefined ? undefined : redactPod(at.pod, scope.redaction, jobs.length)?.object;
  const events = jobs.map((jobUid) =>
    withDigest<PodDeleted>({
      id:
        at.pod === undefined
          ? `${scope.cluster}/pod/${uid}/gone/${jobUid}${epochSuffix(scope)}`
          : `${podEventId(scope, at.pod.metadata, jobUid)}/deleted${idSuffix(scope)}`,
      type: 'pod.deleted',
      source: scope.cluster,
      subject:
        at.pod === undefined
          ? `${entry?.namespace ?? ''}/${jobNameIn(live, entry?.namespace, jobUid) ?? ''}`
          : jobSubject(live, jobUid, at.pod),
      time: at.time,
      data: {
        cluster: scope.cluster,
        jobUid,
        podUid: uid,
        podName,
        resourceVersion: at.resourceVersion,
        seen: at.pod !== undefined,
        ...(object !== undefined && { object }),
        ...epochField(scope),
      },
    }),
  );
  return { events, changes: entry === undefined ? [] : [{ resource: 'pods', uid, entry: null }] };
}

/**
 * The id of an event about a pod. In the stream of the Job that the controller reference names, the version identifies
 * the event; in other streams, the uid of the Job is added.
 */
function podEventId({ cluster }: TranslationScope, metadata: Pod['metadata'], jobUid: string): string {
  const { uid, resourceVersion } = metadata;
  return `${cluster}/pod/${uid}/${resourceVersion}${jobUid === namedJob(metadata)?.uid ? '' : `/${jobUid}`}`;
}

/**
 * The part of an event id that distinguishes an event from a list. A watch event may have recorded the same version
 * before a crash that lost the live set, or under another claim. An event from a list has different content, so the
 * event needs a different id: an id never has two contents.
 */
export function listedSuffix(listedAt: string | undefined): string {
  return listedAt === undefined ? '' : `/listed/${listedAt}`;
}

/**
 * The part of an event id that distinguishes reduced events and epochs. A fixed program may later record the same
 * version in full, so the reduced event has its own id. An API server that was restored from a copy assigns the same
 * versions again to other content.
 */
export function idSuffix(scope: TranslationScope): string {
  return `${scope.redaction.reduced === true ? '/reduced' : ''}${epochSuffix(scope)}`;
}

/** The part of an event id that names the epoch; empty before the first restore. */
export function epochSuffix({ epoch = 0 }: InEpoch): string {
  return epoch === 0 ? '' : `/epoch/${epoch}`;
}

/** The `epoch` field for the data of an event; empty before the first restore. */
export function epochField({ epoch = 0 }: InEpoch): InEpoch {
  return epoch === 0 ? {} : { epoch };
}

/** The subject of an event about a pod in the stream of a Job. */
function jobSubject(live: LiveSet, jobUid: string, { metadata }: Pod): string {
  const { uid, namespace, name, ownerReferences, labels } = metadata;
  if (jobUid === uid) return `${namespace}/${name}`;
  const owner = ownerReferences?.find((each) => each.uid === jobUid)?.name;
  return `${namespace}/${jobNameIn(live, namespace, jobUid) ?? owner ?? labels?.[JOB_NAME_LABEL] ?? ''}`;
}
