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
import { sealed } from '../adapters/event-codec.ts';
import type { LiveChange, LiveJob, LivePod, LiveSet } from './live-set.ts';
import { redactJob, redactPod, type Redaction } from './redact.ts';

/** What the translation of one cluster needs besides the happening itself. */
export interface TranslationScope {
  cluster: string;
  claim: Claim;
  redaction: Redaction;
}

/** What one happening adds to the ledger, and how it changes the live set. */
export interface Translated {
  events: JobEvent[];
  changes: LiveChange[];
}

/** A Job as it is now. */
export function jobObserved(scope: TranslationScope, job: Job, time: string): Translated {
  const { cluster } = scope;
  const { uid, namespace, name, resourceVersion } = job.metadata;
  const { managedBy, selector = {} } = job.spec;
  const content = redactJob(job, scope.redaction);
  const event = sealed<JobObserved>({
    id: `${cluster}/job/${uid}/${resourceVersion}${reducedSuffix(scope)}`,
    type: 'job.observed',
    source: cluster,
    subject: `${namespace}/${name}`,
    time,
    data: { cluster, jobUid: uid, ...content },
  });
  const entry: LiveJob = {
    namespace,
    name,
    resourceVersion,
    selector,
    ...(managedBy !== undefined && { managedBy }),
    ...(expiryOf(jobFacts(content.object)) !== null && { expires: true }),
  };
  return { events: [event], changes: [{ resource: 'jobs', uid, entry }] };
}

/** A Job that is gone; `job` is its last version when somebody saw it go. */
export function jobDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { job?: Job; resourceVersion: string; time: string },
): Translated {
  const { cluster } = scope;
  const known = at.job?.metadata ?? live.jobs.get(uid);
  const object = at.job === undefined ? {} : { object: redactJob(at.job, scope.redaction).object };
  const event = sealed<JobDeleted>({
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
      ...object,
    },
  });
  return { events: [event], changes: [{ resource: 'jobs', uid, entry: null }] };
}

/**
 * A pod as it is now, once for each Job that it concerns; nothing when it concerns none. `listedAt`: the resourceVersion
 * of the list that showed it, when no watch told it.
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
  const events = jobs.map((jobUid) =>
    sealed<PodObserved>({
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

/** A pod that is gone; `pod` is its last version when somebody saw it go. */
export function podDeleted(
  scope: TranslationScope,
  live: LiveSet,
  uid: string,
  at: { pod?: Pod; resourceVersion: string; time: string },
): Translated {
  const entry = live.pods.get(uid);
  const jobs = at.pod === undefined ? (entry?.jobs ?? []) : jobsOf(scope, live, at.pod);
  const podName = at.pod?.metadata.name ?? entry?.name ?? '';
  const object = at.pod === undefined ? {} : { object: redactPod(at.pod, scope.redaction).object };
  const events = jobs.map((jobUid) =>
    sealed<PodDeleted>({
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
        ...object,
      },
    }),
  );
  return { events, changes: entry === undefined ? [] : [{ resource: 'pods', uid, entry: null }] };
}

/** Under its controller's Job the version alone names the event; under others that Job as well. */
function podEventId(
  { cluster }: TranslationScope,
  { uid, resourceVersion }: Pod['metadata'],
  jobUid: string,
  controller: string | undefined,
): string {
  return `${cluster}/pod/${uid}/${resourceVersion}${jobUid === controller ? '' : `/${jobUid}`}`;
}

/**
 * A watch may have told the same version already: after a crash before the live set was written, or under another claim.
 * What a list says of it has other content, so it is another event: an id never has two contents.
 */
function listedSuffix(listedAt: string | undefined): string {
  return listedAt === undefined ? '' : `/listed/${listedAt}`;
}

/** What could not be translated whole may be, by a mended program, if it comes to tell it again. */
function reducedSuffix({ redaction }: TranslationScope): string {
  return redaction.reduced === true ? '/reduced' : '';
}

/** The Jobs that a pod concerns: its controller, those that it was recorded under, those that could adopt it. */
function jobsOf(scope: TranslationScope, live: LiveSet, pod: Pod): string[] {
  const controller = controllingJob(pod);
  const former = live.pods.get(pod.metadata.uid)?.jobs ?? [];
  const jobs = new Set([...(controller === undefined ? [] : [controller]), ...former]);
  const isControlled = controllerOf(pod.metadata) !== undefined;
  if (!isControlled) for (const uid of matchingJobs(scope, live, pod)) jobs.add(uid);
  if (jobs.size === 0 && !isControlled && isOursToFree(scope, pod)) jobs.add(labelledJob(scope, live, pod));
  return [...jobs];
}

/** A pod that nobody controls, with a finalizer that nobody but us takes off (J-4.32, J-15.2). */
function isOursToFree({ claim }: TranslationScope, { metadata: { finalizers = [] } }: Pod): boolean {
  return finalizers.includes(OWN_FINALIZER) || (claim === 'all' && finalizers.includes(RESERVED_FINALIZER));
}

/** The Job that its label names, unless that is known to be somebody else's; then the pod has a stream of its own. */
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

/** The Job that controls a pod; the Jobs of other API groups are none of ours (J-3.46). */
function controllingJob({ metadata }: Pod): string | undefined {
  const owner = controllerOf(metadata);
  return owner?.kind === 'Job' && owner.apiVersion.startsWith('batch/') ? owner.uid : undefined;
}

function subjectOf(live: LiveSet, jobUid: string, { metadata }: Pod): string {
  if (jobUid === metadata.uid) return `${metadata.namespace}/${metadata.name}`;
  const owner = metadata.ownerReferences?.find((each) => each.uid === jobUid)?.name;
  return `${metadata.namespace}/${live.jobs.get(jobUid)?.name ?? owner ?? metadata.labels?.[JOB_NAME_LABEL] ?? ''}`;
}
