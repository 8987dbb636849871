import type { Waiting } from './pod.ts';

/** The agent's record of one pod, beyond the API object. Instants are milliseconds since 1970. */
export interface PodRecord {
  startTime: number;
  /** The last two attempts of each container, by container name, oldest first. */
  attempts: Record<string, ContainerAttempt[]>;
  /** Containers that could not be created yet, with the reason and the time of the next attempt. */
  waiting: Record<string, Waiting & { retryAt: number }>;
  /** The reason why the containers must stop; once set, it is never unset. */
  stopping?: Stopping;
}

/** One run of one container; `number` is its restart count. */
export interface ContainerAttempt {
  id: string;
  number: number;
  startedAt: number;
  /** The back-off that this start recorded. */
  backOff?: BackOff;
  /** True when SIGTERM was sent. */
  terminating?: boolean;
  end?: ContainerEnd;
}

export interface BackOff {
  delayMs: number;
  at: number;
}

export interface ContainerEnd {
  exitCode: number;
  reason: string;
  message?: string;
  /** Absent when the container never started. */
  startedAt?: number;
  finishedAt?: number;
}

/** The reason why the containers stop: the work is done, the deadline has passed, or the object in the API is being deleted, has ended or is gone. */
export type StopCause = 'completed' | 'deadline' | 'deleted' | 'terminal' | 'gone';

interface Stopping {
  since: number;
  cause: StopCause;
}

/** The exit code that a kubelet reports for a container without a recorded end. */
export const UNKNOWN_EXIT_CODE = 137;

export function lastAttempt(record: PodRecord, container: string): ContainerAttempt | undefined {
  return record.attempts[container]?.at(-1);
}

export function isAttemptRunning(record: PodRecord, container: string): boolean {
  const last = lastAttempt(record, container);
  return last !== undefined && last.end === undefined;
}
