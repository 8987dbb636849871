import { coreOfLast, type Core } from '../../cores/cores.ts';
import type { CommandAnswered, JobDecided, JobEvent } from '../../job/events.ts';
import { isLive } from '../../job/definitions/pod-phase.ts';
import { refOf } from '../../job/definitions/pod-refs.ts';
import { restOf, standingDecisions, stepsOf } from '../../job/record/replay.ts';
import type { JobState } from '../../job/state.ts';
import type { Verdict } from '../../job/decide/verdict.ts';
import { few } from '../timeline/few.ts';
import type { Record } from './outcomes.ts';
import { effectOf, endOf, isSameEffect, type Effect } from './effect.ts';
import type { JobEnd, PolicyChange } from './types.ts';
import { createCounterfactualJob, type CounterfactualJob } from './counterfactual-job.ts';

/** What a Job would have done under another policy, as far as the recorded facts allow to say. */
export interface CounterfactualOutcome {
  /** Version of the core that made the decisions. */
  core: string;
  end: JobEnd | null;
  /** From when on, in milliseconds, nothing is known, and why. */
  unknown: { since: number; words: string } | null;
  /** Names of recorded pods that would not have existed, with since when in milliseconds: 0 if they would never have existed. */
  left: ReadonlyMap<string, number>;
}

/** Signals are batched for this long, in milliseconds: after it without an event, everything before has been decided on. */
const QUIET_MS = 1000;
/** A recorded decision may come this much later, in milliseconds, than the same one here, because a worker was slow. */
const SLACK_MS = 2000;
/** Maximum number of timers in a row; more means that the run does not end. */
const MAX_ALARMS = 1000;

interface CounterfactualRun {
  core: Core;
  world: CounterfactualJob;
  actual: JobState;
  left: Map<string, number>;
  /** When the recorded decisions created each pod, in milliseconds, and how they ended the Job. */
  creations: ReadonlyMap<string, number>;
  ending: JobEnd | null;
  outcomes: readonly CommandAnswered[];
  /** The latest recorded decision, or the first one before any. */
  like: JobDecided;
  alarm: number | null;
  /** Time of the latest event that no decision has followed yet, in milliseconds. */
  open: number | null;
}

type Stop = Pick<CounterfactualOutcome, 'end' | 'unknown'>;

export function runCounterfactual(stream: readonly JobEvent[], change: PolicyChange): CounterfactualOutcome {
  const decisions = standingDecisions(stream);
  const core = coreOfLast(decisions);
  const run = startRun(core, decisions, stream, change);
  const { CORE_VERSION: version } = core;
  if (run === null) return { core: version, end: null, unknown: null, left: new Map() };
  return { core: version, ...(along(run, stream) ?? { end: null, unknown: null }), left: run.left };
}

function startRun(
  core: Core,
  decisions: readonly JobDecided[],
  stream: readonly JobEvent[],
  change: PolicyChange,
): CounterfactualRun | null {
  const [like] = decisions;
  if (like === undefined) return null;
  const creations = new Map(
    decisions.flatMap(({ data }) => effectOf(data.commands).created.map((name) => [name, data.now] as const)),
  );
  const ending = endingIn(decisions);
  const outcomes = stream.filter((event) => event.type === 'command.answered');
  const counterfactual = createCounterfactualJob(core, change);
  return {
    core,
    world: counterfactual,
    actual: core.INITIAL_STATE,
    left: new Map(),
    creations,
    ending,
    outcomes,
    like,
    alarm: null,
    open: null,
  };
}

/** How the recorded Job ended; null when it has not. */
export function endingIn(decisions: readonly JobDecided[]): JobEnd | null {
  for (const { data } of decisions) {
    const { ending } = effectOf(data.commands);
    if (ending !== null) return endOf(ending, data.now);
  }
  return null;
}

function along(run: CounterfactualRun, stream: readonly JobEvent[]): Stop | null {
  const named = new Set<string>();
  for (const { events, decision } of stepsOf(stream, run.core)) {
    for (const event of events) named.add(event.id);
    const stop = takeAll(run, events) ?? passTo(run, decision.data.now) ?? decideWith(run, decision);
    if (stop !== null) return stop;
    run.actual = run.core.fold(run.actual, [decision]);
    // Later events are consequences of the recorded end.
    if (effectOf(decision.data.commands).ending !== null) return afterItsEnd(run);
  }
  return takeAll(run, restOf(stream, named, run.like.id)) ?? lookIfOpen(run);
}

function takeAll(run: CounterfactualRun, events: readonly JobEvent[]): Stop | null {
  for (const event of events) {
    const at = Date.parse(event.time);
    const stop = passTo(run, at);
    if (stop !== null) return stop;
    const fact = run.core.compact(event);
    if (fact !== null) run.actual = run.core.fold(run.actual, [fact]);
    run.world.fold(event);
    run.open = at;
  }
  return null;
}

