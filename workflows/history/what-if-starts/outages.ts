import { isNewsBy } from '../../decision/decision-records.ts';
import type { CronCore } from '../../cores/cores.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import type { CronSettings } from '../../cron-job/settings.ts';
import type { CronJobState } from '../../cron-job/state.ts';
import type { StepOf } from '../../decision/folding.ts';

/**
 * A period in which a due decision was not made, in milliseconds; `to` is the time of the decision that ended the
 * period.
 */
export interface Outage {
  from: number;
  to: number;
}

/** A due decision is made within this time, in milliseconds; a later decision follows an outage. */
export const REACTION_MS = 1000;

/**
 * The times when the recorded controller was down or behind: the core would have decided on the state of that time,
 * but the next decision followed more than a second later. `end` is the end of the record; an outage at the end never
 * ends.
 */
export function outagesIn(
  steps: readonly StepOf<CronJobEvent, CronJobState>[],
  rest: readonly CronJobEvent[],
  end: number,
  core: CronCore,
): Outage[] {
  const outages: Outage[] = [];
  /** Adds the outage between the time when a decision was due and the decision, unless it was short. */
  const addOutage = (since: number | null, to: number, ends: boolean): void => {
    if (since !== null && to - since > REACTION_MS) outages.push({ from: since, to: ends ? to : Infinity });
  };
  let from: number | null = null;
  for (const { before, events, decision } of steps) {
    const { now, settings } = decision.data;
    addOutage(undecidedSince({ state: before, from, until: now, events, settings }, core), now, true);
    from = now;
  }
  const last = steps.at(-1);
  if (last === undefined) return [];
  const { settings } = last.decision.data;
  addOutage(
    undecidedSince({ state: last.after, from, until: end, events: rest, settings }, core),
    end,
    false,
  );
  return outages;
}

/** The period from one decision, or from the beginning, until the next decision. */
interface Undecided {
  state: CronJobState;
  from: number | null;
  until: number;
  events: readonly CronJobEvent[];
  settings: CronSettings;
}

/** The time since which a decision was due; null if no decision was due before the end of the period. */
function undecidedSince(
  { state: first, from, until, events, settings }: Undecided,
  core: CronCore,
): number | null {
  let state = first;
  let since: number | null = null;
  let timer: number | null = null;
  /** Decides on the state at a time, and remembers whether a decision is due. */
  const decideAt = (at: number): void => {
    const verdict = core.decide(state, at, settings);
    since = isNewsBy(core.CORE_VERSION, state, verdict) ? (since ?? at) : null;
    timer = verdict.nextDecisionAt;
  };
  /** Decides at each timer up to a time, until a decision is due. */
  const decideUntil = (at: number): void => {
    if (since !== null || timer === null || timer > at) return;
    decideAt(timer);
    decideUntil(at);
  };
  let at = from ?? -Infinity;
  if (from !== null) decideAt(from);
  for (const event of events) {
    at = Math.max(at, Math.min(Date.parse(event.time), until));
    decideUntil(at);
    state = core.fold(state, [core.compact(event) ?? []].flat());
    decideAt(at);
  }
  decideUntil(until);
  return since;
}
