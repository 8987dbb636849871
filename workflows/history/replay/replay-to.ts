import { coreOfLast } from '../../cores/cores.ts';
import type { Command } from '../../job/commands.ts';
import type { JobDecided, JobEvent } from '../../job/events.ts';
import type { Reason } from '../../job/reason.ts';
import { standingDecisions } from '../../job/record/folding.ts';
import { replay } from '../../job/record/replay.ts';
import type { JobState } from '../../job/state.ts';
import type { JobStatus } from '../../kubernetes/objects.ts';
import { isRefused, type Refused } from '../refused.ts';
import type { Finding } from '../verify/finding.ts';
import { breakIn } from '../verify/break-in.ts';
import { verifyStream } from '../verify/verify-stream.ts';
import { upTo, type Point } from './point.ts';

/** The state of a Job at a point of its stream, folded again. Plain JSON. */
export interface Replay {
  /** The last event that is folded: its id, and when it was recorded (RFC 3339, UTC). */
  event: string;
  at: string;
  /** The number of folded events, and of the decisions among them that stand. */
  events: number;
  decisions: number;
  /** The version of the core that folded it: that of the last decision by then. */
  core: string;
  /** The state of the core; the Job's status is `state.job.status`. */
  state: JobState;
  /** The decision that was recorded next; null when there is none. */
  followed: Followed | null;
  /** Decisions up to there that differ when they are made again by the core that made them. */
  different: readonly Finding[];
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
  const prefix = upTo(events, point);
  if (isRefused(prefix)) return prefix;
  const broken = breakIn(prefix);
  if (broken !== null) return broken;
  const standing = standingDecisions(events);
  const core = coreOfLast(standingDecisions(prefix));
  const folded = new Set(prefix.map(({ id }) => id));
  const last = prefix.at(-1);
  return {
    event: last?.id ?? '',
    at: last?.time ?? '',
    events: prefix.length,
    decisions: standing.filter(({ id }) => folded.has(id)).length,
    core: core.CORE_VERSION,
    state: replay(prefix, core),
    followed: followedBy(standing.find(({ id }) => !folded.has(id))),
    different: verifyStream(prefix, { seals: false }).findings,
  };
}

function followedBy(decision: JobDecided | undefined): Followed | null {
  if (decision === undefined) return null;
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
