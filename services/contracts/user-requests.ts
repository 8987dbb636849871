import { randomUUID } from 'node:crypto';
import type { CommandReceived } from '../../workflows/job/events.ts';
import { InputError, UnavailableError } from '../adapters/errors.ts';
import { REQUESTS_SOURCE, sealed } from '../adapters/event-codec.ts';
import { fullName } from '../read-model/find-job.ts';
import type { JobView } from '../read-model/jobs.ts';
import { createAppender, type Appender } from '../adapters/kafka/append.ts';
import type { KafkaConnection } from '../adapters/kafka/connection.ts';

/** What a person can ask of a Job. */
export type UserRequest = 'suspend' | 'resume';

/** The Job as it is cannot be asked that. */
export class RefusedRequestError extends InputError {
  override readonly name = 'RefusedWishError';
}

/** Refuses what can be known to be vain, before anything is sent. @throws RefusedWishError with the reason. */
export function requireRequestable(job: JobView, wish: UserRequest): void {
  const refusal = refusalOf(job);
  if (refusal !== null)
    throw new RefusedRequestError(`${fullName(job)} cannot be asked to ${wish}: ${refusal}`);
}

/** What the tables know may be a moment old: the workflow has the last word, and its refusal is in the ledger. */
function refusalOf(job: JobView): string | null {
  if (job.deleted_at !== null) return `it was deleted at ${job.deleted_at}`;
  if (job.finished_at !== null) return `it is ${job.status} since ${job.finished_at}`;
  if (!job.claimed) return `${job.managed_by ?? "the cluster's own Job controller"} drives it, not Jobledger`;
  return null;
}

/** Puts wishes into the ledger: from there the dispatcher tells the Job's workflow, whatever becomes of a run of it. */
export interface UserRequests {
  /** Resolves when it stands in the ledger; `by` is who wants it. @throws UnavailableError. */
  ask(job: JobView, wish: UserRequest, by: string): Promise<void>;
  close(): Promise<void>;
}

/** Connects when it is first used, and again when that failed. */
export function createUserRequests(connection: KafkaConnection): UserRequests {
  let connected: Promise<Appender> | null = null;
  const appender = (): Promise<Appender> => {
    connected ??= createAppender(connection).catch((cause: unknown) => {
      connected = null;
      throw new UnavailableError('Kafka does not take the wish', { cause });
    });
    return connected;
  };
  return {
    ask: async (job, wish, by) => (await appender()).append([received(job, wish, by)]),
    close: async () => (await connected?.catch(() => undefined))?.close(),
  };
}

function received(
  { cluster, uid, namespace, name }: JobView,
  command: UserRequest,
  by: string,
): CommandReceived {
  return sealed<CommandReceived>({
    id: `${cluster}/${uid}/request/${randomUUID()}`,
    type: 'command.received',
    source: REQUESTS_SOURCE,
    subject: `${namespace}/${name}`,
    time: new Date().toISOString(),
    data: { cluster, jobUid: uid, command, by },
  });
}
