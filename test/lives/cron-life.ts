import * as core from '../../workflows/cron-job/core.ts';
import type { CronCommand, CronChildRef } from '../../workflows/cron-job/commands.ts';
import type { CronFact } from '../../workflows/cron-job/facts.ts';
import { childFacts, cronJobFacts } from '../../workflows/cron-job/observe/compact.ts';
import type { CronOutcome, DeletionOutcome } from '../../workflows/cron-job/outcomes.ts';
import { DEFAULT_CRON_SETTINGS } from '../../workflows/cron-job/settings.ts';
import type { CronJobState } from '../../workflows/cron-job/state.ts';
import { step } from '../../workflows/cron-job/step.ts';
import type { CronJob, Job } from '../../workflows/kubernetes/objects.ts';
import { aDraw, type Draw, type Life } from './life.ts';
import { repeatLaw, requireLaterStep } from './repeats.ts';

const START = Date.parse('2026-11-01T00:00:10Z');
/** The time with troubles, and the time that the life lasts, in milliseconds. */
const [TROUBLE_MS, LIFE_MS] = [600_000, 900_000];
const TICK_MS = 2000;
const UID = 'cron-uid';
const REFUSED = { status: 403, reason: 'Forbidden', message: 'a policy' };

/** A random life of a CronJob: the core as shipped over a cluster that is played here, with lost answers, refusals, a late watch, edits, and restores from copies. */
export function cronLife(seed: number): Life {
  const draw = aDraw(seed);
  const troubles = {
    refusals: draw.chance(0.5),
    lostAnswers: draw.chance(0.5),
    edits: draw.chance(0.5),
    strays: draw.chance(0.3),
    restores: draw.chance(0.4),
  };
  let now = START;
  let version = 100;
  let uids = 0;
  let epoch = 0;
  const next = (): string => String((version += 1));
  const log: string[] = [];
  const reportLine = (text: string): void => void log.push(`${((now - START) / 1000).toFixed(0)} ${text}`);
  const problems = new Set<string>();
  let cronJob = aCronJob(draw);
  const jobs = new Map<string, Job>();
  let queue: CronFact[] = [];
  let facts = 0;
  const report = (fact: object): void => {
    facts += 1;
    queue.push({ id: `fact-${facts}`, digest: '', ...(epoch > 0 && { epoch }), ...fact } as CronFact);
  };
  /** The UIDs of the Jobs that the ledger knows. */
  const recorded = new Set<string>();
  const deliver = (due: readonly CronFact[]): void => {
    for (const fact of due) {
      if (fact.type === 'job.observed') recorded.add(fact.job.uid);
      if (fact.type === 'job.deleted') recorded.delete(fact.uid);
    }
    state = core.fold(state, due);
    hasNews ||= due.length > 0;
  };
  const observe = (): void => {
    cronJob.metadata.resourceVersion = next();
    report({ type: 'cronjob.observed', cronJob: cronJobFacts(structuredClone(cronJob)) });
  };
  const observeJob = (job: Job): void => {
    job.metadata.resourceVersion = next();
    report({ type: 'job.observed', job: childFacts(structuredClone(job), UID) });
  };
  const ends = new Map<string, number>();
  const starts: { name: string; at: number }[] = [];
  const put = (name: string, owner: { uid: string; name: string } | null): Job => {
    const job: Job = {
      metadata: {
        name,
        namespace: 'team',
        uid: `uid-${(uids += 1)}`,
        resourceVersion: '',
        creationTimestamp: time(now),
        ...(owner !== null && {
          ownerReferences: [{ apiVersion: 'batch/v1', kind: 'CronJob', ...owner, controller: true }],
        }),
      },
      spec: {},
      status: { startTime: time(now) },
    };
    jobs.set(name, job);
    ends.set(name, now + draw.below(120_000));
    observeJob(job);
    return job;
  };
  const remove = (job: Job): void => {
    jobs.delete(job.metadata.name);
    report({ type: 'job.deleted', uid: job.metadata.uid, namespace: 'team', resourceVersion: next() });
  };
  const hasEnded = ({ status }: Job): boolean => status?.conditions !== undefined;
  const isCalm = (): boolean => now > START + TROUBLE_MS;
  const isOwn = ({ metadata }: Job): boolean => /^tick-\d+$/.test(metadata.name) && !isForeign(metadata);
  const isForeign = ({ ownerReferences }: Job['metadata']): boolean => ownerReferences === undefined;
  /** Running Jobs that no status lists any more, by UID: their CronJob does not count them (J-9.30). */
  const unlisted = new Set<string>();
  const noteUnlisted = (): void => {
    const listed = new Set(cronJob.status?.active?.map(({ uid }) => uid));
    for (const job of jobs.values())
      if (!listed.has(job.metadata.uid) && job.metadata.name !== state.unknown?.name)
        unlisted.add(job.metadata.uid);
  };
  /** A Job of a start is created: beside which others? A decision from before a restore does not know the objects that exist again. */
  const starting = (name: string): void => {
    starts.push({ name, at: now });
    if (state.decidedIn < epoch) return;
    const beside = [...jobs.values()].filter(
      (job) => isOwn(job) && !hasEnded(job) && !unlisted.has(job.metadata.uid),
    );
    if (cronJob.spec.concurrencyPolicy === 'Allow' || beside.length === 0) return;
    const names = beside.map(({ metadata }) => metadata.name).join(', ');
    problems.add(`${name} starts beside ${names} (${cronJob.spec.concurrencyPolicy})`);
  };
  let copy: { cronJob: CronJob; jobs: Job[]; version: number } | null = null;
  const copyOrRestore = (): void => {
    if (!troubles.restores || isCalm()) return;
    if (draw.chance(0.02)) copy = structuredClone({ cronJob, jobs: [...jobs.values()], version });
    if (copy === null || !draw.chance(0.01)) return;
    reportLine('the API server is restored');
    // Changes that the watch had not reported yet may be lost.
    if (draw.chance(0.5)) deliver(queue);
    queue = [];
    epoch += 1;
    ({ cronJob, version } = structuredClone(copy));
    jobs.clear();
    const listed = structuredClone(copy.jobs);
    for (const job of listed) jobs.set(job.metadata.name, job);
    const itself = { type: 'cronjob.observed', cronJob: cronJobFacts(structuredClone(cronJob)) };
    const isFirst = draw.chance(0.5);
    if (isFirst) report(itself);
    const listedAt = String(version);
    for (const job of listed)
      report({ type: 'job.observed', job: { ...childFacts(structuredClone(job), UID), listedAt } });
    const there = new Set(listed.map(({ metadata }) => metadata.uid));
    for (const uid of recorded)
      if (!there.has(uid)) report({ type: 'job.deleted', uid, namespace: 'team', resourceVersion: listedAt });
    if (!isFirst) report(itself);
  };
  const playDeletion = (ref: CronChildRef): DeletionOutcome => {
    if (isRefused()) return { ...ref, result: 'failed', error: REFUSED };
    const job = jobs.get(ref.name);
    if (job?.metadata.uid === ref.uid) remove(job);
    return { ...ref, result: 'done' };
  };
  const isRefused = (): boolean => troubles.refusals && !isCalm() && draw.chance(0.15);
  const isLost = (): boolean => troubles.lostAnswers && !isCalm() && draw.chance(0.15);

  const playOutcome = (command: CronCommand): CronOutcome => {
    const at = now;
    const { kind } = command;
    const live = () => cronJobFacts(structuredClone(cronJob));
    if ('preconditions' in command && command.preconditions.generation !== cronJob.metadata.generation)
      return { kind: 'stale', commandKind: kind, why: 'it has changed', cronJob: live(), at };
    switch (kind) {
      case 'CreateJob': {
        if (isRefused()) return { kind, result: 'failed', error: REFUSED, at };
        const found = jobs.get(command.name);
        if (found !== undefined && childFacts(found, UID).elsewhere === true)
          return { kind, result: 'taken', by: 'which has no controller', at };
        // An earlier request may have created it, or nothing arrived.
        if (found === undefined && isLost()) {
          if (draw.chance(0.5)) {
            starting(command.name);
            const job = put(command.name, { uid: UID, name: 'tick' });
            if (draw.chance(0.5)) remove(job);
            else
              return {
                kind,
                result: 'created',
                job: childFacts(job, UID),
                createdAt: time(now),
                existing: true,
                at,
              };
          }
          return { kind, result: 'unknown', after: String(version), at };
        }
        if (found === undefined) starting(command.name);
        const job = found ?? put(command.name, { uid: UID, name: 'tick' });
        const createdAt = job.metadata.creationTimestamp;
        return {
          kind,
          result: 'created',
          job: childFacts(job, UID),
          createdAt,
          ...(found !== undefined && { existing: true }),
          at,
        };
      }
      case 'DeleteJobs':
        return { kind, jobs: command.jobs.map(playDeletion), at };
      case 'ReplaceJobs':
        return { kind, jobs: command.jobs.map(playDeletion), at };
      case 'WriteStatus':
        if (isRefused()) return { kind, result: 'failed', error: REFUSED, at };
        if (cronJob.metadata.resourceVersion !== command.resourceVersion)
          return { kind, result: 'conflict', cronJob: live(), at };
        cronJob.status = structuredClone(command.to);
        if (state.decidedIn < epoch) noteUnlisted();
        observe();
        return { kind, result: 'written', cronJob: live(), at };
      case 'EmitEvents':
        return { kind, at };
      case 'LookUpCronJob':
        return { kind, result: 'done', cronJob: live(), at };
      case 'LookUpJobs':
        return {
          kind,
          jobs: command.jobs.map((ref) => {
            const job = jobs.get(ref.name);
            if (job?.metadata.uid !== ref.uid) return { ...ref, result: 'gone' };
            return { ...ref, result: 'found', job: childFacts(job, UID) };
          }),
          at,
        };
      case 'AwaitWatch': {
        const after = command.resourceVersion ?? String(version);
        if (queue.length > 0 || (command.epoch ?? 0) !== epoch)
          return { kind, result: 'behind', after, reached: null, at };
        report({ type: 'watch.passed', resource: 'jobs', resourceVersion: after });
        return { kind, result: 'passed', after, reached: after, at };
      }
    }
  };
  const isFailure = (outcome: CronOutcome): boolean => {
    if (outcome.kind === 'skipped' || outcome.kind === 'stale') return true;
    if ('result' in outcome) return !['created', 'written', 'done', 'passed'].includes(outcome.result);
    return outcome.kind === 'ReplaceJobs' && outcome.jobs.some(({ result }) => result === 'failed');
  };

  let state: CronJobState = core.INITIAL_STATE;
  let nextDecisionAt: number | null = null;
  let decisions = 0;
  let hasNews = false;
  const law = repeatLaw();
  const work = (): void => {
    for (;;) {
      const decider = { cluster: 'c', cronJobUid: UID, subject: 'team/tick', firstRunId: 'chain' };
      const taken = step({ decider, state, now, settings: DEFAULT_CRON_SETTINGS });
      state = taken.state;
      ({ nextDecisionAt } = taken);
      requireLaterStep(taken, now);
      if (taken.decision === null) return;
      decisions += 1;
      const { decided } = taken.decision;
      reportLine(
        decided.data.commands.map(({ kind }) => kind).join(' | ') ||
          `waits: ${decided.data.waiting?.message}`,
      );
      law(decided, hasNews);
      hasNews = false;
      let hasFailed = false;
      for (const [command, each] of decided.data.commands.entries()) {
        const outcome: CronOutcome = hasFailed ? { kind: 'skipped', at: now } : playOutcome(each);
        hasFailed ||= isFailure(outcome);
        const data = { cluster: 'c', cronJobUid: UID, decision: decided.id, command, attempt: 1, outcome };
        const id = `${decided.id}/answer/${command}`;
        // While the outcome is on its way.
        copyOrRestore();
        if (draw.chance(0.1)) deliver(queue.splice(0, draw.below(queue.length + 1)));
        const record = { id, type: 'outcome.recorded' as const, source: '', subject: '', digest: '', data };
        state = core.fold(state, [record]);
      }
    }
  };

  const trouble = (): void => {
    const move = draw.pick([
      'suspend',
      'resume',
      'deadline',
      'policy',
      'schedule',
      'delete a Job',
      ...(troubles.strays ? ['stray', 'taken'] : []),
    ]);
    reportLine(move);
    const { spec } = cronJob;
    const before = JSON.stringify(spec);
    if (move === 'delete a Job') {
      const [job] = jobs.values();
      if (job !== undefined) remove(job);
    }
    if (move === 'stray') put(`stray-${version}`, { uid: UID, name: 'tick' });
    if (move === 'taken') put(`tick-${Math.floor(now / 60_000) + 1}`, null);
    if (move === 'suspend') spec.suspend = true;
    if (move === 'resume') delete spec.suspend;
    if (move === 'deadline') spec.startingDeadlineSeconds = 15 + draw.below(200);
    if (move === 'policy') spec.concurrencyPolicy = draw.pick(['Allow', 'Forbid', 'Replace']);
    if (move === 'schedule') spec.schedule = draw.pick(['* * * * *', '*/2 * * * *']);
    if (JSON.stringify(spec) === before) return;
    cronJob.metadata.generation = (cronJob.metadata.generation ?? 1) + 1;
    observe();
  };

  try {
    observe();
    for (; now < START + LIFE_MS; now += TICK_MS) {
      if (isCalm() && cronJob.spec.suspend === true) {
        delete cronJob.spec.suspend;
        cronJob.metadata.generation = (cronJob.metadata.generation ?? 1) + 1;
        observe();
      }
      for (const job of jobs.values()) {
        if (hasEnded(job) || now < (ends.get(job.metadata.name) ?? 0)) continue;
        const type = draw.pick(['Complete', 'Complete', 'Failed']);
        job.status = {
          ...job.status,
          conditions: [{ type, status: 'True' }],
          ...(type === 'Complete' && { completionTime: time(now) }),
        };
        observeJob(job);
      }
      if (troubles.edits && !isCalm() && draw.chance(0.02)) trouble();
      copyOrRestore();
      const due = draw.chance(isCalm() ? 1 : 0.3) ? queue : [];
      if (due.length > 0) queue = [];
      deliver(due);
      if (due.length > 0 || (nextDecisionAt !== null && nextDecisionAt <= now)) work();
    }
  } catch (error) {
    problems.add(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { problems: [...problems], log, decisions };
  }
  const names = starts.map(({ name }) => name);
  for (const name of new Set(names.filter((each, at) => names.indexOf(each) < at)))
    problems.add(`${name} started twice`);
  // In the calm time no start is missed while nothing forbids it: each Job ends after two minutes.
  const within = cronJob.spec.concurrencyPolicy === 'Forbid' ? 290_000 : 150_000;
  if (!starts.some(({ at }) => at > START + LIFE_MS - within))
    problems.add(`starts no more: waits ${JSON.stringify(state.waiting)}, looks again at ${nextDecisionAt}`);
  const there = new Set([...jobs.values()].map(({ metadata }) => metadata.uid));
  for (const [uid, { name }] of Object.entries(state.children))
    if (queue.length === 0 && !there.has(uid)) problems.add(`${name} is remembered, and is not there`);
  return { problems: [...problems], log, decisions };
}

function time(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

function aCronJob(draw: Draw): CronJob {
  return {
    metadata: {
      name: 'tick',
      namespace: 'team',
      uid: UID,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: time(START),
    },
    spec: {
      schedule: '* * * * *',
      concurrencyPolicy: draw.pick(['Allow', 'Forbid', 'Replace']),
      successfulJobsHistoryLimit: draw.below(4),
      failedJobsHistoryLimit: draw.below(2),
      ...(draw.chance(0.3) && { startingDeadlineSeconds: 20 + draw.below(100) }),
    },
    status: {},
  };
}
