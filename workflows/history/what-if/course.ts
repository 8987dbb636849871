import { coreOfLast, type Core } from '../../cores/cores.ts';
import type { CommandAnswered, JobDecided, JobEvent } from '../../job/events.ts';
import { isLive } from '../../job/definitions/pod-phase.ts';
import { refOf } from '../../job/definitions/pod-refs.ts';
import { restOf, standingDecisions, stepsOf } from '../../job/record/replay.ts';
import type { JobState } from '../../job/state.ts';
import type { Verdict } from '../../job/decide/verdict.ts';
import { few } from '../timeline/few.ts';
import type { Record } from './answers.ts';
import { effectOf, endOf, isSameEffect, type Effect } from './effect.ts';
import type { End, PolicyChange } from './types.ts';
import { createWorld, type World } from './world.ts';

/** How a Job goes under another policy, as far as the facts reach. */
export interface Course {
  /** Version of the core that decided in it. */
  core: string;
  end: End | null;
  /** Since when, in milliseconds, nothing is known. */
  unknown: { since: number; words: string } | null;
  /** Names of pods that were, and would not have been, with since when: 0 for those that would never have been. */
  left: ReadonlyMap<string, number>;
}

/** After so long without an event, in milliseconds, everything before has been decided upon: a signal waits that long. */
const QUIET_MS = 1000;
/** What was decided so much later on record, in milliseconds, is what is wanted now: a worker may have been slow. */
const SLACK_MS = 2000;
/** So many timers in a row that change nothing are no course. */
const MAX_ALARMS = 1000;

interface Track {
  core: Core;
  world: World;
  actual: JobState;
  left: Map<string, number>;
  /** When each pod was asked for on record, and when it was decided that the Job ends. */
  creations: ReadonlyMap<string, number>;
  ending: End | null;
  outcomes: readonly CommandAnswered[];
  /** The decision on record that was made last, or will be first. */
  like: JobDecided;
  alarm: number | null;
  /** The last event that was not decided upon. */
  open: number | null;
}

type Stop = Pick<Course, 'end' | 'unknown'>;

export function courseOf(stream: readonly JobEvent[], change: PolicyChange): Course {
  const decisions = standingDecisions(stream);
  const core = coreOfLast(decisions);
  const track = trackOf(core, decisions, stream, change);
  const { CORE_VERSION: version } = core;
  if (track === null) return { core: version, end: null, unknown: null, left: new Map() };
  return { core: version, ...(along(track, stream) ?? { end: null, unknown: null }), left: track.left };
}

