import { earliest, nothing, sendOnly } from '../../decision/verdict.ts';
import { isSameJson } from '../../ledger/digest.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { unlessHeldBack } from './hold-back.ts';
import { deleteHistory } from './history.ts';
import { lookUpMissing, lookUpUnlisted } from './look-ups.ts';
import { planStart, type CronStartPlan } from './start.ts';
import { awaitWatch } from './unknown-start.ts';
import { presentStatus } from '../definitions/present-status.ts';
import { writeStatus } from './status.ts';
import type { CronSituation, CronVerdict } from './situation.ts';

/**
 * The commands for a CronJob now, and the time of the next decision. The decision depends on state, time and settings
 * only, not on the event that triggered it (J-9.11, J-9.12). The order is that of Kubernetes (J-9.20): history,
 * look-ups, start, status. The Job is created before the status is written, so that the status lists the Job.
 */
export function decide(state: CronJobState, now: number, settings: CronSettings): CronVerdict {
  const { cronJob } = state;
  if (cronJob === null || state.gone) return nothing;
  const at: CronSituation = { state, cronJob, status: presentStatus(state, cronJob), now, settings };
  const history = unlessHeldBack(at, deleteHistory(at));
  const start = planStart(at);

  const unlisted = unlessHeldBack(at, lookUpUnlisted(at));
  const missing = unlessHeldBack(at, lookUpMissing(at, start.due));
  const lookUps = unlisted.commands.length > 0 ? unlisted.commands : missing.commands;
  if (lookUps.length > 0) return sendOnly(...history.commands, ...lookUps);

  // Kubernetes returns the error of a look-up before it starts a Job; the status is still written.
  const areHeld = unlisted.waiting !== null || missing.waiting !== null;
  if (!areHeld && start.commands.length > 0)
    return { ...start, commands: [...history.commands, ...start.commands, ...emitEvents(start)] };
  const write = unlessHeldBack(at, writeStatus(at));
  const held = [unlisted, missing, write].find(({ waiting }) => waiting !== null);
  const { waiting } = held ?? start;
  const isNew = held === undefined && !isSameJson(waiting, state.waiting);
  const times = [held?.nextDecisionAt ?? null, start.nextDecisionAt, history.nextDecisionAt];
  return {
    commands: [
      ...history.commands,
      ...write.commands,
      ...(isNew ? emitEvents(start) : []),
      ...unlessHeldBack(at, awaitWatch(at)).commands,
    ],
    nextDecisionAt: earliest(...times.filter((instant) => instant !== null && instant > now)),
    waiting,
  };
}

/** The command that creates the Events of a plan; none without Events. */
function emitEvents({ events }: CronStartPlan): CronCommand[] {
  if (events.length === 0) return [];
  const message = events.map(({ reason }) => reason).join(', ');
  return [{ kind: 'EmitEvents', events, why: { rule: 'J-7.4', message } }];
}
