import { UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { NO_PROGRESS, type Progress } from '../../services/worker/activities/attempt/progress.ts';
import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import { verifyStream } from '../../workflows/history/verify/verify-stream.ts';
import * as core from '../../workflows/job/core.ts';
import { isOver } from '../../workflows/job/decide/after-the-end.ts';
import { computeDigest } from '../../workflows/ledger/digest.ts';
import type { OutcomeRecorded, JobEvent } from '../../workflows/job/events.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { Outcome } from '../../workflows/job/outcomes.ts';
import { foldStream } from '../../workflows/decision/folding.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { step, type StepDecision } from '../../workflows/job/step.ts';
import { COMPLETION_INDEX } from '../../workflows/kubernetes/names.ts';
import type { Job, Pod } from '../../workflows/kubernetes/objects.ts';
import { aServer, refusal, type Copy } from './a-server.ts';
import { indexesIn } from './indexes.ts';
import { aDraw, isMet, planted, type Draw, type Life, type Plant } from './life.ts';
import { repeatLaw, requireLaterStep } from './repeats.ts';

const START = Date.parse('2026-11-01T00:00:00Z');
/** The time with troubles, and the time that the life may last, in milliseconds. */
const [TROUBLE_MS, LONGEST_MS] = [300_000, 3_600_000];
const TICK_MS = 500;
/** A restore is noticed so late at most, in milliseconds. */
const NOTICED_MS = 20_000;
/** The draws about restores have seeds of their own, this far from the other seeds. */
const COPIES = 5_000_000_029;
const JOB = { cluster: 'c', namespace: 'team', name: 'pi', uid: 'job-uid', kind: 'Job' } as const;

/** The facts that the kubelet knows about a pod. */
interface Run {
  pod: Pod;
  index: number | undefined;
  endAt?: number;
  killAt?: number;
  until: number | null;
}

interface Recorded {
  event: JobEvent;
  kind: 'Job' | 'Pod';
}

/** The troubles that a life has. */
interface Troubles {
  refusals: boolean;
  lostAnswers: boolean;
  recalls: boolean;
  repeats: boolean;
  scale: boolean;
  restores: boolean;
  deletion: boolean;
  /** The API server is restored from copies that are seconds old, and that is noticed a while later. */
  copies: boolean;
}

function drawTroubles(draw: Draw, copies: Draw): Troubles {
  return {
    refusals: draw.chance(0.4),
    lostAnswers: draw.chance(0.4),
    recalls: draw.chance(0.4),
    repeats: draw.chance(0.3),
    scale: draw.chance(0.4),
    restores: draw.chance(0.25),
    deletion: draw.chance(0.1),
    copies: copies.chance(0.4),
  };
}

/**
 * A random life of an ordinary Job: the core and the worker's activities as shipped, over an API server, a kubelet and watches that are
 * played here, without the builders that other tests use. Everything is well again after a while, and the Job must end.
 */
export async function jobLife(seed: number, plant?: Plant<Outcome>): Promise<Life> {
  const draw = aDraw(seed);
  const copies = aDraw(seed + COPIES);
  const troubles = drawTroubles(draw, copies);
  /** Digests and decisions made again take most of the time. */
  const isVerified = seed % 4 === 0;
  const settings = { ...DEFAULT_SETTINGS, maxPodsPerSync: draw.pick([500, 500, 3]) };
  let now = START;
  let epoch = 0;
  const server = aServer(JOB.cluster, () => now);
  const runs = new Map<string, Run>();
  const log: string[] = [];
  const report = (text: string): void => void log.push(`${((now - START) / 1000).toFixed(1)} ${text}`);
  const problems = new Set<string>();

  const ledger: JobEvent[] = [];
  const append = (event: Omit<JobEvent, 'time'>): JobEvent => {
    const stamped = { ...event, time: new Date(now).toISOString() } as JobEvent;
    ledger.push(stamped);
    return stamped;
  };
  let facts = 0;
  const createFact = (
    type: 'job.observed' | 'job.deleted' | 'pod.observed' | 'pod.deleted',
    more: object,
  ): JobEvent => {
    facts += 1;
    const data = { cluster: JOB.cluster, jobUid: JOB.uid, ...(epoch > 0 && { epoch }), ...more };
    const envelope = {
      id: `fact-${facts}`,
      type,
      source: JOB.cluster,
      subject: 'team/pi',
      digest: isVerified ? computeDigest(data) : '',
    };
    return { ...envelope, time: '', data } as unknown as JobEvent;
  };
  /** Watch events that the ingester has not recorded yet, of Jobs and of pods. */
  let onWatch: Recorded[] = [];
  const recorded: JobEvent[] = [];
  /** The time when the ingester notices that the API server was restored; null: the ingester knows. */
  let noticedAt: number | null = null;
  server.watch = (change) => {
    const { metadata } = change.object;
    if (change.kind === 'Pod' && change.type === 'changed') noteRun(change.object as Pod);
    if (noticedAt !== null) return;
    if (change.kind === 'Job')
      onWatch.push({
        kind: 'Job',
        event:
          change.type === 'changed'
            ? createFact('job.observed', { object: change.object })
            : createFact('job.deleted', { resourceVersion: change.resourceVersion, seen: true }),
      });
    else
      onWatch.push({
        kind: 'Pod',
        event:
          change.type === 'changed'
            ? createFact('pod.observed', { object: change.object })
            : createFact('pod.deleted', {
                podUid: metadata.uid,
                podName: metadata.name,
                resourceVersion: change.resourceVersion,
                seen: true,
              }),
      });
  };
  const noteRun = (pod: Pod): void => {
    const { uid, name } = pod.metadata;
    if (runs.has(uid)) return;
    const index = pod.metadata.annotations?.[COMPLETION_INDEX];
    const live = server.pods.get(name);
    if (live !== undefined)
      runs.set(uid, { pod: live, index: index === undefined ? undefined : Number(index), until: null });
  };

  const job = aJob(draw);
  server.jobs.set(job.metadata.name, job);
  server.touch(job);
  const live = (): Job | undefined => server.jobs.get('pi');
  const edit = (change: (spec: Job['spec']) => void): void => {
    const changed = live();
    if (changed === undefined) return;
    change(changed.spec);
    changed.metadata.generation = (changed.metadata.generation ?? 1) + 1;
    server.touch(changed);
  };
  const hasEnded = (): boolean =>
    (live()?.status?.conditions ?? []).some(
      ({ type, status }) => status === 'True' && ['Complete', 'Failed'].includes(type),
    );

  const refused = new Set<string>();
  const isCalm = (): boolean => now > START + TROUBLE_MS;
  server.before = (request) => {
    if (isCalm() || request.path.includes('/events')) return;
    if (troubles.lostAnswers && draw.chance(0.02)) throw new UnavailableError('the request was lost');
    if (
      request.method !== 'GET' &&
      (refused.has(requestVerb(request)) || (troubles.refusals && draw.chance(0.03)))
    )
      throw refusal(403, 'Forbidden', 'a policy', request.path);
  };
  server.after = (request) => {
    if (isCalm() || request.method === 'GET' || request.path.includes('/events')) return;
    if (troubles.lostAnswers && draw.chance(0.06)) throw new UnavailableError('the answer was lost');
    if (troubles.refusals && draw.chance(0.02))
      throw refusal(500, 'InternalError', 'a webhook', request.path);
  };

  let state: JobState = core.INITIAL_STATE;
  let nextDecisionAt: number | null = null;
  let hasNews = false;
  let open: {
    decision: StepDecision;
    progress: Progress<Unstamped<OutcomeRecorded>>;
    attempt: number;
  } | null = null;
  let decisions = 0;
  const law = repeatLaw();
  const claimed = createClaimedJobs('managed');
  const carryOut = async (): Promise<boolean> => {
    if (open === null) return true;
    const { decision, progress, attempt } = open;
    let kept = progress;
    try {
      const answered = await carryOutJob(
        {
          client: server.client,
          appender: {
            append: (events) => Promise.resolve(events.forEach((event) => append(event as JobEvent))),
          },
          log: silentLog(),
          now: () => now,
          count: () => undefined,
          reportOlder: () => undefined,
          claimed,
        },
        { ...decision, job: JOB, received: [] },
        {
          number: attempt,
          signal: new AbortController().signal,
          before: progress,
          report: (each) => void (kept = each),
        },
      );
      open = null;
      if (troubles.recalls && !isCalm() && draw.chance(0.05)) {
        report('the run is replaced');
        state = foldStream(ledger, core as never) as JobState;
      } else state = core.fold(state, planted(plant, answered));
      return true;
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      open = { decision, progress: kept, attempt: attempt + 1 };
      return false;
    }
  };
  const work = async (): Promise<void> => {
    if (!(await carryOut())) return;
    for (;;) {
      const taken = step(core, {
        decider: { cluster: JOB.cluster, jobUid: JOB.uid, subject: 'team/pi', firstRunId: 'chain' },
        state,
        now,
        settings,
      });
      state = taken.state;
      ({ nextDecisionAt } = taken);
      requireLaterStep(taken, now);
      if (taken.decision === null) return;
      decisions += 1;
      const { decided } = taken.decision;
      report(decided.data.commands.map(inShort).join(' | ') || `waits: ${decided.data.waiting?.message}`);
      law(decided, hasNews);
      hasNews = false;
      open = { decision: taken.decision, progress: NO_PROGRESS, attempt: 1 };
      if (!(await carryOut())) return;
    }
  };

  /** The indexes whose container has ended with success, also in a time that a restored API server has forgotten. */
  const succeeded = new Set<number | undefined>();
  const finish = (run: Run, phase: 'Succeeded' | 'Failed', exitCode: number): void => {
    run.until = now;
    if (phase === 'Succeeded') succeeded.add(run.index);
    const terminated = { exitCode, finishedAt: new Date(now).toISOString() };
    run.pod.status = { phase, containerStatuses: [{ name: 'c', restartCount: 0, state: { terminated } }] };
    if (run.pod.metadata.deletionTimestamp !== undefined) run.pod.metadata.deletionGracePeriodSeconds = 0;
    server.touch(run.pod);
  };
  const kubelet = (): void => {
    for (const run of runs.values()) {
      const { pod } = run;
      if (run.until !== null) continue;
      if (server.pods.get(pod.metadata.name) !== pod) {
        run.until = now;
        continue;
      }
      if (pod.metadata.deletionTimestamp !== undefined) run.killAt ??= now + 500 + draw.next() * 4000;
      if (run.killAt !== undefined && now >= run.killAt) finish(run, 'Failed', 137);
      else if (pod.status?.phase === 'Pending' && draw.chance(0.5)) {
        pod.spec.nodeName = 'n';
        const ready = { type: 'Ready', status: 'True', lastTransitionTime: new Date(now).toISOString() };
        pod.status = { phase: 'Running', conditions: [ready] };
        run.endAt = now + 500 + draw.next() * 8000;
        server.touch(pod);
      } else if (run.killAt === undefined && run.endAt !== undefined && now >= run.endAt)
        if (draw.chance(isCalm() ? 0.9 : 0.65)) finish(run, 'Succeeded', 0);
        else finish(run, 'Failed', draw.pick([1, 2]));
    }
  };

  let backup: { copy: Copy; runs: Map<string, Omit<Run, 'pod'>> } | null = null;
  const makeBackup = (): void =>
    void (backup = {
      copy: server.copy(),
      runs: new Map([...runs].map(([uid, { pod: _pod, ...run }]) => [uid, run])),
    });
  const troubleCopies = (): void => {
    if (noticedAt !== null && (isCalm() || noticedAt <= now)) notice();
    if (isCalm() || hasEnded()) return;
    if (copies.chance(0.03)) makeBackup();
    if (copies.chance(0.01)) restore(true);
  };
  /** UIDs of the pods that the ledger may know. */
  const known = new Set<string>();
  const restore = (isLate = false): void => {
    if (backup === null) return;
    report('the API server is restored');
    for (const { metadata } of server.pods.values()) known.add(metadata.uid);
    server.restore(backup.copy);
    for (const pod of server.pods.values()) {
      const then = backup.runs.get(pod.metadata.uid);
      if (then !== undefined) runs.set(pod.metadata.uid, { ...then, pod });
    }
    reached = NOTHING_REACHED;
    onWatch = [];
    if (isLate) noticedAt ??= now + copies.below(NOTICED_MS);
    else notice();
  };
  const notice = (): void => {
    report('the restore is noticed');
    noticedAt = null;
    epoch += 1;
    const restored = live();
    if (restored !== undefined)
      onWatch.push({ kind: 'Job', event: createFact('job.observed', { object: structuredClone(restored) }) });
    const listedAt = String(server.version());
    const inOrder = [...server.pods.values()].toSorted(
      (a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion),
    );
    for (const pod of inOrder) {
      known.delete(pod.metadata.uid);
      onWatch.push({
        kind: 'Pod',
        event: createFact('pod.observed', { object: structuredClone(pod), listedAt }),
      });
    }
    for (const uid of Object.keys(state.pods)) known.add(uid);
    const present = new Set(inOrder.map(({ metadata }) => metadata.uid));
    for (const uid of known)
      if (!present.has(uid))
        onWatch.push({
          kind: 'Pod',
          event: createFact('pod.deleted', {
            podUid: uid,
            podName: '',
            resourceVersion: listedAt,
            seen: false,
          }),
        });
  };

  const trouble = (): void => {
    const move = draw.pick([
      'suspend',
      'resume',
      'parallelism',
      'evict',
      'evict',
      ...(troubles.scale && job.spec.completionMode === 'Indexed' ? (['scale', 'scale'] as const) : []),
      ...(troubles.refusals ? (['refuse', 'refuse', 'allow'] as const) : []),
      ...(troubles.restores ? (['backup', 'restore'] as const) : []),
      ...(troubles.deletion ? (['delete'] as const) : []),
    ]);
    if (move !== 'evict') report(move);
    if (move === 'suspend') edit((spec) => void (spec.suspend = true));
    if (move === 'resume') edit((spec) => void delete spec.suspend);
    if (move === 'parallelism') edit((spec) => void (spec.parallelism = draw.below(5)));
    if (move === 'scale') {
      const size = 1 + draw.below(draw.pick([7, 20]));
      edit((spec) => void (spec.parallelism = spec.completions = size));
    }
    if (move === 'refuse')
      refused.add(draw.pick(['POST pods', 'DELETE pods', 'PATCH pods', 'PATCH status', 'PUT status']));
    if (move === 'allow') refused.clear();
    if (move === 'evict') {
      const running = [...runs.values()].filter(({ until }) => until === null);
      const { pod } = running[draw.below(running.length)] ?? {};
      if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return;
      pod.metadata.deletionTimestamp = new Date(now).toISOString();
      pod.metadata.deletionGracePeriodSeconds = 30;
      server.touch(pod);
    }
    if (move === 'backup') makeBackup();
    if (move === 'restore') restore();
    if (move === 'delete') {
      const deleted = live();
      if (deleted !== undefined) server.remove(deleted);
      // The garbage collector deletes its pods.
      for (const pod of server.pods.values()) {
        pod.metadata.deletionTimestamp ??= new Date(now).toISOString();
        pod.metadata.deletionGracePeriodSeconds ??= runs.get(pod.metadata.uid)?.until === null ? 30 : 0;
        server.touch(pod);
      }
    }
  };

  /** `completions` when the status showed that they are reached: the Job ends with these (J-3.52). */
  let reachedVersion: number | undefined;
  /** The claims of the status up to now. */
  let reached = NOTHING_REACHED;
  const check = (): void => {
    const shown = live();
    if (shown !== undefined) {
      if (!isMet(shown)) reachedVersion = undefined;
      else reachedVersion ??= shown.spec.completions;
      const { status = {} } = shown;
      const { completions = Infinity } = shown.spec;
      const completed = indexesIn(status.completedIndexes);
      if (!troubles.scale && (status.succeeded ?? 0) < reached.succeeded)
        problems.add(`succeeded fell from ${reached.succeeded} to ${status.succeeded ?? 0}`);
      if ((status.failed ?? 0) < reached.failed) problems.add('failed fell');
      for (const index of reached.completed)
        if (index < completions && !completed.includes(index))
          problems.add(`the completed index ${index} is lost`);
      const failed = new Set(indexesIn(status.failedIndexes));
      if (completed.some((index) => failed.has(index))) problems.add('an index is completed and failed');
      for (const index of completed)
        if (!succeeded.has(index)) problems.add(`the index ${index} is completed without a success`);
      reached = { succeeded: status.succeeded ?? 0, failed: status.failed ?? 0, completed };
    }
    const by = new Map<number, string>();
    for (const { pod, index, until } of runs.values()) {
      if (until !== null || index === undefined || epoch > 0 || noticedAt !== null) continue;
      if (pod.metadata.deletionTimestamp !== undefined) continue;
      const other = by.get(index);
      if (other !== undefined) problems.add(`index ${index} runs in ${other} and ${pod.metadata.name}`);
      by.set(index, pod.metadata.name);
    }
  };

  try {
    for (; now < START + LONGEST_MS; now += TICK_MS) {
      if (isCalm()) refused.clear();
      kubelet();
      if (troubles.copies) troubleCopies();
      if (!isCalm() && !hasEnded() && draw.chance(0.05)) trouble();
      const { suspend, parallelism = 1 } = live()?.spec ?? {};
      if (isCalm() && !hasEnded() && (suspend === true || parallelism === 0))
        edit((spec) => {
          delete spec.suspend;
          spec.parallelism = Math.max(1, parallelism);
        });
      const news: JobEvent[] = [];
      for (const kind of ['Job', 'Pod'] as const)
        while (draw.chance(0.75)) {
          const at = onWatch.findIndex((each) => each.kind === kind);
          if (at < 0) break;
          for (const { event } of onWatch.splice(at, 1)) news.push(append(event));
        }
      recorded.push(...news);
      const again = recorded.at(-1 - draw.below(10));
      if (troubles.repeats && again !== undefined && draw.chance(0.1)) news.push(again);
      hasNews ||= news.length > 0;
      state = core.fold(
        state,
        news.flatMap((event) => core.compact(event) ?? []),
      );
      if (news.length > 0 || open !== null || (nextDecisionAt !== null && nextDecisionAt <= now))
        await work();
      check();
      const isQuiet =
        onWatch.length === 0 && open === null && [...runs.values()].every(({ until }) => until !== null);
      if (isQuiet && (hasEnded() || live() === undefined) && isOver(state, settings)) break;
    }
  } catch (error) {
    problems.add(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return { problems: [...problems], log, decisions };
  }

  if (!hasEnded() && live() !== undefined)
    problems.add(`does not end: waits ${JSON.stringify(state.waiting)}, ${JSON.stringify(live()?.status)}`);
  const tracked = [...server.pods.values()].filter(({ metadata }) => (metadata.finalizers ?? []).length > 0);
  if (tracked.length > 0) problems.add(`${tracked.length} pods keep their finalizer`);
  for (const problem of ofTheEnd()) problems.add(problem);
  if (isVerified)
    for (const { message } of verifyStream(ledger).findings.slice(0, 2)) problems.add(`verify: ${message}`);
  return { problems: [...problems], log, decisions };

  function ofTheEnd(): string[] {
    const { spec, status = {} } = live() ?? { spec: {} };
    const isComplete = (status.conditions ?? []).some(
      ({ type, status: is }) => type === 'Complete' && is === 'True',
    );
    if (!isComplete || spec.successPolicy !== undefined || spec.completions === undefined) return [];
    if (spec.completionMode !== 'Indexed') {
      const real = [...runs.values()].filter(({ pod }) => pod.status?.phase === 'Succeeded').length;
      return epoch === 0 && (status.succeeded ?? 0) > real
        ? [`succeeded ${status.succeeded} of ${real}`]
        : [];
    }
    return Array.from({ length: reachedVersion ?? spec.completions }, (_none, index) => index)
      .filter((index) => !succeeded.has(index))
      .map((index) => `Complete without a success of index ${index}`);
  }
}

const NOTHING_REACHED = { succeeded: 0, failed: 0, completed: [] as number[] };

/** `POST pods`, `PATCH status`. */
function requestVerb({ method, path }: ApiRequest): string {
  const what = path.endsWith('/status') ? 'status' : path.includes('/pods') ? 'pods' : 'jobs';
  return `${method} ${what}`;
}

function inShort(command: { kind: string; pods?: readonly unknown[] }): string {
  return `${command.kind}${command.pods === undefined ? '' : ` ${command.pods.length}`}`;
}

function aJob(draw: Draw): Job {
  const isIndexed = draw.chance(0.6);
  const isPerIndex = isIndexed && draw.chance(0.4);
  const hasPolicy = draw.chance(0.2);
  const actions = ['Ignore', 'Count', 'FailJob', ...(isPerIndex ? ['FailIndex'] : [])] as [
    string,
    ...string[],
  ];
  const labels = { 'batch.kubernetes.io/controller-uid': JOB.uid };
  const spec: Job['spec'] = {
    managedBy: 'jobledger.dev/job-controller',
    parallelism: 1 + draw.below(4),
    ...((isIndexed || draw.chance(0.6)) && { completions: 1 + draw.below(6) }),
    ...(isIndexed && { completionMode: 'Indexed' }),
    ...(isPerIndex
      ? {
          backoffLimitPerIndex: draw.below(3),
          backoffLimit: 2_147_483_647,
          ...(draw.chance(0.5) && { maxFailedIndexes: draw.below(3) }),
        }
      : { backoffLimit: draw.pick([0, 2, 6, 2_147_483_647]) }),
    ...((hasPolicy || draw.chance(0.4)) && { podReplacementPolicy: 'Failed' }),
    ...(draw.chance(0.15) && { activeDeadlineSeconds: 20 + draw.below(100) }),
    ...(isIndexed && draw.chance(0.2) && { successPolicy: { rules: [{ succeededCount: 1 }] } }),
    ...(hasPolicy && {
      podFailurePolicy: {
        rules: [{ action: draw.pick(actions), onExitCodes: { operator: 'In', values: [2] } }],
      },
    }),
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [{ name: 'c' }] } },
  };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name: 'pi',
      namespace: 'team',
      uid: JOB.uid,
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: new Date(START).toISOString(),
    },
    spec,
    status: {},
  };
}
