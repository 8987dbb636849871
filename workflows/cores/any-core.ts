import * as cronCore from '../cron-job/core.ts';
import type { CronJobDecided } from '../cron-job/events.ts';
import type { CompactedCron } from '../cron-job/observe/compact.ts';
import type { CronSettings } from '../cron-job/settings.ts';
import type { CronJobState } from '../cron-job/state.ts';
import type { JobDecided } from '../job/events.ts';
import type { Compacted } from '../job/observe/compact.ts';
import { standingDecisions } from '../job/record/folding.ts';
import type { Decision } from '../job/record/stream.ts';
import type { Settings } from '../job/settings.ts';
import type { JobState } from '../job/state.ts';
import { isOfCronJob, type LedgerEvent } from '../ledger-event.ts';
import { allCores, CURRENT } from './cores.ts';
import * as cronCore1 from '../../cores/cron-core-1.js';

export type AnyDecided = JobDecided | CronJobDecided;
export type AnyCompacted = Compacted | CompactedCron;
export type AnyState = JobState | CronJobState;

/**
 * A core of either kind, for what reads streams of both. Its functions are declared as methods, which the compiler lets
 * stand for those of one kind: a core is only given events, facts, states and settings of its own kind.
 */
export interface AnyCore {
  CORE_VERSION: string;
  INITIAL_STATE: AnyState;
  compact(event: LedgerEvent): AnyCompacted | null;
  fold(state: AnyState, facts: readonly AnyCompacted[]): AnyState;
  decide(
    state: AnyState,
    now: number,
    settings: Settings | CronSettings,
  ): Pick<Decision['data'], 'commands' | 'lookAgainAt' | 'waiting'>;
}

/** A version of the core of CronJobs. */
export type CronCore = typeof cronCore;

/** Every version that may have made decisions about CronJobs, the oldest first. */
export const CRON_CORES: readonly CronCore[] = [withLaterTypes(cronCore1), cronCore];

/** An earlier core does not know the types of events that came after it: they do not change its state. */
function withLaterTypes(core: CronCore): CronCore {
  return { ...core, compact: (event) => core.compact(event) ?? null };
}

/** The cores of the event's kind, the oldest first. */
export function coresOfKind(event: LedgerEvent): readonly AnyCore[] {
  return isOfCronJob(event) ? CRON_CORES : allCores();
}

/** The versions of a core, the oldest first. */
export function versionsOf(core: AnyCore): readonly AnyCore[] {
  return CRON_CORES.some((each) => each === core) ? CRON_CORES : allCores();
}

/** The core that made a decision; undefined when a newer version of Jobledger made it. */
export function coreThatMade(decision: AnyDecided): AnyCore | undefined {
  return coresOfKind(decision).find(({ CORE_VERSION }) => CORE_VERSION === decision.data.core);
}

/** The core that made the last decision of a stream of either kind; the present one when there is none. */
export function coreOfStream(stream: readonly LedgerEvent[]): AnyCore {
  const last = standingDecisions(stream).at(-1);
  const known = last === undefined ? undefined : coreThatMade(last);
  return known ?? (stream.some(isOfCronJob) ? cronCore : CURRENT);
}

/** The core that made the last of these decisions about a CronJob; states of its stream are computed with it. */
export function cronCoreOfLast(standing: readonly CronJobDecided[]): CronCore {
  const version = standing.at(-1)?.data.core;
  return CRON_CORES.find(({ CORE_VERSION }) => CORE_VERSION === version) ?? cronCore;
}
