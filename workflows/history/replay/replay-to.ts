import { coreOfLast } from '../../cores/cores.ts';
import type { Command } from '../../job/commands.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import type { Reason } from '../../job/reason.ts';
import type { JobState } from '../../job/state.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { Point } from './point.ts';
import { replayStream, type StateAt } from './replay-stream.ts';

/** The state of a Job at a point of its stream; its status is `state.job.status`. */
export interface Replay extends StateAt<JobState> {
  /** The decision that was recorded next; null when there is none. */
  followed: Followed | null;
}

/** The next decision after the point; `status` is what it wrote, null when it wrote none. */
export interface Followed {
  decision: string;
  number: number;
  /** The `now` of the decision (RFC 3339 UTC). */
  at: string;
  commands: readonly Command[];
  waiting: Reason | null;
  status: JobStatus | null;
}

/** Folds a Job's stream, in ledger order, up to a point. Events of its cluster may be among `events`. */
export function replayTo(events: readonly JobEvent[], point: Point): Replay | Refused {
  const replayed = replayStream(events, point, coreOfLast);
  if (isRefused(replayed)) return replayed;
  const { different, ...stateAt } = replayed.stateAt;
  return { ...stateAt, followed: followedBy(replayed.next), different };
}

function followedBy(decision: JobDecided | null): Followed | null {
  if (decision === null) return null;
  const { number, now, commands, waiting } = decision.data;
  const write = commands.find((command) => command.kind === 'WriteStatus');
  return {
    decision: decision.id,
    number,
    at: new Date(now).toISOString(),
    commands,
    waiting,
    status: write?.to ?? null,
  };
}
