import { createHash } from 'node:crypto';
import type { EmitEvents } from '../../../workflows/job/commands.ts';
import { messageOf } from '../../adapters/errors.ts';
import { forEachOf, isConflict, type EventKey, type CommandContext } from './command-context.ts';

export type EventOnJob = EmitEvents['events'][number];

/** The component in the Events: that of the controller that we replace (J-7.2). */
const COMPONENT = 'job-controller';

/** Kubernetes Events on the Job. Best effort, as upstream's: a failure is only logged (J-7.1). */
export async function emitOnJob(context: CommandContext, events: readonly EventOnJob[]): Promise<void> {
  const job = await context.recentJob().catch((error: unknown) => {
    logFailure(context, error, 'the Job could not be read, so it gets no Events');
    return null;
  });
  if (job === null) return;
  const { resourceVersion } = job.metadata;
  await forEachOf([...events.entries()], ([at, event]) => emit(context, resourceVersion, event, at));
}

async function emit(
  context: CommandContext,
  resourceVersion: string,
  { type, reason, message }: EventOnJob,
  at: number,
): Promise<void> {
  const { client, job, signal } = context;
  const now = `${new Date(context.now()).toISOString().slice(0, 19)}Z`;
  const body = {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(job.name, context.eventKey, at), namespace: job.namespace },
    involvedObject: {
      apiVersion: 'batch/v1',
      kind: 'Job',
      namespace: job.namespace,
      name: job.name,
      uid: job.uid,
      resourceVersion,
    },
    type,
    reason,
    message,
    source: { component: COMPONENT },
    reportingComponent: COMPONENT,
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  };
  try {
    await client.request({
      method: 'POST',
      path: `/api/v1/namespaces/${job.namespace}/events`,
      body,
      signal,
      timeoutMs: 2000,
    });
  } catch (error) {
    if (!isConflict(error)) logFailure(context, error, `the Event ${reason} was not accepted`);
  }
}

function logFailure({ job, log }: CommandContext, error: unknown, message: string): void {
  log.warn({ job: `${job.namespace}/${job.name}`, error: messageOf(error) }, message);
}

/**
 * Upstream's names end in hexadecimal nanoseconds (J-7.1), and kubectl lists Events of one second by name. Here they
 * are the decision's instant and, below the millisecond, the position of the Event in it.
 */
export function eventName(jobName: string, { decision, now, command }: EventKey, at: number): string {
  // Keeps Events apart if two decisions have the same instant.
  const salt = createHash('sha256').update(decision).digest().readUInt16BE() % 100;
  const nanoseconds = BigInt(now) * 1_000_000n + BigInt(command * 100_000 + at * 100 + salt);
  return `${jobName}.${nanoseconds.toString(16)}`;
}
