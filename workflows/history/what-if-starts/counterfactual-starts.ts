import { CRON_JOB_CORES, type CronCore } from '../../cores/cores.ts';
import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';
import { missingZones, readSchedule, zoneRules } from '../../cron-job/decide/zones.ts';
import { lastStart } from '../../cron-job/decide/look-ups.ts';
import { presentStatus } from '../../cron-job/definitions/present-status.ts';
import type { CompactedCron } from '../../cron-job/observe/compact.ts';
import { mostRecent } from '../../cron-job/schedule/most-recent.ts';
import type { ZoneRules } from '../../cron-job/schedule/zone.ts';
import { withZones, type CronSettings } from '../../cron-job/settings.ts';
import type { CronJobState } from '../../cron-job/state.ts';
import { isoTime } from '../../ledger/instants.ts';
import { foldSteps, unfoldedRest } from '../../decision/folding.ts';
import type { StartRecord } from '../why-start/start-record.ts';
import { changedEvents } from './changed-spec.ts';
import { createCluster, type CommandEffect, type Cluster } from './cluster.ts';
import { outagesIn, REACTION_MS, type Outage } from './outages.ts';
import type { RulesOfZone, StartChange } from './types.ts';

/** The decisions that the controller would have made under the change. */
export interface CounterfactualStarts {
  /** The changed facts, the decisions of this run and their outcomes. */
  record: StartRecord;
  /** Names of Jobs that were replaced if they still ran. */
  perhapsReplaced: ReadonlySet<string>;
  /** The value is null when everything is known up to the end of the record. */
  unknown: UnknownStarts | null;
}

interface UnknownStarts {
  /** In milliseconds. */
  since: number;
  /** The first time of the schedule, in milliseconds, for which it is uncertain whether the Job is created. */
  scheduledAt: number;
  message: string;
}

/** More decisions than this at one instant mean that the run does not end. */
const MOST_AT_ONCE = 100;

interface Run {
  core: CronCore;
  cluster: Cluster;
  state: CronJobState;
  /** In milliseconds. */
  now: number;
  /** The time of the next due decision, in milliseconds; null when no decision is due. */
  wake: number | null;
  /** Decisions at `now`. */
  atOnce: number;
  /** The effective recorded decisions, and the number of decisions that the run has passed. */
  recorded: readonly CronJobDecided[];
  passed: number;
  outages: readonly Outage[];
  rulesOfZone: RulesOfZone;
  /** Rules of zones that the recorded decisions did not need. */
  rules: ZoneRules[];
  effective: CronJobDecided[];
  outcomes: CronJobEvent[];
  unknown: UnknownStarts | null;
}

/**
 * Replays the record with the change in every observed spec. The run decides at the recorded decisions, and between
 * them when a decision is due, unless the recorded controller was down or behind at that time. The run ends where the
 * result is unknown.
 */
export function runCounterfactualStarts(
  { events, effective }: StartRecord,
  change: StartChange,
  rulesOfZone: RulesOfZone,
): CounterfactualStarts {
  const core = CRON_JOB_CORES.ofLast(effective);
  const steps = [...foldSteps(events, core)];
  const end = Math.max(
    ...events.map(({ time }) => Date.parse(time)),
    ...effective.map(({ data }) => data.now),
  );
  const folded = new Set(steps.flatMap((step) => step.events.map(({ id }) => id)));
  const last = steps.at(-1);
  const rest =
    last === undefined ? [] : newFactsIn(unfoldedRest(events, folded, last.decision.id), last.after, core);
  const run: Run = {
    core,
    cluster: createCluster({ events, effective }, change, end),
    state: core.INITIAL_STATE,
    now: -Infinity,
    wake: null,
    atOnce: 0,
    recorded: effective,
    passed: 0,
    outages: outagesIn(steps, rest, end, core),
    rulesOfZone,
    rules: [],
    effective: [],
    outcomes: [],
    unknown: null,
  };
  for (const { events: facts, decision } of steps) {
    foldFacts(run, facts, decision.data.now);
    advance(run, decision.data.now);
    run.passed += 1;
    decideAt(run, decision.data.now, decision);
  }
  foldFacts(run, rest, end);
  advance(run, end + 1);
  /** The settings of a recorded decision with the zone rules that the change needs. */
  const withZoneRules = (each: CronSettings): CronSettings => withRules(run, each);
  return {
    record: {
      events: [...changedEvents(events.filter(isFact), change), ...run.outcomes],
      effective: run.effective.map((each) => ({
        ...each,
        data: { ...each.data, settings: withZoneRules(each.data.settings) },
      })),
    },
    perhapsReplaced: run.cluster.perhapsReplaced,
    unknown: run.unknown,
  };
}

