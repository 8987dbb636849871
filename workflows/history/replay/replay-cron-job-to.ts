import { cronCoreOfLast } from '../../cores/any-core.ts';
import type { CronCommand } from '../../cron-job/commands.ts';
import type { CronJobDecided, CronJobEvent } from '../../cron-job/events.ts';
import type { CronJobState } from '../../cron-job/state.ts';
import type { Reason } from '../../job/reason.ts';
import type { CronJobStatus } from '../../kubernetes/objects.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { Point } from './point.ts';
import { replayStream, type StateAt } from './replay-stream.ts';

/** The state of a CronJob at a point of its stream; its status is `state.cronJob.status`. */
export interface CronJobReplay extends StateAt<CronJobState> {
  /** The decision that was recorded next; null when there is none. */
  followed: CronJobFollowed | null;
}

/** The next decision after the point; `status` is what it wrote, null when it wrote none. */
export interface CronJobFollowed {
  decision: string;
  number: number;
  /** The `now` of the decision (RFC 3339 UTC). */
  at: string;
  commands: readonly CronCommand[];
  waiting: Reason | null;
  status: CronJobStatus | null;
}

/** Folds a CronJob's stream, in ledger order, up to a point. */
export function replayCronJobTo(events: readonly CronJobEvent[], point: Point): CronJobReplay | Refused {
  const replayed = replayStream(events, point, cronCoreOfLast);
  if (isRefused(replayed)) return replayed;
  const { different, ...stateAt } = replayed.stateAt;
  return { ...stateAt, followed: followedBy(replayed.next), different };
}

function followedBy(decision: CronJobDecided | null): CronJobFollowed | null {
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
