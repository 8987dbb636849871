import { isTerminal } from '../../workflows/job/definitions/pod-phase.ts';
import type {
  JobDeleted,
  JobEvent,
  JobObserved,
  PodDeleted,
  PodObserved,
} from '../../workflows/job/events.ts';
import { jobFacts, podFacts } from '../../workflows/job/observe/compact.ts';
import { controllerOf } from '../../workflows/kubernetes/controller.ts';
import { matchesSelector } from '../../workflows/job/definitions/selector.ts';
import { expiryOf } from '../../workflows/job/decide/policies/ttl-after-finished.ts';
import {
  CONTROLLER_UID_LABEL,
  isClaimed,
  JOB_NAME_LABEL,
  OWN_FINALIZER,
  RESERVED_FINALIZER,
  type Claim,
} from '../../workflows/kubernetes/names.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { withDigest } from '../adapters/event-codec.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { chainPartOf } from './chain-part.ts';
import type { LiveChange, LiveJob, LivePod, LiveSet } from './live-set.ts';
import { redactJob, redactPod, type Redaction } from './redaction/redact.ts';
import { TooLargeError } from './too-large.ts';

/** The settings for translating objects of one cluster. */
export interface TranslationScope {
  cluster: string;
  claim: Claim;
  redaction: Redaction;
  /** CronJobs are recorded, and Jobs also in the streams of their CronJobs. */
  cronJobs?: boolean;
  /** The Jobs that a Job waits for are recorded in its stream. */
  chains?: boolean;
}

/** The events for the ledger, and the changes of the live set. */
export interface Translated<E extends LedgerEvent = JobEvent> {
  events: E[];
  changes: LiveChange[];
}

/** A translation of an object of any kind. */
export type AnyTranslated = Translated<LedgerEvent>;

/** Translates the present version of a Job. */
export function jobObserved(scope: TranslationScope, job: Job, time: string): Translated {
  const { cluster } = scope;
  const { uid, namespace, name, resourceVersion } = job.metadata;
  const content = redactJob(job, scope.redaction);
  if (content === null) throw new TooLargeError(`the Job ${namespace}/${name} is too large for the ledger`);
  const event = withDigest<JobObserved>({
    id: `${cluster}/job/${uid}/${resourceVersion}${reducedSuffix(scope)}`,
    type: 'job.observed',
    source: cluster,
    subject: `${namespace}/${name}`,
    time,
    data: { cluster, jobUid: uid, ...content },
  });
  return { events: [event], changes: [{ resource: 'jobs', uid, entry: liveJobOf(job, content.object) }] };
}

/** The entry of a Job. `recorded`: the Job as in the ledger. */
export function liveJobOf({ metadata, spec }: Job, recorded: Job): LiveJob {
  const { namespace, name, resourceVersion } = metadata;
  const { managedBy, selector = {} } = spec;
  const facts = jobFacts(recorded);
  return {
    namespace,
    name,
    resourceVersion,
    selector,
    ...(managedBy !== undefined && { managedBy }),
    ...(expiryOf(facts) !== null && { expires: true }),
    ...chainPartOf(facts, metadata.creationTimestamp),
  };
}

/** Translates the deletion of a Job. `job`: its last version, when the deletion was seen. */
export function jobDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { job?: Job; resourceVersion: string; time: string },
): Translated {
  const { cluster } = scope;
  const known = at.job?.metadata ?? live.jobs.get(uid);
  const object = at.job === undefined ? undefined : redactJob(at.job, scope.redaction)?.object;
  const event = withDigest<JobDeleted>({
    id:
      at.job === undefined
        ? `${cluster}/job/${uid}/gone`
        : `${cluster}/job/${uid}/${at.resourceVersion}/deleted${reducedSuffix(scope)}`,
    type: 'job.deleted',
    source: cluster,
    subject: `${known?.namespace ?? ''}/${known?.name ?? ''}`,
    time: at.time,
    data: {
      cluster,
      jobUid: uid,
      resourceVersion: at.resourceVersion,
      seen: at.job !== undefined,
      ...(object !== undefined && { object }),
    },
  });
  return { events: [event], changes: [{ resource: 'jobs', uid, entry: null }] };
}

/**
 * Translates the present version of a pod: one event for each Job that it concerns, or none. `listedAt`: the
 * resourceVersion of the list that contained it; absent for a watch event.
 */
export function podObserved(
  scope: TranslationScope,
  live: LiveSet,
  pod: Pod,
  time: string,
  listedAt?: string,
): Translated {
  const { uid, namespace, name, resourceVersion } = pod.metadata;
  const jobs = jobsOf(scope, live, pod);
  if (jobs.length === 0) return { events: [], changes: [] };
  const content = redactPod(pod, scope.redaction);
  if (content === null) throw new TooLargeError(`the pod ${namespace}/${name} is too large for the ledger`);
  const events = jobs.map((jobUid) =>
    withDigest<PodObserved>({
      id: `${podEventId(scope, pod.metadata, jobUid, controllingJob(pod))}${listedSuffix(listedAt)}${reducedSuffix(scope)}`,
      type: 'pod.observed',
      source: scope.cluster,
      subject: subjectOf(live, jobUid, pod),
      time,
      data: { cluster: scope.cluster, jobUid, ...content, ...(listedAt !== undefined && { listedAt }) },
    }),
  );
  const { phase, tracked } = podFacts(content.object);
  const isUnfreed = isTerminal(phase) && tracked === true;
  const entry: LivePod = { namespace, name, resourceVersion, jobs, ...(isUnfreed && { unfreed: true }) };
  return { events, changes: [{ resource: 'pods', uid, entry }] };
}

