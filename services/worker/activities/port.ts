import { Context } from '@temporalio/activity';
import type { CarryOutInput, JobActivities } from '../../../workflows/activities.ts';
import { carryOut, NO_PROGRESS, type CarryOutDependencies, type Progress } from './carry-out.ts';
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
