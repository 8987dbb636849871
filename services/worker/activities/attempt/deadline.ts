import { KubernetesApiError, UnavailableError } from '../../../adapters/errors.ts';
import type { ApiRequest, KubernetesClient } from '../../../adapters/kubernetes/client.ts';
import { pause } from '../../../adapters/waiting/pause.ts';

interface OfAttempt {
  deadline: AttemptDeadline;
  signal: AbortSignal;
  /** True when the attempt has run too long to wait for anything. */
  isLate(): boolean;
  /**
   * The longest wait for a busy server, in milliseconds; `deadline` allows a wait until the deadline of the attempt.
   */
  longestWait: number | 'deadline';
}

/** The wait for a busy server that does not name a time, in milliseconds. */
const WAIT_MS = 1000;

/**
 * The client for one attempt. The client sends a request that changes an object only before the deadline of the
 * attempt, and repeats a request that a busy server rejects after the wait that the server asks for.
 */
export function createAttemptClient(client: KubernetesClient, attempt: OfAttempt): KubernetesClient {
  return {
    ...client,
    async request<T>(request: ApiRequest): Promise<T> {
      const guarded = request.method === 'GET' ? request : checkDeadlineFirst(request, attempt.deadline);
      for (;;) {
        guarded.beforeSending?.();
        try {
          return await client.request<T>(guarded);
        } catch (error) {
          const wait = request.isBestEffort === true ? null : waitAfter(error, attempt);
          if (wait === null) throw error;
          await pause(wait, attempt.signal);
          attempt.signal.throwIfAborted();
        }
      }
    },
  };
}

/** The request, with a check of the deadline before the request is sent. */
function checkDeadlineFirst(request: ApiRequest, deadline: AttemptDeadline): ApiRequest {
  return { ...request, beforeSending: () => deadline.check() };
}

/** The wait before a request is repeated, in milliseconds; null when the request is not repeated. */
function waitAfter(error: unknown, { deadline, isLate, longestWait }: OfAttempt): number | null {
  if (!(error instanceof KubernetesApiError) || error.meaning !== 'throttled' || isLate()) return null;
  const wished = error.retryAfter === undefined ? WAIT_MS : error.retryAfter * 1000;
  if (longestWait !== 'deadline') return Math.min(wished, longestWait);
  return wished < deadline.leftMs() ? wished : null;
}

/**
 * The time until which an attempt may change objects. After this time, Temporal may have given the work of the attempt
 * to another worker.
 */
export interface AttemptDeadline {
  /** Restarts the time of the attempt. The call has no effect after the time has passed. */
  renew(): void;
  /** @throws DeadlinePassedError after the time has passed. */
  check(): void;
  leftMs(): number;
}

/**
 * Thrown when the process was stopped or too busy. The error is retryable, because Temporal repeats the attempt on this
 * or another worker.
 */
export class DeadlinePassedError extends UnavailableError {}

/** Clocks in milliseconds since an arbitrary start. */
export interface Clocks {
  monotonic(): number;
  wall(): number;
}

const SYSTEM: Clocks = { monotonic: () => performance.now(), wall: () => Date.now() };

/**
 * The deadline of an attempt that begins now. The clock that has advanced more counts, because the monotonic clock may
 * stop while a virtual machine is paused, and the wall clock may be set back.
 */
export function startAttemptDeadline(lengthMs: number, clocks: Clocks = SYSTEM): AttemptDeadline {
  let [monotonic, wall] = [clocks.monotonic(), clocks.wall()];
  let isOver = false;
  const leftMs = (): number => {
    const passed = Math.max(clocks.monotonic() - monotonic, clocks.wall() - wall);
    isOver ||= passed > lengthMs;
    return isOver ? 0 : lengthMs - passed;
  };
  return {
    leftMs,
    renew() {
      if (leftMs() > 0) [monotonic, wall] = [clocks.monotonic(), clocks.wall()];
    },
    check() {
      leftMs();
      if (isOver)
        throw new DeadlinePassedError(
          `this process was stopped for more than ${lengthMs} ms, so another worker may have continued; this attempt sends no further requests`,
        );
    },
  };
}