/**
 * False for a pod of which nothing is recorded, whatever Jobs exist: something other than a Job controls it, and it was
 * not recorded before.
 */
export function mayConcernJobs(live: LiveSet, pod: Pod): boolean {
  const isControlledByOther = controllerOf(pod.metadata) !== undefined && controllingJob(pod) === undefined;
  return !isControlledByOther || live.pods.has(pod.metadata.uid);
}

/** Translates the deletion of a pod. `pod`: its last version, when the deletion was seen. */
export function podDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { pod?: Pod; resourceVersion: string; time: string },
): Translated {
  const entry = live.pods.get(uid);
  const jobs = at.pod === undefined ? (entry?.jobs ?? []) : jobsOf(scope, live, at.pod);
  const podName = at.pod?.metadata.name ?? entry?.name ?? '';
  const object = at.pod === undefined ? undefined : redactPod(at.pod, scope.redaction)?.object;
  const events = jobs.map((jobUid) =>
    withDigest<PodDeleted>({
      id:
        at.pod === undefined
          ? `${scope.cluster}/pod/${uid}/gone/${jobUid}`
          : `${podEventId(scope, at.pod.metadata, jobUid, controllingJob(at.pod))}/deleted${reducedSuffix(scope)}`,
      type: 'pod.deleted',
      source: scope.cluster,
      subject:
        at.pod === undefined
          ? `${entry?.namespace ?? ''}/${live.jobs.get(jobUid)?.name ?? ''}`
          : subjectOf(live, jobUid, at.pod),
      time: at.time,
      data: {
        cluster: scope.cluster,
        jobUid,
        podUid: uid,
        podName,
        resourceVersion: at.resourceVersion,
        seen: at.pod !== undefined,
        ...(object !== undefined && { object }),
      },
    }),
  );
  return { events, changes: entry === undefined ? [] : [{ resource: 'pods', uid, entry: null }] };
}

/** In the stream of its controller, the version identifies the event; in other streams the Job's uid is added. */
function podEventId(
  { cluster }: TranslationScope,
  { uid, resourceVersion }: Pod['metadata'],
  jobUid: string,
  controller: string | undefined,
): string {
  return `${cluster}/pod/${uid}/${resourceVersion}${jobUid === controller ? '' : `/${jobUid}`}`;
}

/**
 * A watch event may have recorded the same version: before a crash that lost the live set, or under another claim. An
 * event from a list has different content, so it needs a different id: an id never has two contents.
 */
export function listedSuffix(listedAt: string | undefined): string {
  return listedAt === undefined ? '' : `/listed/${listedAt}`;
}

/** A fixed program may later record the same version in full, so the reduced event has its own id. */
export function reducedSuffix({ redaction }: TranslationScope): string {
  return redaction.reduced === true ? '/reduced' : '';
}

/**
 * The Jobs that a pod concerns: its controller, those in whose streams it was recorded, and those that could adopt it.
 */
function jobsOf(scope: TranslationScope, live: LiveSet, pod: Pod): string[] {
  const controller = controllingJob(pod);
  const former = live.pods.get(pod.metadata.uid)?.jobs ?? [];
  const jobs = new Set([...(controller === undefined ? [] : [controller]), ...former]);
  const isControlled = controllerOf(pod.metadata) !== undefined;
  if (!isControlled) for (const uid of matchingJobs(scope, live, pod)) jobs.add(uid);
  if (jobs.size === 0 && !isControlled && isOursToFree(scope, pod)) jobs.add(labelledJob(scope, live, pod));
  return [...jobs];
}

/** True for a pod without controller whose finalizer only we remove (J-4.32, J-15.2). */
function isOursToFree({ claim }: TranslationScope, { metadata: { finalizers = [] } }: Pod): boolean {
  return finalizers.includes(OWN_FINALIZER) || (claim === 'all' && finalizers.includes(RESERVED_FINALIZER));
}

/** The Job named by the pod's label, unless that Job is known not to be ours; then the pod gets its own stream. */
function labelledJob({ claim }: TranslationScope, live: LiveSet, { metadata }: Pod): string {
  const labelled = metadata.labels?.[CONTROLLER_UID_LABEL] ?? '';
  const known = live.jobs.get(labelled);
  const isElsewhere = known !== undefined && !isClaimed(claim, known.managedBy);
  return labelled === '' || isElsewhere ? metadata.uid : labelled;
}

function* matchingJobs({ claim }: TranslationScope, live: LiveSet, { metadata }: Pod): Generator<string> {
  for (const [uid, job] of live.jobs) {
    const isCandidate = job.namespace === metadata.namespace && isClaimed(claim, job.managedBy);
    if (isCandidate && matchesSelector(job.selector, metadata.labels ?? {})) yield uid;
  }
}

/** The Job that controls a pod; Jobs of other API groups are ignored (J-3.46). */
export function controllingJob({ metadata }: Pod): string | undefined {
  const owner = controllerOf(metadata);
  return owner?.kind === 'Job' && owner.apiVersion.startsWith('batch/') ? owner.uid : undefined;
}

function subjectOf(live: LiveSet, jobUid: string, { metadata }: Pod): string {
  if (jobUid === metadata.uid) return `${metadata.namespace}/${metadata.name}`;
  const owner = metadata.ownerReferences?.find((each) => each.uid === jobUid)?.name;
  return `${metadata.namespace}/${live.jobs.get(jobUid)?.name ?? owner ?? metadata.labels?.[JOB_NAME_LABEL] ?? ''}`;
}
