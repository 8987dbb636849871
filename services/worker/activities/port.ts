import { Context } from '@temporalio/activity';
import type { JobActivities } from '../../../workflows/activities.ts';
import { carryOut, NO_PROGRESS, type CarryOutDependencies, type Progress } from './carry-out.ts';
import { recall } from '../recall/recall.ts';
import type { StreamReader } from '../recall/stream-reader.ts';

/** Short enough that no heartbeat time-out is missed. */
const HEARTBEAT_MS = 1000;

/** The activities of one cluster, as Temporal calls them. */
export function createJobActivities(
  dependencies: CarryOutDependencies & { streamOf: StreamReader },
): JobActivities {
  return {
    carryOut: (input) => {
      const { info, cancellationSignal: signal } = Context.current();
      // The last heartbeat of the previous attempt; local activities have none.
      const before = (info.heartbeatDetails as Progress | undefined) ?? NO_PROGRESS;
      return withHeartbeat(before, (report) =>
        carryOut(dependencies, input, { number: info.attempt, signal, before, report }),
      );
    },
    recall: (job) => {
      const { cancellationSignal: signal } = Context.current();
      return withHeartbeat(undefined, () => recall(dependencies.streamOf, job, signal));
    },
  };
}

/** Each heartbeat repeats the last reported progress, for the next attempt if this one ends. */
async function withHeartbeat<A, D>(
  details: D,
  work: (report: (progress: D) => void) => Promise<A>,
): Promise<A> {
  const context = Context.current();
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
