import { awaitedFrom, MAX_AWAITED } from '../../../workflows/job/definitions/chain.ts';
import type { AwaitedJob, AwaitedJobObserved } from '../../../workflows/job/events.ts';
import { jobFacts } from '../../../workflows/job/observe/compact.ts';
import { isSameJson } from '../../../workflows/ledger/digest.ts';
import { isClaimed } from '../../../workflows/kubernetes/names.ts';
import type { Job } from '../../../workflows/kubernetes/objects.ts';
import { withDigest } from '../../adapters/events/event-codec.ts';
import { jobEnd } from './chain-part.ts';
import type { LiveJob, LiveSet } from '../live-set/live-set.ts';
import { epochSuffix, epochField, type AnyTranslated, type TranslationScope } from './translate.ts';

/** A live Job with its UID. */
type KnownJob = LiveJob & { uid: string };

/** Finds a Job of the namespace by name. */
type Find = (name: string) => KnownJob | undefined;

/**
 * The most Jobs and records that one change may involve. The limit does not apply to the records that decide when a Job
 * is resumed: the own list of the Job, and the existence and end of the Jobs in this list. All other records only show
 * cycles. Without a limit, one patch of a Job for which many Jobs wait could produce hundreds of thousands of records.
 */
const BUDGET = 500;

/** The version of a Job that no list has shown yet (live-set.ts), so that its known data may be incomplete. */
const UNKNOWN = '0';

/**
 * Adds a changed Job to the streams of the Jobs that wait for this Job, directly or through other Jobs, and adds the
 * awaited Jobs to the stream of the changed Job (J-12.6). Each stream then shows by itself when its Job is resumed. For
 * a known Job, only the facts that a chain depends on are news: the existence, the awaited Jobs and the end of the Job.
 * `job` is the last version of the Job, if its deletion was seen.
 */
export function addAwaitedJobs(
  scope: TranslationScope,
  live: LiveSet,
  translated: AnyTranslated,
  at: { time: string; resourceVersion: string; job?: Job },
): AnyTranslated {
  const change = translated.changes.find(({ resource }) => resource === 'jobs');
  if (change?.resource !== 'jobs') return translated;
  const { uid, entry } = change;
  const before = live.jobs.get(uid);
  const changed = entry ?? before;
  if (changed === undefined) return translated;
  const { namespace, name } = changed;
  // A Job with the name of the deleted Job was created in the meantime and has taken its place.
  if (entry === null && live.uids.get(`${namespace}/${name}`) !== uid) return translated;
  const now = entry === null ? undefined : { ...entry, uid };
  const findBefore = createFinder(live, namespace);
  const find: Find = (each) => (each === name ? now : findBefore(each));
  const isNews = entry === null || !isSameJson(chainFacts(before), chainFacts(entry));
  const isEndNews = entry === null || !isSameJson(chainEnd(before), chainEnd(entry));
  const events: AwaitedJobObserved[] = [];
  let left = BUDGET;
  for (const waiting of findWaitingJobs(live, namespace, name, now)) {
    const isItself = waiting.uid === uid;
    const named = new Set(
      isItself ? waiting.waitsFor : isEndNews && waitsDirectlyFor(waiting, name) ? [name] : [],
    );
    if (left <= 0 && !isItself && !waitsDirectlyFor(waiting, name)) break;
    if (!isClaimed(scope.claim, waiting.managedBy) || (left <= 0 && named.size === 0)) continue;
    left -= 1;
    const known = new Set(isItself ? awaitedNames(before, findBefore) : awaitedNames(waiting, findBefore));
    for (const each of left <= 0 && !isItself ? named : awaitedNames(waiting, find)) {
      if (each === name ? !isNews : known.has(each)) continue;
      if (!named.has(each) && left <= 0) continue;
      const awaited =
        each === name && now === undefined
          ? toDeletedAwaitedJob(uid, changed, at)
          : toAwaitedJob(each, find(each), waiting, at);
      if (awaited === null) continue;
      events.push(awaitedEvent(scope, waiting, awaited, { name, ...at }));
      left -= 1;
    }
  }
  return events.length === 0 ? translated : { ...translated, events: [...translated.events, ...events] };
}

function createFinder(live: LiveSet, namespace: string): Find {
  return (name) => {
    const uid = live.uids.get(`${namespace}/${name}`);
    const entry = uid === undefined ? undefined : live.jobs.get(uid);
    return uid === undefined || entry === undefined ? undefined : { ...entry, uid };
  };
}

