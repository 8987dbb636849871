import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import type { Compacted } from '../../workflows/job/observe/compact.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import { jobUrgency } from '../../workflows/job/observe/urgency.ts';
import { applyChange, emptyLiveSet, type LiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePodDeletion,
  translatePod,
  type TranslationScope,
  type Translated,
} from '../../services/ingester/translate/translate.ts';
import { CLUSTER, JOB_UID } from './builders.ts';
import type { ModelApi } from './model-cluster-api.ts';
import { REDACTION } from './redaction.ts';

export const SCOPE: TranslationScope = {
  cluster: CLUSTER,
  claim: 'managed',
  redaction: REDACTION,
};

type Resource = 'jobs' | 'pods';

/** Ingester, ledger and dispatcher of one Job. */
export interface ModelLedger {
  core: Core;
  events: JobEvent[];
  live: LiveSet;
  /** The number of changes of the journal that have been appended. */
  read: Record<Resource, number>;
  /** The number of events that the dispatcher has read. */
  sorted: number;
  /** Everything before it has been sent. */
  committed: number;
  previous: Map<string, Fact>;
  pending: { fact: Fact; isNews: boolean; offset: number }[];
  /** The number of restores of the API server from a copy. */
  epoch: number;
}

export function createModelLedger(core = JOB_CORES.present): ModelLedger {
  const read = { jobs: 0, pods: 0 };
  return {
    core,
    events: [],
    live: emptyLiveSet(),
    read,
    sorted: 0,
    committed: 0,
    previous: new Map(),
    pending: [],
    epoch: 0,
  };
}

function ledgerScope({ epoch }: ModelLedger): TranslationScope {
  return epoch === 0 ? SCOPE : { ...SCOPE, epoch };
}

/** Appends the next changes of one collection's watch; false when there are none. */
export function watch(ledger: ModelLedger, api: ModelApi, resource: Resource, count: number): boolean {
  const from = ledger.read[resource];
  const happenings = api.journal[resource].slice(from, from + count);
  ledger.read[resource] = from + happenings.length;
  const time = new Date(api.now).toISOString();
  const scope = ledgerScope(ledger);
  if (resource === 'jobs') {
    for (const { type, object } of api.journal.jobs.slice(from, from + happenings.length)) {
      const { uid, resourceVersion } = object.metadata;
      const at = { job: object, resourceVersion, time };
      record(
        ledger,
        type === 'seen'
          ? translateJob(scope, object, time)
          : translateJobDeletion(scope, ledger.live, uid, at),
      );
    }
  } else {
    for (const { type, object } of api.journal.pods.slice(from, from + happenings.length)) {
      const { uid, resourceVersion } = object.metadata;
      const at = { pod: object, resourceVersion, time };
      record(
        ledger,
        type === 'seen'
          ? translatePod(scope, ledger.live, object, time)
          : translatePodDeletion(scope, ledger.live, uid, at),
      );
    }
  }
  return happenings.length > 0;
}

/** Appends the same changes again, as an ingester does that died before it stored its position. */
export function rewind(ledger: ModelLedger, resource: Resource, count: number): void {
  ledger.read[resource] = Math.max(0, ledger.read[resource] - count);
}

/** 410: the changes since then are lost; a list shows what exists now, and what is gone. */
export function relist(ledger: ModelLedger, api: ModelApi, resource: Resource): void {
  const scope = ledgerScope(ledger);
  ledger.read[resource] = api.journal[resource].length;
  const time = new Date(api.now).toISOString();
  const resourceVersion = String(api.version);
  const { live } = ledger;
  if (resource === 'jobs') {
    if (api.job !== null && isNewer(live, 'jobs', api.job))
      record(ledger, translateJob(scope, api.job, time));
    for (const uid of live.jobs.keys())
      if (api.job?.metadata.uid !== uid)
        record(ledger, translateJobDeletion(scope, live, uid, { resourceVersion, time }));
    return;
  }
  const items = [...api.pods.values()].toSorted((a, b) => objectVersion(a) - objectVersion(b));
  for (const pod of items)
    if (isNewer(live, 'pods', pod)) record(ledger, translatePod(scope, live, pod, time, resourceVersion));
  const listed = new Set(items.map(({ metadata }) => metadata.uid));
  for (const uid of live.pods.keys())
    if (!listed.has(uid)) record(ledger, translatePodDeletion(scope, live, uid, { resourceVersion, time }));
}