/** Advances the time, and decides whenever something is due until then. */
function passTo(run: CounterfactualRun, to: number): Stop | null {
  if (run.open !== null && to - run.open > QUIET_MS) {
    const stop = lookIfOpen(run);
    if (stop !== null) return stop;
  }
  while (run.alarm !== null && run.alarm < to) {
    const stop = look(run, run.alarm);
    if (stop !== null) return stop;
  }
  return null;
}

function lookIfOpen(run: CounterfactualRun): Stop | null {
  return run.open === null ? null : look(run, run.open);
}

/** Decides at a time without a recorded decision: matters only where the recorded state would give another decision. */
function look(run: CounterfactualRun, now: number): Stop | null {
  const { settings } = run.like.data;
  const verdict = run.core.decide(run.world.state, now, settings);
  const effect = effectOf(verdict.commands);
  scheduleNext(run, verdict, now);
  if (isSameEffect(effect, effectOf(run.core.decide(run.actual, now, settings).commands))) return null;
  return act(run, verdict, now, null);
}

function decideWith(run: CounterfactualRun, decision: JobDecided): Stop | null {
  run.like = decision;
  const { now, settings } = decision.data;
  const verdict = run.core.decide(run.world.state, now, settings);
  scheduleNext(run, verdict, now);
  const outcomes = run.outcomes.filter(({ data }) => data.decision === decision.id);
  return act(run, verdict, now, { decision, outcomes });
}

function scheduleNext(run: CounterfactualRun, { lookAgainAt }: Verdict, now: number): void {
  run.open = null;
  run.alarm = lookAgainAt !== null && lookAgainAt > now ? lookAgainAt : null;
}

const NOTHING: Effect = { created: [], deleted: [], ending: null };

function act(run: CounterfactualRun, verdict: Verdict, now: number, record: Record | null): Stop | null {
  const mine = effectOf(verdict.commands);
  const theirs = record === null ? NOTHING : effectOf(record.decision.data.commands);
  if (mine.ending !== null)
    return record === null && endsSoon(run, mine.ending, now)
      ? null
      : { end: endOf(mine.ending, now), unknown: null };
  const created = mine.created.filter((name) => !theirs.created.includes(name));
  if (created.length > 0)
    return created.every((name) => comesSoon(run, name, now)) ? null : unknownPods(created, now);
  const spared = theirs.deleted.filter(
    (uid) => !mine.deleted.includes(uid) && run.world.state.pods[uid] !== undefined,
  );
  if (spared.length > 0) return unknownEnds(namesOf(run.world.state, spared), now);
  const cut = namesOf(
    run.world.state,
    mine.deleted.filter((uid) => !theirs.deleted.includes(uid)),
  );
  for (const name of theirs.created) if (!mine.created.includes(name)) leave(run, name, 0);
  if (verdict.commands.length > 0) run.world.carryOut(verdict, now, run.like, record);
  for (const name of cut) leave(run, name, now);
  return null;
}

function endsSoon({ ending }: CounterfactualRun, mine: NonNullable<Effect['ending']>, now: number): boolean {
  const { type, reason } = endOf(mine, now);
  if (ending === null || ending.type !== type || ending.reason !== reason) return false;
  const at = Date.parse(ending.at);
  return at > now && at - now <= SLACK_MS;
}

function comesSoon({ creations }: CounterfactualRun, name: string, now: number): boolean {
  const at = creations.get(name) ?? -Infinity;
  return at > now && at - now <= SLACK_MS;
}

function leave(run: CounterfactualRun, name: string, since: number): void {
  run.world.leaveOut(name);
  if (!run.left.has(name)) run.left.set(name, since);
}

/** After the recorded end only timers are left: any pod created from here on has no recorded facts. */
function afterItsEnd(run: CounterfactualRun): Stop | null {
  for (let alarms = 0; run.alarm !== null && alarms < MAX_ALARMS; alarms += 1) {
    const stop = look(run, run.alarm);
    if (stop !== null) return stop;
  }
  const running = Object.entries(run.world.state.pods).filter(([, pod]) => isLive(pod));
  if (running.length === 0) return null;
  return unknownEnds(
    namesOf(
      run.world.state,
      running.map(([uid]) => uid),
    ),
    run.like.data.now,
  );
}

function namesOf({ job, pods }: JobState, uids: readonly string[]): string[] {
  return uids.flatMap((uid) => {
    const pod = pods[uid];
    return pod === undefined ? [] : [refOf(job, uid, pod).name];
  });
}

function unknownPods(names: readonly string[], since: number): Stop {
  const words = `it would have created ${few(names, 3)} then, which nobody did`;
  return { end: null, unknown: { since, words } };
}

function unknownEnds(names: readonly string[], since: number): Stop {
  const words = `it would not have stopped ${few(names, 3)}: how that would have gone on, nobody saw`;
  return { end: null, unknown: { since, words } };
}
