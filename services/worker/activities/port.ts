import { Context, type Info } from '@temporalio/activity';
import type { CarryOutInput, CronJobActivities, JobActivities } from '../../../workflows/activities.ts';
import type { CronCommandAnswered } from '../../../workflows/cron-job/events.ts';
import type { CommandAnswered, Unstamped } from '../../../workflows/job/events.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { carryOutCronJob, type CronCarryOutDependencies } from './cron-job/carry-out.ts';
import { recallCronJob } from '../recall/recall-cron-job.ts';
import type { StreamReader } from '../recall/stream-reader.ts';
import { attemptClient } from './attempt-client.ts';
import { attemptDeadline, type AttemptDeadline } from './attempt-deadline.ts';
import { carryOut, type CarryOutDependencies } from './carry-out.ts';
import { createServesGangs } from './serves-gangs.ts';
import { NO_PROGRESS, type AttemptInOrder, type ProgressInOrder } from './in-order.ts';
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
      const answered = await inAttempt<Unstamped<CommandAnswered>>(dependencies, (client, attempt) =>
        carryOut({ ...dependencies, client }, input, attempt),
      );
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
      const answered = await inAttempt<Unstamped<CronCommandAnswered>>(dependencies, (client, attempt) =>
        carryOutCronJob({ ...dependencies, client }, input, attempt),
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

/** Carries out a decision in the present attempt of Temporal: with the progress of earlier ones, a deadline, and heartbeats. */
function inAttempt<Outcome>(
  { client }: Pick<CarryOutDependencies, 'client'>,
  work: (client: KubernetesClient, attempt: AttemptInOrder<Outcome>) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const { info, cancellationSignal: signal } = Context.current();
  // The last heartbeat of the previous attempt; local activities have none.
  const before = (info.heartbeatDetails as ProgressInOrder<Outcome> | undefined) ?? NO_PROGRESS;
  const start = performance.now();
  const late = info.isLocal ? LATE_MS.local : LATE_MS.ordinary;
  const isLate = (): boolean => performance.now() - start > late;
  const longestWait = info.isLocal ? 'deadline' : LONGEST_WAIT_MS;
  return withHeartbeat(before, (report, deadline) => {
    const ofAttempt = attemptClient(client, { deadline, signal, isLate, longestWait });
    return work(ofAttempt, { number: info.attempt, signal, before, report, isLate });
  });
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
