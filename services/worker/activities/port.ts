import { Context } from '@temporalio/activity';
import type { CarryOutInput, CronJobActivities, JobActivities } from '../../../workflows/activities.ts';
import type { CronCommandAnswered } from '../../../workflows/cron-job/events.ts';
import type { Unstamped } from '../../../workflows/job/events.ts';
import { zoneRules } from '../../adapters/time-zones.ts';
import { carryOutCronJob, type CronCarryOutDependencies } from './cron-job/carry-out.ts';
import { recallCronJob } from '../recall/recall-cron-job.ts';
import type { StreamReader } from '../recall/stream-reader.ts';
import { carryOut, type CarryOutDependencies, type Progress } from './carry-out.ts';
import { createServesGangs } from './serves-gangs.ts';
import { NO_PROGRESS, type ProgressInOrder } from './in-order.ts';
import { recall, type RecallDependencies } from '../recall/recall.ts';

/** Short enough that no heartbeat time-out is missed. */
const HEARTBEAT_MS = 1000;

/** The activities of one cluster, as Temporal calls them. */
export function createJobActivities(dependencies: CarryOutDependencies & RecallDependencies): JobActivities {
  return {
    carryOut: async (input) => {
      const { info, cancellationSignal: signal } = Context.current();
      // The last heartbeat of the previous attempt; local activities have none.
      const before = (info.heartbeatDetails as Progress | undefined) ?? NO_PROGRESS;
      const answered = await withHeartbeat(before, (report) =>
        carryOut(dependencies, input, { number: info.attempt, signal, before, report }),
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
      const { info, cancellationSignal: signal } = Context.current();
      type Before = ProgressInOrder<Unstamped<CronCommandAnswered>>;
      const before = (info.heartbeatDetails as Before | undefined) ?? NO_PROGRESS;
      const answered = await withHeartbeat<Unstamped<CronCommandAnswered>[], Before>(before, (report) =>
        carryOutCronJob(dependencies, input, { number: info.attempt, signal, before, report }),
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

/** Each heartbeat repeats the last reported progress, for the next attempt if this one ends. */
async function withHeartbeat<A, D>(
  details: D,
  work: (report: (progress: D) => void) => Promise<A>,
): Promise<A> {
  const context = Context.current();
  // Temporal ignores heartbeats of local activities, but the SDK would encode each.
  if (context.info.isLocal) return work(() => undefined);
  let last = details;
  const timer = setInterval(() => context.heartbeat(last), HEARTBEAT_MS);
  try {
    return await work((progress) => {
      last = progress;
      context.heartbeat(last);
    });
  } finally {
    clearInterval(timer);
  }
}