function trackOf(
  core: Core,
  decisions: readonly JobDecided[],
  stream: readonly JobEvent[],
  change: PolicyChange,
): Track | null {
  const [like] = decisions;
  if (like === undefined) return null;
  const creations = new Map(
    decisions.flatMap(({ data }) => effectOf(data.commands).created.map((name) => [name, data.now] as const)),
  );
  const ending = endingIn(decisions);
  const outcomes = stream.filter((event) => event.type === 'command.answered');
  const world = createWorld(core, change);
  return {
    core,
    world,
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

/** How the Job ended on record; null when it had not. */
export function endingIn(decisions: readonly JobDecided[]): End | null {
  for (const { data } of decisions) {
    const { ending } = effectOf(data.commands);
    if (ending !== null) return endOf(ending, data.now);
  }
  return null;
}

function along(track: Track, stream: readonly JobEvent[]): Stop | null {
  const named = new Set<string>();
  for (const { events, decision } of stepsOf(stream, track.core)) {
    for (const event of events) named.add(event.id);
    const stop = takeAll(track, events) ?? passTo(track, decision.data.now) ?? decideWith(track, decision);
    if (stop !== null) return stop;
    track.actual = track.core.fold(track.actual, [decision]);
    // What came after its end came of its end.
    if (effectOf(decision.data.commands).ending !== null) return afterItsEnd(track);
  }
  return takeAll(track, restOf(stream, named, track.like.id)) ?? lookIfOpen(track);
}

function takeAll(track: Track, events: readonly JobEvent[]): Stop | null {
  for (const event of events) {
    const at = Date.parse(event.time);
    const stop = passTo(track, at);
    if (stop !== null) return stop;
    const fact = track.core.compact(event);
    if (fact !== null) track.actual = track.core.fold(track.actual, [fact]);
    track.world.fold(event);
    track.open = at;
  }
  return null;
}

/** Time goes by: what is due until then is looked at. */
function passTo(track: Track, to: number): Stop | null {
  if (track.open !== null && to - track.open > QUIET_MS) {
    const stop = lookIfOpen(track);
    if (stop !== null) return stop;
  }
  while (track.alarm !== null && track.alarm < to) {
    const stop = look(track, track.alarm);
    if (stop !== null) return stop;
  }
  return null;
}

function lookIfOpen(track: Track): Stop | null {
  return track.open === null ? null : look(track, track.open);
}

/** At a moment without a decision on record: only what would have been decided otherwise matters. */
function look(track: Track, now: number): Stop | null {
  const { settings } = track.like.data;
  const verdict = track.core.decide(track.world.state, now, settings);
  const effect = effectOf(verdict.commands);
  settle(track, verdict, now);
  if (isSameEffect(effect, effectOf(track.core.decide(track.actual, now, settings).commands))) return null;
  return act(track, verdict, now, null);
}

function decideWith(track: Track, decision: JobDecided): Stop | null {
  track.like = decision;
  const { now, settings } = decision.data;
  const verdict = track.core.decide(track.world.state, now, settings);
  settle(track, verdict, now);
  const outcomes = track.outcomes.filter(({ data }) => data.decision === decision.id);
  return act(track, verdict, now, { decision, outcomes });
}

function settle(track: Track, { lookAgainAt }: Verdict, now: number): void {
  track.open = null;
  track.alarm = lookAgainAt !== null && lookAgainAt > now ? lookAgainAt : null;
}

const NOTHING: Effect = { created: [], deleted: [], ending: null };

function act(track: Track, verdict: Verdict, now: number, record: Record | null): Stop | null {
  const mine = effectOf(verdict.commands);
  const theirs = record === null ? NOTHING : effectOf(record.decision.data.commands);
  if (mine.ending !== null)
    return record === null && endsSoon(track, mine.ending, now)
      ? null
      : { end: endOf(mine.ending, now), unknown: null };
  const created = mine.created.filter((name) => !theirs.created.includes(name));
  if (created.length > 0)
    return created.every((name) => comesSoon(track, name, now)) ? null : unknownPods(created, now);
  const spared = theirs.deleted.filter(
    (uid) => !mine.deleted.includes(uid) && track.world.state.pods[uid] !== undefined,
  );
  if (spared.length > 0) return unknownEnds(namesOf(track.world.state, spared), now);
  const cut = namesOf(
    track.world.state,
    mine.deleted.filter((uid) => !theirs.deleted.includes(uid)),
  );
  for (const name of theirs.created) if (!mine.created.includes(name)) leave(track, name, 0);
  if (verdict.commands.length > 0) track.world.carryOut(verdict, now, track.like, record);
  for (const name of cut) leave(track, name, now);
  return null;
}

function endsSoon({ ending }: Track, mine: NonNullable<Effect['ending']>, now: number): boolean {
  const { type, reason } = endOf(mine, now);
  if (ending === null || ending.type !== type || ending.reason !== reason) return false;
  const at = Date.parse(ending.at);
  return at > now && at - now <= SLACK_MS;
}

function comesSoon({ creations }: Track, name: string, now: number): boolean {
  const at = creations.get(name) ?? -Infinity;
  return at > now && at - now <= SLACK_MS;
}

function leave(track: Track, name: string, since: number): void {
  track.world.leaveOut(name);
  if (!track.left.has(name)) track.left.set(name, since);
}

/** Only its own timers are left: the next pod that it wants never was. */
function afterItsEnd(track: Track): Stop | null {
  for (let alarms = 0; track.alarm !== null && alarms < MAX_ALARMS; alarms += 1) {
    const stop = look(track, track.alarm);
    if (stop !== null) return stop;
  }
  const running = Object.entries(track.world.state.pods).filter(([, pod]) => isLive(pod));
  if (running.length === 0) return null;
  return unknownEnds(
    namesOf(
      track.world.state,
      running.map(([uid]) => uid),
    ),
    track.like.data.now,
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