/** True for an event that the watch reported. */
function isFact({ type }: CronJobEvent): boolean {
  return type.endsWith('.observed') || type.endsWith('.deleted');
}

/** The facts of a period that are new to the recorded state at its beginning. */
function newFactsIn(events: readonly CronJobEvent[], from: CronJobState, core: CronCore): CronJobEvent[] {
  let state = from;
  return events.filter((event) => {
    const known = state.folded.length;
    state = core.fold(state, [core.compact(event) ?? []].flat());
    return state.folded.length > known;
  });
}

/** Folds the facts of a period at their times, and makes the decisions that become due between them. */
function foldFacts(run: Run, events: readonly CronJobEvent[], until: number): void {
  for (const event of events) {
    const at = Math.max(run.now, Math.min(Date.parse(event.time), until));
    advance(run, at);
    const fact = run.core.compact(event);
    if (run.unknown !== null || fact === null) continue;
    foldNewFacts(run, run.cluster.observe(event, fact), at);
  }
}

/** Folds facts, after which a decision is due. */
function foldNewFacts(run: Run, facts: readonly CompactedCron[], at: number): void {
  run.state = run.core.fold(run.state, facts);
  if (facts.length > 0) run.wake = Math.min(run.wake ?? Infinity, at);
  run.now = Math.max(run.now, at);
}

/** Advances the time to an instant, without that instant: Jobs end, and due decisions are made. */
function advance(run: Run, until: number): void {
  while (run.unknown === null) {
    const change = run.cluster.nextChange(run.now) ?? Infinity;
    const decision = run.wake === null ? Infinity : decisionTime(run, Math.max(run.wake, run.now));
    const next = Math.min(change, decision);
    if (next >= until) break;
    if (next === change) {
      run.wake = Math.min(run.wake ?? Infinity, Math.max(change, run.now));
      foldNewFacts(run, run.cluster.changesAt(change), change);
    } else decideAt(run, next, null);
  }
  run.now = Math.max(run.now, until);
}

/**
 * The time when the recorded controller would have made a due decision: together with its next decision, if that
 * decision followed soon.
 */
function decisionTime({ outages, recorded, passed }: Run, due: number): number {
  const at = outages.find(({ from, to }) => due >= from && due < to)?.to ?? due;
  const next = recorded[passed]?.data.now ?? Infinity;
  return next >= at && next - at <= REACTION_MS ? next : at;
}

/** Makes a decision at this time; `beside` is the recorded decision of the same time. */
function decideAt(run: Run, now: number, beside: CronJobDecided | null): void {
  if (run.unknown !== null) return;
  run.atOnce = now === run.now ? run.atOnce + 1 : 0;
  run.now = now;
  const settings = settingsAt(run, now);
  const verdict = run.core.decide(run.state, now, settings);
  const { commands, nextDecisionAt, waiting } = verdict;
  const isEndless = run.atOnce > MOST_AT_ONCE;
  run.wake = commands.length > 0 && !isEndless ? now : nextDecisionAt;
  if (run.core.isNews(run.state, verdict)) {
    const template = lastRecordedDecision(run);
    if (template === undefined) return;
    const number = run.effective.length + 1;
    const id = `what-if/${number}`;
    const data = {
      ...template.data,
      number,
      now,
      settings,
      commands,
      nextDecisionAt,
      waiting,
      folded: [],
      foldedBefore: [],
    };
    const decision: CronJobDecided = { ...template, id, time: isoTime(now), data };
    run.effective.push(decision);
    run.state = run.core.fold(run.state, [decision]);
    carryOut(run, decision, beside);
  }
  if (waiting?.rule === 'J-9.36') run.unknown = unknownBlock(run, settings);
}

