import { JOB_CORES, type Core } from '../../cores/cores.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import { isLive } from '../../job/definitions/pod-phase.ts';
import { unfoldedRest, effectiveDecisions } from '../../decision/folding.ts';
import { decisionSteps } from '../../job/record/replay.ts';
import type { Settings } from '../../job/settings.ts';
import type { JobState } from '../../job/state.ts';
import type { Verdict } from '../../job/decide/verdict.ts';
import { compareDecisions, unknownDeletions, type Comparison, type RunEnd } from './compare-decisions.ts';
import { createCounterfactualJob, type CounterfactualJob } from './counterfactual-job.ts';
import { commandsEffect, toJobEnd, isSameEffect } from './effect.ts';
import type { RecordedDecision } from './outcomes.ts';
import type { JobEnd, PolicyChange } from './types.ts';

/** The course of a Job under another policy, as far as the recorded facts show this course. */
export interface CounterfactualOutcome extends RunEnd {
  /** The version of the core that made the decisions. */
  core: string;
  /**
   * The recorded pods that would not have existed, each name with the time since which the pod would not have
   * existed, in milliseconds; 0 for a pod that would never have existed.
   */
  absentPods: ReadonlyMap<string, number>;
}

/**
 * Signals are batched for this time, in milliseconds: after a pause of this length, decisions have taken account of
 * all earlier events.
 */
const BATCH_MS = 1000;
/** The maximum number of consecutive timers; more timers mean that the run does not end. */
const MAX_TIMERS = 1000;

interface CounterfactualRun {
  core: Core;
  /** The Job under the other policy. */
  job: CounterfactualJob;
  /** The state of the Job as recorded, at the same time. */
  recordedState: JobState;
  record: Comparison['record'];
  /** True when the gang of the Job was looked up. */
  hasGang: boolean;
  /** The latest recorded decision; the first recorded decision while the run has not reached it. */
  latest: JobDecided;
  absentPods: Map<string, number>;
  /** The time of the next decision about the Job, in milliseconds. */
  timer: number | null;
  /** The time of the latest event that no decision has followed yet, in milliseconds. */
  undecidedSince: number | null;
  /**
   * The time until which the commands of the latest recorded decision were in progress, in milliseconds, because
   * decisions follow one another.
   */
  busyUntil: number;
}

const STILL_RUNNING: RunEnd = { end: null, unknown: null };

/** Folds the recorded facts again, decides under the other policy, and stops where the facts no longer apply. */
export function runCounterfactual(stream: readonly JobEvent[], change: PolicyChange): CounterfactualOutcome {
  const decisions = effectiveDecisions(stream);
  const core = JOB_CORES.ofLast(decisions);
  const [latest] = decisions;
  if (latest === undefined) return { core: core.CORE_VERSION, ...STILL_RUNNING, absentPods: new Map() };
  const run: CounterfactualRun = {
    core,
    job: createCounterfactualJob(core, change),
    recordedState: core.INITIAL_STATE,
    record: { creations: creationsIn(decisions), end: recordedEndIn(decisions) },
    hasGang: decisions.some(({ data }) => data.commands.some(({ kind }) => kind === 'EnsureGang')),
    latest,
    absentPods: new Map(),
    timer: null,
    undecidedSince: null,
    busyUntil: -Infinity,
  };
  const end = runThrough(run, stream) ?? STILL_RUNNING;
  return { core: core.CORE_VERSION, ...end, absentPods: run.absentPods };
}

/** The end of the recorded Job; null while it runs. */
export function recordedEndIn(decisions: readonly JobDecided[]): JobEnd | null {
  for (const { data } of decisions) {
    const { ending } = commandsEffect(data.commands);
    if (ending !== null) return toJobEnd(ending, data.now);
  }
  return null;
}

/** The times when the recorded decisions created each pod, in milliseconds. */
function creationsIn(decisions: readonly JobDecided[]): Map<string, number> {
  return new Map(
    decisions.flatMap(({ data }) =>
      commandsEffect(data.commands).created.map((name) => [name, data.now] as const),
    ),
  );
}

/**
 * Runs through the recorded decisions, and returns the end of the run; null when the run reaches the end of the
 * stream.
 */
function runThrough(run: CounterfactualRun, stream: readonly JobEvent[]): RunEnd | null {
  const outcomes = stream.filter((event) => event.type === 'outcome.recorded');
  const folded = new Set<string>();
  for (const { events, decision } of decisionSteps(stream, run.core)) {
    run.busyUntil = busyUntil(run.latest, events);
    for (const event of events) folded.add(event.id);
    const end =
      foldFacts(run, events) ??
      advanceTo(run, decision.data.now) ??
      decideBeside(run, {
        decision,
        outcomes: outcomes.filter(({ data }) => data.decision === decision.id),
      });
    if (end !== null) return end;
    run.recordedState = run.core.fold(run.recordedState, [decision]);
    // Later events are consequences of the recorded end.
    if (commandsEffect(decision.data.commands).ending !== null) return afterRecordedEnd(run);
  }
  return foldFacts(run, unfoldedRest(stream, folded, run.latest.id)) ?? decideOnUndecided(run);
}

