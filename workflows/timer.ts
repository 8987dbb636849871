import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** One durable timer that is only set anew when its instant changes, so that waiting costs no history. */
export interface Alarm {
  /** Sets the instant, in milliseconds since the epoch; null for none. */
  set(at: number | null): void;
  /** True once the instant has come; setting another one ends it. */
  hasRung(): boolean;
}

/** No timer is set for longer, in milliseconds: the server takes no others. It rings early then, and is set anew. */
const LONGEST_MS = 365 * 24 * 3_600_000;

export function createAlarm(): Alarm {
  let current: { at: number; scope: CancellationScope; rung: boolean } | null = null;
  return {
    set(at) {
      if (current?.at === at && !current.rung) return;
      current?.scope.cancel();
      current = at === null ? null : start(at);
    },
    hasRung: () => current?.rung ?? false,
  };
}

function start(at: number): { at: number; scope: CancellationScope; rung: boolean } {
  const alarm = { at, scope: new CancellationScope(), rung: false };
  alarm.scope
    .run(() => sleep(Math.min(Math.max(1, at - Date.now()), LONGEST_MS)))
    .then(
      () => {
        alarm.rung = true;
      },
      (error: unknown) => {
        if (!isCancellation(error)) throw error;
      },
    );
  return alarm;
}
