import { Context } from '@temporalio/activity';
import type { JobActivities } from '../../../workflows/activities.ts';
import { carryOut, type CarryOutNeeds } from './carry-out.ts';
import { recall, type StreamReader } from './recall.ts';

/** Shorter than the heartbeat time-out by enough that none is missed. */
const HEARTBEAT_MS = 1000;

/** The activities of one cluster, as Temporal calls them. */
export function createJobActivities(needs: CarryOutNeeds & { streamOf: StreamReader }): JobActivities {
  return {
    carryOut: (order) => withHeartbeat((attempt) => carryOut(needs, order, attempt)),
    recall: (job) => withHeartbeat(() => recall(needs.streamOf, job)),
  };
}

async function withHeartbeat<A>(
  work: (attempt: { number: number; signal: AbortSignal }) => Promise<A>,
): Promise<A> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), HEARTBEAT_MS);
  try {
    return await work({ number: context.info.attempt, signal: context.cancellationSignal });
  } finally {
    clearInterval(timer);
  }
}