/** Folds recorded facts at their times, and makes the decisions that become due between them. */
function foldFacts(run: CounterfactualRun, events: readonly JobEvent[]): RunEnd | null {
  for (const event of events) {
    const at = Date.parse(event.time);
    const end = advanceTo(run, at);
    if (end !== null) return end;
    const fact = run.core.compact(event);
    if (fact !== null) run.recordedState = run.core.fold(run.recordedState, [fact]);
    run.job.fold(event);
    run.undecidedSince = at;
  }
  return null;
}

/** Advances the time to an instant, and makes all decisions that are due by that instant. */
function advanceTo(run: CounterfactualRun, to: number): RunEnd | null {
  if (run.undecidedSince !== null && to - timeWhenFree(run, run.undecidedSince) > BATCH_MS) {
    const end = decideOnUndecided(run);
    if (end !== null) return end;
  }
  while (run.timer !== null && timeWhenFree(run, run.timer) < to) {
    const end = decideAt(run, timeWhenFree(run, run.timer));
    if (end !== null) return end;
  }
  return null;
}

/** The time of a due decision, which waits until the commands of the previous decision are carried out. */
function timeWhenFree({ busyUntil: free }: CounterfactualRun, due: number): number {
  return Math.max(due, free);
}

/** The time when the last outcome of a decision was recorded, among the events that the next decision has folded. */
function busyUntil({ id }: JobDecided, events: readonly JobEvent[]): number {
  const outcomes = events.filter((event) => event.type === 'outcome.recorded' && event.data.decision === id);
  return Math.max(...outcomes.map(({ time }) => Date.parse(time)));
}

/** Decides about events that no decision has followed yet. */
function decideOnUndecided(run: CounterfactualRun): RunEnd | null {
  return run.undecidedSince === null ? null : decideAt(run, timeWhenFree(run, run.undecidedSince));
}

/**
 * Decides at a time without a recorded decision; such a decision matters only where the recorded state would give
 * another decision.
 */
function decideAt(run: CounterfactualRun, now: number): RunEnd | null {
  const settings = runSettings(run, run.latest);
  const verdict = run.core.decide(run.job.state, now, settings);
  const recorded = run.core.decide(run.recordedState, now, settings);
  setTimer(run, verdict, now);
  if (isSameEffect(commandsEffect(verdict.commands), commandsEffect(recorded.commands))) return null;
  return carryOut(run, verdict, now, null);
}

/** Decides at the time of a recorded decision. */
function decideBeside(run: CounterfactualRun, recorded: RecordedDecision): RunEnd | null {
  run.latest = recorded.decision;
  const { now } = recorded.decision.data;
  const verdict = run.core.decide(run.job.state, now, runSettings(run, recorded.decision));
  setTimer(run, verdict, now);
  return carryOut(run, verdict, now, recorded);
}

/**
 * The settings of a recorded decision; gang scheduling is off unless the recorded Job had a gang, because a
 * counterfactual run ignores the scheduling of its pods.
 */
function runSettings({ hasGang }: CounterfactualRun, { data: { settings } }: JobDecided): Settings {
  const { gangScheduling: _gangs, ...others } = settings;
  return hasGang ? settings : others;
}

/** Sets the time of the next decision. */
function setTimer(run: CounterfactualRun, { nextDecisionAt }: Verdict, now: number): void {
  run.undecidedSince = null;
  run.timer = nextDecisionAt !== null && nextDecisionAt > now ? nextDecisionAt : null;
}

/** Carries out a decision, as far as its outcome is recorded. */
function carryOut(
  run: CounterfactualRun,
  verdict: Verdict,
  now: number,
  recorded: RecordedDecision | null,
): RunEnd | null {
  const { state } = run.job;
  const { end, postponed, notCreated, deletedEarlier } = compareDecisions({
    commands: verdict.commands,
    recorded: recorded?.decision.data.commands ?? null,
    now,
    state,
    record: run.record,
  });
  if (end !== null || postponed) return end;
  for (const name of notCreated) leaveOut(run, name, 0);
  if (verdict.commands.length > 0) run.job.carryOut(verdict, now, run.latest, recorded);
  for (const name of deletedEarlier) leaveOut(run, name, now);
  return null;
}

/** Leaves a pod out of this run, because it would not have existed since this time. */
function leaveOut(run: CounterfactualRun, name: string, since: number): void {
  run.job.leaveOut(name);
  if (!run.absentPods.has(name)) run.absentPods.set(name, since);
}

/**
 * Decides at the remaining timers after the recorded end, because a pod that is created after that end has no
 * recorded facts.
 */
function afterRecordedEnd(run: CounterfactualRun): RunEnd | null {
  for (let timers = 0; run.timer !== null && timers < MAX_TIMERS; timers += 1) {
    const end = decideAt(run, run.timer);
    if (end !== null) return end;
  }
  const { state } = run.job;
  const running = Object.entries(state.pods).flatMap(([uid, pod]) => (isLive(pod) ? [uid] : []));
  return running.length === 0 ? null : unknownDeletions(state, running, run.latest.data.now);
}
