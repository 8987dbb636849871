import { Context, type Info } from '@temporalio/activity';
import type { CarryOutInput, CronJobActivities, JobActivities } from '../../../workflows/activities.ts';
import type { CronCommandAnswered } from '../../../workflows/cron-job/events.ts';
import type { Unstamped } from '../../../workflows/job/events.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { carryOutCronJob, type CronCarryOutDependencies } from './cron-job/carry-out.ts';
import { recallCronJob } from '../recall/recall-cron-job.ts';
import type { StreamReader } from '../recall/stream-reader.ts';
import { attemptClient } from './attempt-client.ts';
import { attemptDeadline, type AttemptDeadline } from './attempt-deadline.ts';
import { carryOut, type CarryOutDependencies, type Progress } from './carry-out.ts';
import { createServesGangs } from './serves-gangs.ts';
import { NO_PROGRESS, type ProgressInOrder } from './in-order.ts';
import { recall, type RecallDependencies } from '../recall/recall.ts';

/** Short enough that no heartbeat time-out is missed. */
const HEARTBEAT_MS = 1000;
/** The longest that a busy server is waited for, in milliseconds. */
const LONGEST_WAIT_MS = 30_000;
/** After this many milliseconds an attempt ends with what it has done; a local one must end within 4 s. */
const LATE_MS = { local: 2000, ordinary: 5000 };

/** The activities of one cluster, as Temporal calls them. */
export function createJobActivities(dependencies: CarryOutDependencies & RecallDependencies): JobActivities {
  return {
    carryOut: async (input) => {
      const { info, cancellationSignal: signal } = Context.current();
      // The last heartbeat of the previous attempt; local activities have none.
      const before = (info.heartbeatDetails as Progress | undefined) ?? NO_PROGRESS;
      const answered = await withHeartbeat(before, (report, deadline) => {
        const { client, isLate } = attemptOf(dependencies, deadline);
        return carryOut({ ...dependencies, client }, input, {
          number: info.attempt,
          signal,
          before,
          report,
          isLate,
        });
      });
      dependencies.snapshots.count(input.job, eventsOf(input) + answered.length);
      return { decision: input.decided.id, received: input.received.length, answered };
    },
    recall: (job) => {
      const { cancellationSignal: signal } = Context.current();
      return withHeartbeat(undefined, () => recall(dependencies, job, signal));
    },
    servesGangs: createServesGangs(dependencies),
  };
}

/** The activities of CronJobs in one cluster. */
export function createCronJobActivities(
  dependencies: CronCarryOutDependencies & { streams: StreamReader },
): CronJobActivities {
  return {
    carryOutCronJob: async (input) => {
      const { info, cancellationSignal: signal } = Context.current();
      type Before = ProgressInOrder<Unstamped<CronCommandAnswered>>;
      const before = (info.heartbeatDetails as Before | undefined) ?? NO_PROGRESS;
      const answered = await withHeartbeat<Unstamped<CronCommandAnswered>[], Before>(
        before,
        (report, deadline) => {
          const { client } = attemptOf(dependencies, deadline);
          const attempt = { number: info.attempt, signal, before, report };
          return carryOutCronJob({ ...dependencies, client }, input, attempt);
        },
      );
      return { decision: input.decided.id, received: 0, answered };
    },
    recallCronJob: (job) => {
      const { cancellationSignal: signal } = Context.current();
      return withHeartbeat(undefined, () => recallCronJob(dependencies.streams, job, signal));
    },
    zoneRules: (needs) => Promise.resolve(needs.map(zoneRules)),
  };
}

/** A decision, and the events that it has folded. */
function eventsOf({ decided, folded }: CarryOutInput): number {
  const before = folded.reduce((total, { data }) => total + data.folded.length, 0);
  return before + decided.data.folded.length + 1;
}

/** The client of the present attempt, and when it has taken too long. */
function attemptOf(
  { client }: Pick<CarryOutDependencies, 'client'>,
  deadline: AttemptDeadline,
): Pick<CarryOutDependencies, 'client'> & { isLate: () => boolean } {
  const { info, cancellationSignal: signal } = Context.current();
  const start = performance.now();
  const late = info.isLocal ? LATE_MS.local : LATE_MS.ordinary;
  const isLate = (): boolean => performance.now() - start > late;
  const longestWait = info.isLocal ? 'deadline' : LONGEST_WAIT_MS;
  return { client: attemptClient(client, { deadline, signal, isLate, longestWait }), isLate };
}

/**
 * How long an attempt may act without a sign of life. Temporal gives up an ordinary one when it has had no heartbeat for the
 * time-out; the last one that it has got is up to `HEARTBEAT_MS` older than the last that was sent.
 */
function deadlineMs({ isLocal, startToCloseTimeoutMs, heartbeatTimeoutMs }: Info): number {
  return isLocal ? startToCloseTimeoutMs : (heartbeatTimeoutMs ?? startToCloseTimeoutMs) - HEARTBEAT_MS;
}

/** Each heartbeat repeats the last reported progress, for the next attempt if this one ends, and renews the deadline. */
async function withHeartbeat<A, D>(
  details: D,
  work: (report: (progress: D) => void, deadline: AttemptDeadline) => Promise<A>,
): Promise<A> {
  const context = Context.current();
  const deadline = attemptDeadline(deadlineMs(context.info));
  // Temporal ignores heartbeats of local activities, but the SDK would encode each.
  if (context.info.isLocal) return work(() => undefined, deadline);
  let last = details;
  const timer = setInterval(() => {
    deadline.renew();
    context.heartbeat(last);
  }, HEARTBEAT_MS);
  try {
    return await work((progress) => {
      last = progress;
      context.heartbeat(last);
    }, deadline);
  } finally {
    clearInterval(timer);
  }
}
