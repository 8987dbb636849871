import type { Waiting } from './pod.ts';

/** What the agent knows of one pod beyond the API object. Instants are milliseconds since 1970. */
export interface PodRecord {
  startTime: number;
  /** By container name, the last two attempts, oldest first. */
  attempts: Record<string, ContainerAttempt[]>;
  /** Containers that could not be created yet, and when that is tried again. */
  waiting: Record<string, Waiting & { retryAt: number }>;
  /** Set once the containers are to end; never taken back. */
  stopping?: Stopping;
}

/** One run of one container; `number` is its restart count. */
export interface ContainerAttempt {
  id: string;
  number: number;
  startedAt: number;
  /** The back-off entry that this start left behind. */
  backOff?: BackOff;
  /** SIGTERM was sent. */
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
  /** Absent when it never started. */
  startedAt?: number;
  finishedAt?: number;
}

/** Why the containers end: the pod did all its work, its deadline came, or the API says so. */
export type StopCause = 'completed' | 'deadline' | 'deleted' | 'terminal' | 'gone';

interface Stopping {
  since: number;
  cause: StopCause;
}

/** How a kubelet reports a container that left no trace. */
export const UNKNOWN_EXIT_CODE = 137;

export function lastAttempt(record: PodRecord, container: string): ContainerAttempt | undefined {
  return record.attempts[container]?.at(-1);
}

export function isAttemptRunning(record: PodRecord, container: string): boolean {
  const last = lastAttempt(record, container);
  return last !== undefined && last.end === undefined;
}