/** Carries out a decision in this run, and folds its outcomes. */
function carryOut(run: Run, decision: CronJobDecided, beside: CronJobDecided | null): void {
  const { cluster, cronJobUid, now, commands } = decision.data;
  let failed = false;
  for (const [command, asked] of commands.entries()) {
    const carried: CommandEffect = failed
      ? { outcome: { kind: 'skipped', at: now }, facts: [] }
      : run.cluster.carryOut(asked, now, beside);
    const { outcome, facts, lost } = carried;
    failed ||= asked.kind !== 'DeleteJobs' && hasFailed(outcome);
    const answered: CronJobEvent = {
      ...decision,
      id: `${decision.id}/${command}`,
      type: 'outcome.recorded',
      data: { cluster, cronJobUid, decision: decision.id, command, attempt: 1, outcome },
    };
    run.outcomes.push(answered);
    if (lost !== true) run.state = run.core.fold(run.state, [run.core.compact(answered) ?? []].flat());
    run.state = run.core.fold(run.state, facts);
    if (lost === true) return;
  }
}

/** True for an outcome with an error. */
function hasFailed(outcome: object): boolean {
  if ('jobs' in outcome && Array.isArray(outcome.jobs))
    return outcome.jobs.some((job: { result: string }) => job.result === 'failed');
  return 'result' in outcome && outcome.result === 'failed';
}

/** The last recorded decision up to that time; the first decision when none is recorded by then. */
function lastRecordedDecision({ recorded, passed }: Run): CronJobDecided | undefined {
  return recorded[Math.max(passed - 1, 0)];
}

/** The settings of the recorded decision of that time, with the zone rules that the change needs. */
function settingsAt(run: Run, now: number): CronSettings {
  const recorded = lastRecordedDecision(run)?.data.settings;
  if (recorded === undefined) return { localTimeZone: 'UTC', zones: [] };
  const settings = withRules(run, recorded);
  const missing = missingZones(run.state, now, settings);
  if (missing.length === 0) return settings;
  const names = new Set(missing.map(({ name }) => name));
  run.rules = [...run.rules.filter(({ name }) => !names.has(name)), ...missing.map(run.rulesOfZone)];
  return withRules(run, recorded);
}

/** The settings with the zone rules that the change needs. */
function withRules({ rules }: Pick<Run, 'rules'>, settings: CronSettings): CronSettings {
  return rules.length === 0 ? settings : withZones(settings, rules);
}

/** The reason why a start waits for Jobs that may still be running (Forbid); null when a Job is certainly running. */
function unknownBlock({ state, cluster, now }: Run, settings: CronSettings): UnknownStarts | null {
  const { cronJob } = state;
  if (cronJob === null) return null;
  const status = presentStatus(state, cronJob);
  const active = status.active ?? [];
  if (!active.every(({ uid }) => cluster.isUncertain(uid, now))) return null;
  const rules = zoneRules(cronJob, settings);
  if ('missing' in rules || 'unknown' in rules.schedule) return null;
  const parsed = readSchedule(cronJob, rules.schedule);
  if ('error' in parsed) return null;
  const since = lastStart(status, cronJob.createdAt);
  const scheduledAt = mostRecent(parsed.schedule, rules.schedule, { since, now })?.time ?? now;
  const names = active.map(({ name }) => name).join(', ');
  return { since: now, scheduledAt, message: `nothing shows how long ${names} would have run` };
}
