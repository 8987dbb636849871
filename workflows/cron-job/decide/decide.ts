import { isSameJson } from '../../job/definitions/digest.ts';
import type { CronCommand } from '../commands.ts';
import type { CronSettings } from '../settings.ts';
import type { CronJobState } from '../state.ts';
import { heldBack, type Held } from './held.ts';
import { deleteHistory } from './history.ts';
import { lookUpMissing, lookUpUnlisted } from './look-ups.ts';
import { planStart, type CronStartPlan } from './start.ts';
import { awaitWatch } from './unknown-start.ts';
import { presentStatus } from '../definitions/present-status.ts';
import { writeStatus } from './status.ts';
import type { CronVerdict } from './verdict.ts';

/**
 * What to do for a CronJob now, and when to decide again. It depends on state, time and settings only, not on the event that
 * triggered it (J-9.11, J-9.12). The order is upstream's (J-9.20): history, look-ups, start, status. A Job is created before
 * the status is written, which then lists it.
 */
export function decide(state: CronJobState, now: number, settings: CronSettings): CronVerdict {
  const { cronJob } = state;
  if (cronJob === null || state.gone) return { commands: [], lookAgainAt: null, waiting: null };
  const history = deleteHistory(state, cronJob, now);
  const status = presentStatus(state, cronJob);
  const start = planStart(state, cronJob, status, now, settings);

  const unlisted = orHeld(state, now, lookUpUnlisted(state, status));
  const missing = orHeld(state, now, lookUpMissing(state, status, start.due));
  const lookUps = unlisted.commands.length > 0 ? unlisted.commands : missing.commands;
  if (lookUps.length > 0) return { commands: [...history, ...lookUps], lookAgainAt: null, waiting: null };

  // Upstream returns the error of a look-up before it starts anything; the status is still written.
  const held = unlisted.held ?? missing.held;
  if (held === null && start.commands.length > 0)
    return { ...start, commands: [...history, ...start.commands, ...eventsOf(start)] };
  const write = orHeld(state, now, writeStatus(state, cronJob, status));
  const wait = held ?? write.held;
  const { lookAgainAt, waiting } = wait ?? start;
  const isNew = wait === null && !isSameJson(waiting, state.waiting);
  return {
    commands: [
      ...history,
      ...write.commands,
      ...(isNew ? eventsOf(start) : []),
      ...awaitWatch(state, now, settings),
    ],
    lookAgainAt: earliest(
      [
        lookAgainAt,
        wait === null ? null : start.lookAgainAt,
        heldBack(state, now, 'DeleteJobs')?.lookAgainAt ?? null,
      ],
      now,
    ),
    waiting,
  };
}

/** The commands, or why they are held back (J-9.10). */
function orHeld(
  state: CronJobState,
  now: number,
  commands: CronCommand[],
): { commands: CronCommand[]; held: Held | null } {
  const [first] = commands;
  const held = first === undefined ? null : heldBack(state, now, first.kind);
  return { commands: held === null ? commands : [], held };
}

function eventsOf({ events }: CronStartPlan): CronCommand[] {
  if (events.length === 0) return [];
  const words = events.map(({ reason }) => reason).join(', ');
  return [{ kind: 'EmitEvents', events, why: { rule: 'J-7.4', words } }];
}

function earliest(instants: (number | null)[], now: number): number | null {
  const later = instants.filter((instant) => instant !== null && instant > now) as number[];
  return later.length === 0 ? null : Math.min(...later);
}