/** The facts about a Job that a chain depends on; null if these facts are unknown. */
function chainFacts(entry: LiveJob | null | undefined): unknown {
  if (entry === null || entry === undefined || entry.resourceVersion === UNKNOWN) return null;
  return { waitsFor: entry.waitsFor ?? [], end: entry.end ?? null };
}

/** The end of a Job, which a chain depends on; null if the end is unknown. */
function chainEnd(entry: LiveJob | null | undefined): unknown {
  if (entry === null || entry === undefined || entry.resourceVersion === UNKNOWN) return null;
  return { end: entry.end ?? null };
}

function waitsDirectlyFor({ waitsFor = [] }: LiveJob, name: string): boolean {
  return waitsFor.includes(name);
}

/** The Jobs whose streams a change concerns, nearer Jobs first: the changed Job, if it waits, and its successors. */
function findWaitingJobs(
  live: LiveSet,
  namespace: string,
  name: string,
  now: KnownJob | undefined,
): KnownJob[] {
  const found = new Map<string, KnownJob>();
  if (now?.waitsFor !== undefined) found.set(now.uid, now);
  let next = [name];
  // Jobs that wait through more steps are not recorded.
  for (let steps = 0; steps < MAX_AWAITED && next.length > 0; steps += 1)
    next = next.flatMap((each) =>
      [...(live.waiting.get(`${namespace}/${each}`) ?? [])].flatMap((uid) => {
        const entry = live.jobs.get(uid);
        if (entry === undefined || entry.resourceVersion === UNKNOWN || found.has(uid) || entry.name === name)
          return [];
        found.set(uid, { ...entry, uid });
        return [entry.name];
      }),
    );
  return [...found.values()];
}

/** The names of the Jobs that a Job waits for, nearer Jobs first. */
function awaitedNames(waiting: LiveJob | undefined, find: Find): string[] {
  if (waiting === undefined || waiting.resourceVersion === UNKNOWN) return [];
  const waitsFor = (name: string): readonly string[] | undefined => {
    const known = find(name);
    return known?.resourceVersion === UNKNOWN ? undefined : known?.waitsFor;
  };
  return awaitedFrom(waiting.name, waiting.waitsFor ?? [], waitsFor).names;
}

/** The record of an awaited Job; null if no list has shown the Job yet. */
function toAwaitedJob(
  name: string,
  known: KnownJob | undefined,
  { createdAt }: KnownJob,
  { resourceVersion }: { resourceVersion: string },
): AwaitedJob | null {
  if (known === undefined)
    return { name, resourceVersion, ...(createdAt !== undefined && { since: createdAt }) };
  if (known.resourceVersion === UNKNOWN) return null;
  const { uid, waitsFor, end } = known;
  return {
    name,
    resourceVersion: known.resourceVersion,
    uid,
    ...(waitsFor !== undefined && { waitsFor }),
    ...(end !== undefined && { end }),
  };
}

function toDeletedAwaitedJob(
  uid: string,
  { name, resourceVersion, end: known }: LiveJob,
  { resourceVersion: deleted, job }: { resourceVersion: string; job?: Job },
): AwaitedJob {
  const end = job === undefined ? known : jobEnd(jobFacts(job));
  return {
    name,
    resourceVersion: job === undefined ? resourceVersion : deleted,
    uid,
    ...(end !== undefined && { end }),
    gone: true,
  };
}

/**
 * Creates the event for an awaited Job. The same version of a Job may be recorded again after another Job has changed,
 * so the id then includes the version of the changed Job.
 */
function awaitedEvent(
  scope: TranslationScope,
  waiting: KnownJob,
  awaited: AwaitedJob,
  changed: { name: string; resourceVersion: string; time: string },
): AwaitedJobObserved {
  const { cluster } = scope;
  const { uid, name, resourceVersion, gone } = awaited;
  const which =
    uid === undefined ? `none/${name}` : `${uid}/${resourceVersion}${gone === true ? '/gone' : ''}`;
  const by = name === changed.name ? '' : `/by/${changed.resourceVersion}`;
  return withDigest<AwaitedJobObserved>({
    id: `${cluster}/awaited/${waiting.uid}/${which}${by}${epochSuffix(scope)}`,
    type: 'awaited-job.observed',
    source: cluster,
    subject: `${waiting.namespace}/${waiting.name}`,
    time: changed.time,
    data: { cluster, jobUid: waiting.uid, awaited, ...epochField(scope) },
  });
}
