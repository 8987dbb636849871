import type { CronChildRef, CronCommandOf } from '../../cron-job/commands.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import type { ChildFacts } from '../../cron-job/facts.ts';
import type { CompactedCron } from '../../cron-job/observe/compact.ts';
import type { DeletionOutcome, LookUpOutcome } from '../../cron-job/outcomes.ts';
import { apiTime, parseInstant } from '../../ledger/instants.ts';
import type { ApiFailure } from '../../decision/api-failure.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import { livesIn, type ChildLife } from './lives.ts';
import { REACTION_MS } from './outages.ts';
import type { Starts } from './recorded-starts.ts';

/**
 * The Jobs of the CronJob in a counterfactual run. The Job of a recorded start runs as long as the record shows; the
 * duration of any other Job of this run is unknown. Jobs that no start created are the same as in the record.
 */
export interface Children {
  observe(job: ChildFacts, event: CronJobEvent): CompactedCron[];
  observeDeletion(uid: string, event: CronJobEvent): CompactedCron[];
  create(name: string, at: number): { job: ChildFacts; existing?: true; facts: CompactedCron[] };
  remove(
    command: CronCommandOf<'ReplaceJobs' | 'DeleteJobs'>,
    at: number,
    error: ApiFailure | null,
  ): { jobs: DeletionOutcome[]; facts: CompactedCron[] };
  lookUp(jobs: readonly CronChildRef[], error: ApiFailure | null): LookUpOutcome[];
  /**
   * The time when the next Job ends, or when it becomes unknown whether the Job still runs; null when no such time
   * follows.
   */
  nextChange(after: number): number | null;
  changesAt(at: number): CompactedCron[];
  /** True when it is unknown whether the Job still runs. */
  isUncertain(uid: string, at: number): boolean;
  /** Names of Jobs that were replaced if they still ran at that time. */
  readonly perhapsReplaced: ReadonlySet<string>;
}

interface OwnChild {
  facts: ChildFacts;
  /**
   * The delay of the creation of the Job, compared with the record, in milliseconds. Without a delay, the recorded
   * facts of the Job are also facts of this run.
   */
  shift: number;
  /** The end of the Job, unless a recorded fact of this run shows this end. */
  endsAt: number | null;
  /** The last time at which the Job certainly still runs; null when its end is known. */
  knownUntil: number | null;
}

interface ChildrenOptions {
  starts: Starts;
  /** True when the CronJob never asks whether a Job still runs, because its policy is always Allow. */
  allows: boolean;
  /** The end of the record, in milliseconds. */
  end: number;
  nextVersion: () => string;
}

/**
 * Where the duration does not matter, a Job of unknown duration ends after this time, in milliseconds, so that such
 * Jobs do not accumulate. Two such Jobs never have the same name at the same time (J-9.46).
 */
const ANY_DURATION_MS = 61_500;

const NOT_FOUND: ApiFailure = { status: 404, reason: 'NotFound', message: 'not found' };

