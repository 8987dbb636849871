import { createRequire } from 'node:module';

/** The part of kafkajs' state of a connection that this module uses. */
interface RequestQueue {
  /** Requests that wait until the broker has answered earlier requests, or until its quota allows them. */
  pending: readonly unknown[];
  /**
   * The time until which the broker's quota allows no request, in milliseconds since 1970; -1 when no quota is
   * exceeded.
   */
  throttledUntil: number;
  scheduleCheckPendingRequests(): void;
}

const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/requestQueue') as {
  prototype: RequestQueue;
};
const { scheduleCheckPendingRequests: schedule } = prototype;

/**
 * After its first response, each connection of kafkajs 2.2.4 checks for waiting requests every millisecond while it is open (its
 * issues 1556 and 1704). Node 22 and later warn about it on stderr (TimeoutNegativeWarning). After this call a connection checks
 * only while requests wait or a quota is exceeded.
 */
export function checkOnlyWaitingRequests(): void {
  prototype.scheduleCheckPendingRequests = function (this: RequestQueue): void {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) schedule.call(this);
  };
}
