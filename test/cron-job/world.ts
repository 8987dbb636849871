import { zoneRules } from '../../services/adapters/time-zones.ts';
import { hasFailed } from '../../services/worker/activities/cron-job/commands.ts';
import { childJob } from '../../workflows/cron-job/child-job.ts';
import type { CronCommand, CronJobEventText, CronChildRef } from '../../workflows/cron-job/commands.ts';
import {
  compact,
  decide,
  decisionRecord,
  fold,
  INITIAL_STATE,
  isNews,
} from '../../workflows/cron-job/core.ts';
import { missingZones } from '../../workflows/cron-job/decide/zones.ts';
import type { CronJobDecided, CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import { childFacts, cronJobFacts } from '../../workflows/cron-job/observe/compact.ts';
import { outcomeEvents } from '../../workflows/cron-job/outcome-events.ts';
import type { CronOutcome, DeletionOutcome } from '../../workflows/cron-job/outcomes.ts';
import { DEFAULT_CRON_SETTINGS, type CronSettings } from '../../workflows/cron-job/settings.ts';
import type { CronJobState } from '../../workflows/cron-job/state.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import type { ApiFailure } from '../../workflows/decision/api-failure.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import { foldStream } from '../../workflows/decision/folding.ts';
import type { CronJob, CronJobSpec, CronJobStatus, Job } from '../../workflows/kubernetes/objects.ts';

export const UID = 'c0ffee00-0000-4000-8000-000000000001';
const OF = { cluster: 'east', cronJobUid: UID };
const DECIDER = { ...OF, subject: 'default/tick', firstRunId: 'chain-one' };

/** A cluster with one CronJob, its ledger and its workflow; nothing is observed or decided until a test asks. */
export interface World {
  now: number;
  version: number;
  cronJob: CronJob;
  jobs: Map<string, Job>;
  stream: CronJobEvent[];
  /** Facts that were recorded and not folded yet. */
  inbox: CronJobEvent[];
  state: CronJobState;
  settings: CronSettings;
  /** Events on the CronJob: `Normal SuccessfulCreate: Created job tick-1`. */
  emitted: string[];
  /** Jobs that were created, and when, in milliseconds. */
  starts: { name: string; scheduledAt: number; at: number }[];
  /** Errors by kind of command. */
  trouble: Partial<Record<CronCommand['kind'], ApiFailure>>;
  /** The process dies after this many commands; null for never. */
  crashAfter: number | null;
  /** What becomes of the next request to create a Job. */
  creation: Creation;
  /** The watch is behind: what it reports later. Null while it reports at once. */
  unseen: Unstamped<CronJobEvent>[] | null;
  epoch: number;
  /** The most Jobs that ran when one was created, itself among them. */
  mostActive: number;
}

/**
 * `lost`: its response; `lost and gone`: and its Job has ended and was deleted by its TTL before anybody looked; `not sent`: it
 * never reached the server.
 */
export type Creation = 'answered' | 'lost' | 'lost and gone' | 'not sent';

export function time(text: string): number {
  return Date.parse(text);
}

export function iso(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19)}Z`;
}

export const REFUSED: ApiFailure = { status: 500, reason: 'InternalError', message: 'no' };

/** A CronJob `tick`; `seen` is the instant when it is first observed. */
export function aWorld(spec: Partial<CronJobSpec>, created: string, seen = created): World {
  const world: World = {
    now: time(seen),
    version: 100,
    cronJob: {
      metadata: {
        name: 'tick',
        namespace: 'default',
        uid: UID,
        resourceVersion: '100',
        generation: 1,
        creationTimestamp: created,
      },
      spec: {
        schedule: '* * * * *',
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: {
          metadata: { labels: { app: 'tick' }, annotations: { note: 'n' } },
          spec: { completions: 2 },
        },
        ...spec,
      },
      status: {},
    },
    jobs: new Map(),
    stream: [],
    inbox: [],
    state: INITIAL_STATE,
    settings: DEFAULT_CRON_SETTINGS,
    emitted: [],
    starts: [],
    trouble: {},
    crashAfter: null,
    creation: 'answered',
    unseen: null,
    epoch: 0,
    mostActive: 0,
  };
  observe(world);
  return world;
}

function nextVersion(world: World): string {
  world.version += 1;
  return String(world.version);
}

function append(
  world: World,
  event: Pick<CronJobEvent, 'id' | 'type' | 'data'> & { subject?: string },
): CronJobEvent {
  const envelope = { source: 'east', subject: DECIDER.subject, time: new Date(world.now).toISOString() };
  const whole = { ...envelope, ...event, digest: computeDigest(event.data) } as CronJobEvent;
  world.stream.push(whole);
  return whole;
}

type Reported = Pick<CronJobEvent, 'id' | 'type' | 'data'> & { subject?: string };

/** The watch of Jobs reports something, now or when it catches up. */
function report(world: World, event: Reported): void {
  if (world.unseen !== null) world.unseen.push(event as Unstamped<CronJobEvent>);
  else world.inbox.push(append(world, inEpoch(world, event)));
}

function inEpoch({ epoch }: World, event: Reported): Reported {
  if (epoch === 0) return event;
  return { ...event, id: `${event.id}/epoch/${epoch}`, data: { ...event.data, epoch } };
}

/** The watch of Jobs reports what it has not yet. */
export function catchUp(world: World): void {
  const unseen = world.unseen ?? [];
  world.unseen = null;
  for (const event of unseen) report(world, event);
}

/** Records the CronJob as it is. */
export function observe(world: World): void {
  const object = structuredClone(world.cronJob);
  const id = `east/cronjob/${UID}/${object.metadata.resourceVersion}`;
  world.inbox.push(append(world, inEpoch(world, { id, type: 'cronjob.observed', data: { ...OF, object } })));
}

export function observeJob(world: World, job: Job, listedAt?: string): void {
  const { uid, resourceVersion } = job.metadata;
  const data = { ...OF, object: structuredClone(job), ...(listedAt !== undefined && { listedAt }) };
  const id = `east/cronjob/${UID}/job/${uid}/${resourceVersion}`;
  report(world, { id, type: 'job.observed', data, subject: `${job.metadata.namespace}/tick` });
}

/** Another client changes the spec. */
export function change(world: World, spec: Partial<CronJobSpec>): void {
  const { metadata } = world.cronJob;
  const generation = (metadata.generation ?? 1) + 1;
  world.cronJob = {
    ...world.cronJob,
    metadata: { ...metadata, generation, resourceVersion: nextVersion(world) },
    spec: { ...world.cronJob.spec, ...spec },
  };
  observe(world);
}

/** Another client writes the status. */
export function setStatus(world: World, status: CronJobStatus): void {
  const metadata = { ...world.cronJob.metadata, resourceVersion: nextVersion(world) };
  world.cronJob = { ...world.cronJob, metadata, status };
  observe(world);
}

export function putJob(world: World, name: string, owner = UID): Job {
  const job: Job = {
    metadata: {
      name,
      namespace: 'default',
      uid: `uid-of-${name}`,
      resourceVersion: nextVersion(world),
      creationTimestamp: iso(world.now),
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'CronJob', name: 'tick', uid: owner, controller: true },
      ],
    },
    spec: {},
    status: { startTime: iso(world.now) },
  };
  world.jobs.set(name, job);
  return job;
}

export function finish(world: World, name: string, type: 'Complete' | 'Failed' = 'Complete'): void {
  const job = world.jobs.get(name);
  if (job === undefined) throw new Error(`no Job ${name}`);
  const completed = type === 'Complete' && { completionTime: iso(world.now) };
  const ended: Job = {
    ...job,
    metadata: { ...job.metadata, resourceVersion: nextVersion(world) },
    status: { ...job.status, ...completed, conditions: [{ type, status: 'True' }] },
  };
  world.jobs.set(name, ended);
  observeJob(world, ended);
}

export function remove(world: World, name: string): void {
  const job = world.jobs.get(name);
  if (job === undefined) return;
  world.jobs.delete(name);
  const { uid: childUid } = job.metadata;
  const resourceVersion = nextVersion(world);
  const id = `east/cronjob/${UID}/job/${childUid}/deleted`;
  const data = { ...OF, childUid, childName: name, resourceVersion, seen: true };
  report(world, { id, type: 'job.deleted', data, subject: `${job.metadata.namespace}/tick` });
}

/** The CronJob is deleted. */
export function vanish(world: World): void {
  const data = { ...OF, resourceVersion: nextVersion(world), seen: true };
  world.inbox.push(append(world, { id: `east/cronjob/${UID}/deleted`, type: 'cronjob.deleted', data }));
}

export function deliver(world: World): void {
  for (const event of world.inbox) world.state = fold(world.state, [compact(event) ?? []].flat());
  world.inbox = [];
}

/** Delivers, decides and carries out until there is nothing more to do; returns when to look again. */
export function work(world: World): number | null {
  for (let round = 0; round < 50; round += 1) {
    deliver(world);
    const needs = missingZones(world.state, world.now, world.settings);
    if (needs.length > 0) world.settings = { ...world.settings, zones: needs.map(zoneRules) };
    const { decided, nextDecisionAt } = decideOnce(world);
    if (decided === null) return nextDecisionAt;
    if (!carryOut(world, decided)) return world.now;
  }
  throw new Error(`no end of decisions: ${JSON.stringify(world.state.waiting)}`);
}

/** One decision, recorded before it is folded and carried out; null when there is no news. */
export function decideOnce(world: World): {
  decided: Unstamped<CronJobDecided> | null;
  nextDecisionAt: number | null;
} {
  const verdict = decide(world.state, world.now, world.settings);
  if (!isNews(world.state, verdict)) return { decided: null, nextDecisionAt: verdict.nextDecisionAt };
  const { folded, decided } = decisionRecord(DECIDER, world.state, verdict, world.now, world.settings);
  for (const part of [...folded, decided]) append(world, part);
  world.state = fold(world.state, [decided]);
  return { decided, nextDecisionAt: verdict.nextDecisionAt };
}

/** False when the process died. */
function carryOut(world: World, decided: Unstamped<CronJobDecided>): boolean {
  let failed = false;
  for (const [command, asked] of decided.data.commands.entries()) {
    const outcome: CronOutcome = failed ? { kind: 'skipped', at: world.now } : answerTo(world, asked);
    world.emitted.push(...outcomeEvents(asked, outcome).map(asText));
    if (world.crashAfter !== null) {
      world.crashAfter -= 1;
      if (world.crashAfter < 0) {
        world.crashAfter = null;
        return false;
      }
    }
    failed ||= hasFailed(outcome);
    answered(world, decided, outcome, command);
  }
  return true;
}

/** Records and folds the outcome of a command. */
export function answered(
  world: World,
  decided: Pick<CronJobDecided, 'id'> | null,
  outcome: CronOutcome,
  command = 0,
): void {
  const decision = decided?.id ?? '';
  const data = { ...OF, decision, command, attempt: 1, outcome };
  const id = `${decision}/answer/${command}/${computeDigest(data)}`;
  const event = append(world, { id, type: 'outcome.recorded', data });
  world.state = fold(world.state, [compact(event) ?? []].flat());
}

function asText({ type, reason, message }: CronJobEventText): string {
  return `${type} ${reason}: ${message}`;
}

function answerTo(world: World, asked: CronCommand): CronOutcome {
  const at = world.now;
  const error = world.trouble[asked.kind];
  switch (asked.kind) {
    case 'CreateJob': {
      if (error !== undefined) return { kind: asked.kind, result: 'failed', error, at };
      if (world.creation === 'not sent') return unanswered(world);
      const known = world.jobs.get(asked.name);
      if (known !== undefined && childFacts(known, UID).elsewhere === true)
        return { kind: asked.kind, result: 'taken', by: 'which has no controller', at };
      const job = known ?? { ...putJob(world, asked.name), ...createChildJob(world, asked) };
      const { creationTimestamp } = job.metadata;
      if (known === undefined) {
        world.starts.push({ name: asked.name, scheduledAt: time(asked.scheduledAt), at });
        world.mostActive = Math.max(world.mostActive, runningIn(world).length);
        observeJob(world, world.jobs.get(asked.name) ?? job);
      }
      if (world.creation === 'lost and gone') {
        finish(world, asked.name);
        remove(world, asked.name);
        return unanswered(world);
      }
      const facts = childFacts(world.jobs.get(asked.name) ?? job, UID);
      const existing = (known !== undefined || world.creation === 'lost') && { existing: true as const };
      world.creation = 'answered';
      return {
        kind: asked.kind,
        result: 'created',
        job: facts,
        createdAt: creationTimestamp,
        ...existing,
        at,
      };
    }
    case 'DeleteJobs':
      return { kind: asked.kind, jobs: asked.jobs.map((job) => deletion(world, job, error)), at };
    case 'ReplaceJobs':
      return { kind: asked.kind, jobs: asked.jobs.map((job) => deletion(world, job, error)), at };
    case 'WriteStatus': {
      if (error !== undefined) return { kind: asked.kind, result: 'failed', error, at };
      const current = world.cronJob.metadata.resourceVersion;
      if (current !== asked.resourceVersion)
        return { kind: asked.kind, result: 'conflict', cronJob: cronJobFacts(world.cronJob), at };
      setStatus(world, asked.to);
      return { kind: asked.kind, result: 'written', cronJob: cronJobFacts(world.cronJob), at };
    }
    case 'EmitEvents':
      world.emitted.push(...asked.events.map(asText));
      return { kind: asked.kind, at };
    case 'LookUpCronJob':
      if (error !== undefined) return { kind: asked.kind, result: 'failed', error, at };
      return { kind: asked.kind, result: 'done', cronJob: cronJobFacts(world.cronJob), at };
    case 'LookUpJobs':
      return {
        kind: asked.kind,
        jobs: asked.jobs.map((job) => {
          if (error !== undefined) return { ...job, result: 'failed', error };
          const found = world.jobs.get(job.name);
          if (found?.metadata.uid !== job.uid) return { ...job, result: 'gone' };
          const facts = childFacts(found, UID);
          return { ...job, result: 'found', ...(facts.elsewhere !== true && { job: facts }) };
        }),
        at,
      };
    case 'AwaitWatch': {
      const after = asked.resourceVersion ?? String(world.version);
      if (world.unseen !== null) return { kind: asked.kind, result: 'behind', after, reached: null, at };
      const data = { ...OF, resource: asked.resource, resourceVersion: after };
      const id = `east/${UID}/watch/jobs/${after}`;
      report(world, { id, type: 'watch.passed', data });
      return { kind: asked.kind, result: 'passed', after, reached: after, at };
    }
  }
}

function unanswered(world: World): CronOutcome {
  world.creation = 'answered';
  return { kind: 'CreateJob', result: 'unknown', after: String(world.version), at: world.now };
}

/** Jobs of starts that run. */
function runningIn({ jobs }: World): Job[] {
  return [...jobs.values()].filter(
    ({ metadata, status }) => metadata.name.startsWith('tick-') && status?.conditions === undefined,
  );
}

/** The API server comes back as an older copy of itself: versions go back, and are handed out again. */
export function restore(world: World, to: Pick<World, 'cronJob' | 'jobs' | 'version'>): void {
  world.epoch += 1;
  world.version = to.version;
  world.cronJob = structuredClone(to.cronJob);
  world.jobs = structuredClone(to.jobs);
}

/**
 * Lets the request of the start of 12:03 be lost, so that nothing shows whether it created its Job. Returns the API
 * server as it was before the start.
 */
export function loseStart(world: World): Pick<World, 'cronJob' | 'jobs' | 'version'> {
  runUntil(world, time('2026-03-01T12:02:30Z'));
  const copy = structuredClone({ cronJob: world.cronJob, jobs: world.jobs, version: world.version });
  world.unseen = [];
  world.creation = 'lost and gone';
  runUntil(world, time('2026-03-01T12:03:05Z'));
  return copy;
}

function createChildJob(world: World, asked: Extract<CronCommand, { kind: 'CreateJob' }>): object {
  return { spec: childJob(world.cronJob, asked)?.spec };
}

function deletion(world: World, job: CronChildRef, error: ApiFailure | undefined): DeletionOutcome {
  if (error !== undefined) return { ...job, result: 'failed', error };
  if (!world.jobs.has(job.name))
    return { ...job, result: 'failed', error: { status: 404, reason: 'NotFound', message: 'not found' } };
  remove(world, job.name);
  return { ...job, result: 'done' };
}

/** Lets the clock go on to an instant; the controller wakes when it asked for it. */
export function runUntil(world: World, end: number): void {
  for (let again = work(world); again !== null && again <= end; again = work(world))
    world.now = Math.max(again, world.now + 1);
  world.now = end;
}

/** Folds the recorded stream again: each decision must be made again, bit for bit. Returns the state. */
export function replayed(stream: readonly CronJobEvent[]): { state: CronJobState; differing: string[] } {
  const { findings } = verifyStream(stream);
  return {
    state: foldStream(stream, { INITIAL_STATE, compact, fold }),
    differing: findings.map(({ event, message }) => `${event}: ${message}`),
  };
}
