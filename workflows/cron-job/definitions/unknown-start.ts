import { parseInstant } from '../../ledger/instants.ts';
import type { CronJobState, UnknownStart } from '../state.ts';

/** The reason of the Event that names a start of which nobody can know whether it was carried out. */
export const NOT_PROVEN = 'StartNotProven';

/**
 * The start that may or may not have been carried out: its request got no answer, or the run that made the decision
 * was replaced before the outcome. `decide` runs when all outcomes are known, so a creation without an outcome
 * belongs to a replaced run.
 */
export function unknownStart(state: CronJobState): UnknownStart | null {
  const { unknown, pending, answered } = state;
  const creation = pending.find((command, at) => at >= answered && command.kind === 'CreateJob');
  if (creation?.kind !== 'CreateJob' || hasStarted(state, creation.scheduledAt)) return unknown;
  const { name, scheduledAt } = creation;
  return { name, scheduledAt, after: null };
}

/** True when a start was carried out, as far as facts and outcomes show. */
export function hasStarted({ started, cronJob }: CronJobState, scheduledAt: string): boolean {
  if (started.some((each) => each.scheduledAt === scheduledAt)) return true;
  const last = parseInstant(cronJob?.status.lastScheduleTime);
  return last !== null && last >= (parseInstant(scheduledAt) ?? Infinity);
}
