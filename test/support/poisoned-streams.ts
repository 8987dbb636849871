import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  translateCronJob,
  addChildDeleted,
  addChildObserved,
} from '../../services/ingester/translate/translate-cron-job.ts';
import { addMemberDeleted, addMemberObserved } from '../../services/ingester/translate/translate-placed.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type TranslationScope,
} from '../../services/ingester/translate/translate.ts';
import type { KindName } from '../../workflows/kind.ts';
import type { CronJob, Job, OwnerReference } from '../../workflows/kubernetes/objects.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { at, CLUSTER, jobObject, podObject } from './builders.ts';
import { REDACTION } from './redaction.ts';

const SCOPE: TranslationScope = {
  cluster: CLUSTER,
  claim: 'managed',
  redaction: REDACTION,
  cronJobs: true,
};

/** An object of a kind, as its cluster's ingester records it. */
export function createObservation(kind: KindName, uid: string): LedgerEvent {
  if (kind === 'CronJob') return translateCronJob(SCOPE, aCronJob(uid), at(0)).events[0] as LedgerEvent;
  const managedBy = kind === 'PlacedJob' ? 'jobledger.dev/placement' : 'jobledger.dev/job-controller';
  return translateJob(SCOPE, jobObject({ name: 'victim', uid, managedBy }), at(0)).events[0] as LedgerEvent;
}

function aCronJob(uid: string): CronJob {
  const metadata = {
    name: 'victim',
    namespace: 'default',
    uid,
    resourceVersion: '5',
    creationTimestamp: at(0),
  };
  const jobTemplate = { spec: { template: { spec: { containers: [] } } } };
  return { metadata, spec: { schedule: '0 0 1 1 *', jobTemplate } };
}

/** The ways in which another object can name a UID that is not of the kind that it says, by the kind that it says. */
const WAYS: Readonly<Record<KindName, (uid: string) => LedgerEvent[]>> = {
  PlacedJob: recordsOfMember,
  Job: recordsOfPod,
  CronJob: recordsOfChild,
};

/**
 * What objects of another tenant add under the key of this UID by naming it as another kind: as ingesters record them that do not
 * know the object, because it is in another cluster or shard.
 */
export function foreignRecords(kind: KindName, uid: string): LedgerEvent[] {
  return Object.entries(WAYS).flatMap(([each, records]) => (each === kind ? [] : records(uid)));
}

function recordsOfMember(uid: string): LedgerEvent[] {
  const annotations = { 'jobledger.dev/placed-for': `${CLUSTER}/default/victim/${uid}` };
  const job = jobObject({ name: 'evil', uid: 'evil-member', status: { active: 1 }, annotations });
  const live = emptyLiveSet();
  const observed = addMemberObserved(SCOPE, live, job, translateJob(SCOPE, job, at(1)), at(1));
  const { resourceVersion } = job.metadata;
  const end = { job, resourceVersion, time: at(2) };
  const deleted = translateJobDeletion(SCOPE, live, 'evil-member', end);
  const gone = addMemberDeleted(SCOPE, live, 'evil-member', deleted, end);
  return [...observed.events, ...gone.events].filter(isAbout(uid));
}

function recordsOfChild(uid: string): LedgerEvent[] {
  const job: Job = jobObject({ name: 'evil', uid: 'evil-child' });
  job.metadata.ownerReferences = ownedBy('CronJob', uid);
  const live = emptyLiveSet();
  const own = translateJob(SCOPE, job, at(1));
  const observed = addChildObserved(SCOPE, live, job, own, { time: at(1), listedAt: undefined });
  for (const change of observed.changes) applyChange(live, change);
  const end = { job, resourceVersion: job.metadata.resourceVersion, time: at(2) };
  const gone = addChildDeleted(
    SCOPE,
    live,
    'evil-child',
    translateJobDeletion(SCOPE, live, 'evil-child', end),
    end,
  );
  return [...observed.events, ...gone.events].filter(isAbout(uid));
}

function recordsOfPod(uid: string): LedgerEvent[] {
  const pod = podObject({ name: 'evil' });
  pod.metadata.ownerReferences = ownedBy('Job', uid);
  const live = emptyLiveSet();
  const observed = translatePod(SCOPE, live, pod, at(1));
  for (const change of observed.changes) applyChange(live, change);
  const { resourceVersion } = pod.metadata;
  const gone = translatePodDeletion(SCOPE, live, pod.metadata.uid, { pod, resourceVersion, time: at(2) });
  return [...observed.events, ...gone.events].filter(isAbout(uid));
}

function ownedBy(kind: string, uid: string): OwnerReference[] {
  return [{ apiVersion: 'batch/v1', kind, name: 'victim', uid, controller: true }];
}

function isAbout(uid: string): (event: LedgerEvent) => boolean {
  return ({ data }) => Object.values(data).includes(uid);
}
