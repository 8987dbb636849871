import { messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/log.ts';

export interface LookAfterNeeds {
  /** Another one when Temporal lost its database. */
  namespaceId: () => Promise<string>;
  callRoll: () => Promise<void>;
  /** True when nothing is left to take over. */
  takeOver: () => Promise<boolean>;
  aborted: AbortSignal;
  log: Log;
}

const CHECK_MS = 2000;

/**
 * Watches for a Temporal that went away, or came back with another database, and calls the roll again then; and takes
 * over what another build drives: at the start, and after each time that dispatchers came or went, for in a rolling
 * upgrade that is when the last old one is gone. The function that is returned tells of such a time.
 */
export function lookAfter(needs: LookAfterNeeds): () => void {
  const due = { takeOver: true };
  void watch(needs, due);
  return () => {
    due.takeOver = true;
  };
}

async function watch(
  { namespaceId, callRoll, takeOver, aborted, log }: LookAfterNeeds,
  due: { takeOver: boolean },
): Promise<void> {
  let known = await namespaceId().catch(() => '');
  let isAway = false;
  while (!aborted.aborted) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    try {
      const now = await namespaceId();
      if (isAway || now !== known) await callRoll();
      [known, isAway] = [now, false];
      if (due.takeOver) {
        // Before it is done it may become due again.
        due.takeOver = false;
        due.takeOver = !(await takeOver()) || due.takeOver;
      }
    } catch (error) {
      if (!isAway) log.warn({ error: messageOf(error) }, 'Temporal does not answer; waiting for it');
      [isAway, due.takeOver] = [true, true];
    }
  }
}
