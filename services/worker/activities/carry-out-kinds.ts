import type { CronOutcomeRecorded } from '../../../workflows/cron-job/events.ts';
import type {
  CarryOutInput,
  CronCarryOutInput,
  PlacementCarryOutInput,
} from '../../../workflows/activities.ts';
import { CRON_JOB } from '../../../workflows/cron-job/kind.ts';
import type { OutcomeRecorded } from '../../../workflows/job/events.ts';
import { JOB } from '../../../workflows/job/kind.ts';
import type { BrokenInvariant } from '../../../workflows/decision/invariants/broken.ts';
import type { Reason } from '../../../workflows/decision/reason.ts';
import type { Outcome } from '../../../workflows/job/outcomes.ts';
import type { Unstamped } from '../../../workflows/ledger/recorded-event.ts';
import type { PlacementOutcomeRecorded } from '../../../workflows/placement/events.ts';
import { PLACED_JOB } from '../../../workflows/placement/kind.ts';
import {
  createPlacementContext,
  PLACEMENT_COMMANDS,
  placementObstacle,
  type PlacementCommandDependencies,
} from '../placement/placement.ts';
import type { Attempt, Progress } from './attempt/progress.ts';
import { carryOut, type CarryOutDependencies } from './carry-out.ts';
import { createCronContext, CRON_JOB_COMMANDS, type CronDependencies } from './cron-job/commands.ts';
import type { ClaimedJobs } from './job/claimed-jobs.ts';
import { createJobContext } from './job/command-context.ts';
import { jobCommands } from './job/commands.ts';

/**
 * Counts a decision that was carried out, and ignores repeats; `seconds` is the time that the activity took.
 */
export type CountDecision = (input: CarryOutInput, outcomes: readonly Outcome[], seconds: number) => void;

/**
 * Counts the rules that a decision about an object of any kind cites. Returns false for a repeated decision, which is not
 * counted.
 */
export type CountRules = (decided: { id: string; data: Cited }) => boolean;

/** The rules that a decision cites. */
export interface Cited {
  waiting: Reason | null;
  commands: readonly { why: Reason }[];
  broken?: readonly BrokenInvariant[];
}

export type JobProgress = Progress<Unstamped<OutcomeRecorded>>;
export type JobAttempt = Attempt<Unstamped<OutcomeRecorded>>;

export interface JobDependencies extends CarryOutDependencies {
  count: CountDecision;
  /** The Jobs that the worker acts for. */
  claimed: ClaimedJobs;
}

// A member of a placed Job may get no pod after the deadline of its guard, so placement is asked before a creation.
const JOB_COMMANDS = jobCommands(placementObstacle);

/** Carries out a decision about a Job (the port's `carryOut`). */
export async function carryOutJob(
  dependencies: JobDependencies,
  order: CarryOutInput,
  attempt: JobAttempt,
): Promise<Unstamped<OutcomeRecorded>[]> {
  const start = performance.now();
  const context = createJobContext(dependencies, order, attempt);
  const ofKind = { kind: JOB, table: JOB_COMMANDS, context };
  const answered = await carryOut(dependencies, ofKind, order, attempt);
  const outcomes = answered.map(({ data }) => data.outcome);
  dependencies.count(order, outcomes, (performance.now() - start) / 1000);
  return answered;
}

export type CronJobDependencies = CarryOutDependencies & CronDependencies & { countRules: CountRules };

/** Carries out a decision about a CronJob (the port's `carryOutCronJob`). */
export async function carryOutCronJob(
  dependencies: CronJobDependencies,
  order: CronCarryOutInput,
  attempt: Attempt<Unstamped<CronOutcomeRecorded>>,
): Promise<Unstamped<CronOutcomeRecorded>[]> {
  const context = createCronContext(dependencies, order, attempt);
  const ofKind = { kind: CRON_JOB, table: CRON_JOB_COMMANDS, context };
  const answered = await carryOut(dependencies, ofKind, order, attempt);
  dependencies.countRules(order.decided);
  return answered;
}

export type PlacementDependencies = CarryOutDependencies &
  PlacementCommandDependencies & { countRules: CountRules };

/** Carries out a decision about a placed Job (the port's `carryOutPlacedJob`). */
export async function carryOutPlacedJob(
  dependencies: PlacementDependencies,
  order: PlacementCarryOutInput,
  attempt: Attempt<Unstamped<PlacementOutcomeRecorded>>,
): Promise<Unstamped<PlacementOutcomeRecorded>[]> {
  const context = createPlacementContext(dependencies, order, attempt.signal);
  const ofKind = { kind: PLACED_JOB, table: PLACEMENT_COMMANDS, context };
  const answered = await carryOut(dependencies, ofKind, order, attempt);
  dependencies.countRules(order.decided);
  return answered;
}