/** The API server was restored from a copy: everything is listed and recorded again, in a new epoch. */
export function beginEpoch(ledger: ModelLedger, api: ModelApi): void {
  ledger.epoch += 1;
  for (const resource of ['jobs', 'pods'] as const) {
    for (const [, entry] of ledger.live[resource]) entry.resourceVersion = '0';
    relist(ledger, api, resource);
  }
}

/**
 * The dispatcher reads this many events, and sends what is pending if any of it is news. It may forget the rest, except
 * for pods whose creation has no outcome in the ledger.
 */
export function dispatch(ledger: ModelLedger, count: number, forgetsQuiet: boolean): Compacted[] {
  const upTo = Math.min(ledger.sorted + count, ledger.events.length);
  for (; ledger.sorted < upTo; ledger.sorted += 1) sortIn(ledger, ledger.sorted);
  if (forgetsQuiet)
    ledger.pending = ledger.pending.filter(({ fact, isNews }) => isNews || isUnanswered(ledger, fact));
  if (!ledger.pending.some(({ isNews }) => isNews)) return [];
  const facts = ledger.pending.map(({ fact }) => fact);
  ledger.pending = [];
  ledger.committed = ledger.sorted;
  return facts;
}

function isUnanswered({ events }: ModelLedger, fact: Fact): boolean {
  if (fact.type !== 'pod.observed') return false;
  return !events.some(
    ({ type, data }) =>
      type === 'outcome.recorded' &&
      data.outcome.kind === 'CreatePods' &&
      data.outcome.pods.some((pod) => pod.result === 'created' && pod.uid === fact.pod.uid),
  );
}

/** Another dispatcher reads on from the committed position, or from before it; memory is lost. */
export function redispatch(ledger: ModelLedger, back: number): void {
  ledger.sorted = Math.max(0, ledger.committed - back);
  ledger.committed = ledger.sorted;
  ledger.pending = [];
  ledger.previous = new Map();
}

function record(ledger: ModelLedger, { events, changes }: Translated): void {
  ledger.events.push(...events);
  for (const change of changes) applyChange(ledger.live, change);
}

function isNewer(
  live: LiveSet,
  resource: Resource,
  object: { metadata: { uid: string; resourceVersion: string } },
): boolean {
  const known = live[resource].get(object.metadata.uid);
  return known === undefined || Number(known.resourceVersion) < objectVersion(object);
}

function objectVersion({ metadata }: { metadata: { resourceVersion: string } }): number {
  return Number(metadata.resourceVersion);
}

function sortIn(ledger: ModelLedger, offset: number): void {
  const event = ledger.events[offset];
  // A pod without controller may have its own stream.
  if (event !== undefined && 'jobUid' in event.data && event.data.jobUid !== JOB_UID) return;
  const fact = event === undefined ? null : ledger.core.compact(event);
  if (fact === null || fact.type === 'job.decided' || fact.type === 'outcome.recorded') return;
  if (fact.type === 'request.received') return;
  const key = objectKey(fact);
  const urgency = isOurOwn(ledger, fact) ? 'none' : jobUrgency(ledger.previous.get(key), fact);
  if (fact.type === 'pod.deleted') ledger.previous.delete(key);
  else ledger.previous.set(key, fact);
  ledger.pending.push({ fact, isNews: urgency !== 'none', offset });
}

function objectKey(fact: Fact): string {
  if (fact.type === 'pod.observed') return fact.pod.uid;
  return fact.type === 'pod.deleted' ? fact.uid : 'job';
}

/** The outcome of our own status write is in the ledger: its echo is no news. */
function isOurOwn({ events }: ModelLedger, fact: Fact): boolean {
  if (fact.type !== 'job.observed') return false;
  return events.some(
    ({ type, data }) =>
      type === 'outcome.recorded' &&
      data.outcome.kind === 'WriteStatus' &&
      data.outcome.result === 'written' &&
      data.outcome.job.resourceVersion === fact.job.resourceVersion,
  );
}
