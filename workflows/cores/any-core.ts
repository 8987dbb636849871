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
import { CRON_JOB_CORES, JOB_CORES } from './cores.ts';
import type { Versions } from './versions.ts';

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

/** The cores of the event's kind. */
export function coresOfKind(event: LedgerEvent): Versions<AnyCore> {
  return isOfCronJob(event) ? CRON_JOB_CORES : JOB_CORES;
}

/** All versions of the core that this one is of. */
export function versionsOf(core: AnyCore): Versions<AnyCore> {
  return CRON_JOB_CORES.all.some((each) => each === core) ? CRON_JOB_CORES : JOB_CORES;
}

/** The core that made a decision; undefined when a newer version of Jobledger made it. */
export function coreThatMade(decision: AnyDecided): AnyCore | undefined {
  return coresOfKind(decision).of(decision.data.core);
}

/** The core that made the last decision of a stream of either kind; the present one when there is none. */
export function coreOfStream(stream: readonly LedgerEvent[]): AnyCore {
  const last = standingDecisions(stream).at(-1);
  const known = last === undefined ? undefined : coreThatMade(last);
  return known ?? (stream.some(isOfCronJob) ? CRON_JOB_CORES : JOB_CORES).present;
}
