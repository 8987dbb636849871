import { CRON_JOB_CORES, JOB_CORES, PLACEMENT_CORES } from '../../cores/cores.ts';
import type { CronCommand } from '../../cron-job/commands.ts';
import type { CronJobEvent } from '../../cron-job/events.ts';
import type { CronJobState } from '../../cron-job/state.ts';
import type { Command } from '../../job/commands.ts';
import type { JobEvent } from '../../job/events.ts';
import type { Reason } from '../../decision/reason.ts';
import type { JobState } from '../../job/state.ts';
import type { CronJobStatus, JobStatus } from '../../kubernetes/objects.ts';
import { isOfKind } from '../../ledger-event.ts';
import type { PlacementCommand } from '../../placement/commands.ts';
import type { PlacementEvent } from '../../placement/events.ts';
import type { PlacementState } from '../../placement/state.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { Point } from './point.ts';
import { replayStream, type StateAt } from './replay-stream.ts';

/** The state at a point of a stream, with the next recorded decision, or null. */
interface ReplayOf<State, Next> extends StateAt<State> {
  followed: Next | null;
}

/** The next decision after the point; `status` is the status that the decision wrote, or null. */
interface FollowedBy<AnyCommand, Status> {
  decision: string;
  number: number;
  /** The `now` of the decision (RFC 3339 UTC). */
  at: string;
  commands: readonly AnyCommand[];
  waiting: Reason | null;
  status: Status | null;
}

export type Followed = FollowedBy<Command, JobStatus>;
export type PlacedJobFollowed = FollowedBy<PlacementCommand, JobStatus>;
export type CronJobFollowed = FollowedBy<CronCommand, CronJobStatus>;
/** The state of a Job; its status is `state.job.status`. */
export type Replay = ReplayOf<JobState, Followed>;
/** The state of a placed Job; its status is `state.job.status`. */
export type PlacedJobReplay = ReplayOf<PlacementState, PlacedJobFollowed>;
/** The state of a CronJob; its status is `state.cronJob.status`. */
export type CronJobReplay = ReplayOf<CronJobState, CronJobFollowed>;

/**
 * Folds the stream of a Job or a placed Job, in ledger order, up to a point, by the core of its kind. Events of its
 * cluster may be among `events`.
 */
export function replayTo(
  events: readonly (JobEvent | PlacementEvent)[],
  point: Point,
): Replay | PlacedJobReplay | Refused {
  return events.some((event) => isOfKind('PlacedJob', event))
    ? withNext(
        replayStream(events as readonly PlacementEvent[], point, PLACEMENT_CORES.ofLast),
        writtenStatus,
      )
    : replayJobTo(events as readonly JobEvent[], point);
}

/** True for the replay of a placed Job. */
export function isPlacedJobReplay(replay: Replay | PlacedJobReplay): replay is PlacedJobReplay {
  return 'grants' in replay.state;
}

/** Folds the stream of a Job that is not placed up to a point. */
function replayJobTo(events: readonly JobEvent[], point: Point): Replay | Refused {
  return withNext(replayStream(events, point, JOB_CORES.ofLast), writtenStatus);
}

/** Folds a CronJob's stream, in ledger order, up to a point. */
export function replayCronJobTo(events: readonly CronJobEvent[], point: Point): CronJobReplay | Refused {
  return withNext(replayStream(events, point, CRON_JOB_CORES.ofLast), writtenStatus);
}

interface Decided<AnyCommand> {
  id: string;
  data: { number: number; now: number; commands: readonly AnyCommand[]; waiting: Reason | null };
}

/** The state at a point, together with the next decision and the status that this decision wrote. */
function withNext<State, AnyCommand, Status>(
  replayed: { stateAt: StateAt<State>; next: Decided<AnyCommand> | null } | Refused,
  findStatus: (commands: readonly AnyCommand[]) => Status | null,
): ReplayOf<State, FollowedBy<AnyCommand, Status>> | Refused {
  if (isRefused(replayed)) return replayed;
  const { next } = replayed;
  const { different, ...stateAt } = replayed.stateAt;
  if (next === null) return { ...stateAt, followed: null, different };
  const { number, now, commands, waiting } = next.data;
  const at = new Date(now).toISOString();
  const followed = { decision: next.id, number, at, commands, waiting, status: findStatus(commands) };
  return { ...stateAt, followed, different };
}

/** The status that commands write; null when they write none. */
function writtenStatus<Write extends { kind: 'WriteStatus'; to: object }>(
  commands: readonly (Write | { kind: Exclude<string, 'WriteStatus'> })[],
): Write['to'] | null {
  for (const command of commands) if (command.kind === 'WriteStatus' && 'to' in command) return command.to;
  return null;
}