/** Creates the Jobs of a counterfactual run; their fates come from the record and from the starts of this run. */
export function createChildren(
  record: StartRecord,
  { starts, allows, end, nextVersion }: ChildrenOptions,
): Children {
  const lives = livesIn(record, end);
  const creations = creationsIn(starts);
  const uids = new Map([...lives].map(([uid, { name }]) => [name, uid]));
  const found = foundJobsIn(record);
  const present = new Map<string, OwnChild>();
  const removed = new Set<string>();
  const perhapsReplaced = new Set<string>();

  /** True when the Job exists in this run, or a look-up found it. */
  const existsInRun = (uid: string): boolean => !removed.has(uid) && (present.has(uid) || found.has(uid));
  /** True when it is unknown whether the Job still runs at this time. */
  const isUncertain = (uid: string, at: number): boolean => {
    const until = present.get(uid)?.knownUntil ?? null;
    return until !== null && at >= until;
  };
  /** The fact of an observation of a child in this run, with a version of this run. */
  const observationOf = (child: OwnChild, facts: ChildFacts, id: string, digest = ''): CompactedCron[] => {
    const { listedAt: _listedAt, ...job } = { ...facts, resourceVersion: nextVersion() };
    child.facts = job;
    return [{ id, digest, type: 'job.observed', job }];
  };
  const owner = ownerIn(record);
  /** Removes a Job from this run, and returns the fact of its deletion. */
  const removeJob = (uid: string, id: string, digest = ''): CompactedCron => {
    present.delete(uid);
    removed.add(uid);
    const { namespace } = owner;
    return { id, digest, type: 'job.deleted', uid, namespace, resourceVersion: nextVersion() };
  };

  return {
    isUncertain,
    perhapsReplaced,
    observe(job, { id, digest }) {
      const known = present.get(job.uid);
      if (removed.has(job.uid) || (known === undefined && creations.has(job.name))) return [];
      if (known !== undefined && known.shift !== 0) return [];
      const child = known ?? {
        facts: job,
        shift: 0,
        endsAt: null,
        knownUntil: lifeKnownUntil(lives.get(job.uid)),
      };
      present.set(job.uid, child);
      return observationOf(child, job, id, digest);
    },
    observeDeletion(uid, { id, digest }) {
      const life = lives.get(uid);
      const byOthers = life === undefined || life.end !== null;
      return present.has(uid) && byOthers ? [removeJob(uid, id, digest)] : [];
    },
    create(name, at) {
      const existing = [...present.values()].find(({ facts }) => facts.name === name);
      if (existing !== undefined) return { job: existing.facts, existing: true, facts: [] };
      const uid = uids.get(name) ?? `what-if/${name}`;
      const child = newChild({ uid, name, at, ...owner }, lives.get(uid), creations.get(name) ?? null);
      child.facts.resourceVersion = nextVersion();
      if (child.knownUntil === at && allows) child.endsAt = at + ANY_DURATION_MS;
      present.set(uid, child);
      removed.delete(uid);
      return { job: child.facts, facts: [] };
    },
    remove({ kind, jobs }, at, error) {
      const outcomes: DeletionOutcome[] = [];
      const facts: CompactedCron[] = [];
      for (const { uid, name } of jobs) {
        const failure = error ?? (existsInRun(uid) ? null : NOT_FOUND);
        outcomes.push(
          failure === null ? { uid, name, result: 'done' } : { uid, name, result: 'failed', error: failure },
        );
        if (failure !== null && kind === 'ReplaceJobs') break;
        if (failure !== null) continue;
        if (kind === 'ReplaceJobs' && isUncertain(uid, at)) perhapsReplaced.add(name);
        facts.push(removeJob(uid, `what-if/${uid}/deleted`));
      }
      return { jobs: outcomes, facts };
    },
    lookUp: (jobs, error) =>
      jobs.map((job): LookUpOutcome => {
        if (error !== null) return { ...job, result: 'failed', error };
        const facts = present.get(job.uid)?.facts;
        if (!existsInRun(job.uid)) return { ...job, result: 'gone' };
        return { ...job, result: 'found', ...(facts !== undefined && { job: facts }) };
      }),
    nextChange(after) {
      const changes = [...present.values()].flatMap(({ endsAt, knownUntil }) =>
        endsAt !== null ? [endsAt] : knownUntil !== null && knownUntil > after ? [knownUntil] : [],
      );
      return changes.length === 0 ? null : Math.min(...changes);
    },
    changesAt(at) {
      return [...present].flatMap(([uid, child]) => {
        if (child.endsAt === null || child.endsAt > at) return [];
        child.endsAt = null;
        const life = lives.get(uid);
        const id = `what-if/${uid}/ended`;
        if (life === undefined || creations.get(life.name) === undefined)
          return observationOf(child, { ...child.facts, finished: 'Complete' }, id);
        if (life.finished === null) return [removeJob(uid, id)];
        return observationOf(child, withLaterTimes(child.shift, life.finished), id);
      });
    },
  };
}

/** The time when the Job of each name was created, in milliseconds. */
function creationsIn({ created }: Starts): Map<string, number> {
  const creations = new Map<string, number>();
  for (const { job, at } of created.values()) creations.set(job, Math.min(at, creations.get(job) ?? at));
  return creations;
}

/** UIDs of Jobs that a look-up found; some of these Jobs were never observed. */
function foundJobsIn({ events }: StartRecord): Set<string> {
  return new Set(
    events.flatMap((event) =>
      event.type === 'outcome.recorded' && event.data.outcome.kind === 'LookUpJobs'
        ? event.data.outcome.jobs.flatMap(({ uid, result }) => (result === 'found' ? [uid] : []))
        : [],
    ),
  );
}

/** A child that this run creates or that the record shows. */
function newChild(
  { at, ...of }: Pick<ChildFacts, 'uid' | 'name' | 'namespace' | 'controllerName'> & { at: number },
  life: ChildLife | undefined,
  createdAt: number | null,
): OwnChild {
  const facts = { ...of, resourceVersion: '', startTime: apiTime(at) };
  if (life === undefined || createdAt === null) return { facts, shift: 0, endsAt: null, knownUntil: at };
  const shift = Math.abs(at - createdAt) < REACTION_MS ? 0 : at - createdAt;
  const end = life.end === null ? null : life.end + shift;
  return {
    facts,
    shift,
    // When the Job has no delay, its recorded end is a fact that will follow.
    endsAt: end !== null && (shift !== 0 || end <= at) ? Math.max(end, at) : null,
    knownUntil: end === null ? life.knownUntil + shift : null,
  };
}

/** The fields of a Job that come from its CronJob. */
function ownerIn({ events }: StartRecord): Required<Pick<ChildFacts, 'namespace' | 'controllerName'>> {
  const observed = events.find((event) => event.type === 'cronjob.observed');
  const { namespace = '', name = '' } = observed?.data.object.metadata ?? {};
  return { namespace, controllerName: name };
}

/**
 * The time until which a child certainly runs; null when its end is known or when the record does not show the child.
 */
function lifeKnownUntil(life: ChildLife | undefined): number | null {
  return life === undefined || life.end !== null ? null : life.knownUntil;
}

/** The facts of a child whose times are later by this delay, in milliseconds. */
function withLaterTimes(shift: number, { startTime, completionTime, ...facts }: ChildFacts): ChildFacts {
  /** The instant in a text, later by the delay. */
  const laterText = (text: string | undefined): string | undefined => {
    const instant = parseInstant(text);
    return instant === null ? undefined : apiTime(instant + shift);
  };
  const [start, completion] = [laterText(startTime), laterText(completionTime)];
  return {
    ...facts,
    ...(start !== undefined && { startTime: start }),
    ...(completion !== undefined && { completionTime: completion }),
  };
}
