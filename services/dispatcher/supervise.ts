import { messageOf } from '../adapters/errors.ts';
import type { Log } from '../adapters/log.ts';

export interface SuperviseDependencies {
  /** Another one when Temporal lost its database. */
  namespaceId: () => Promise<string>;
  callRoll: () => Promise<void>;
  /** True when nothing is left to take over. */
  takeOver: () => Promise<boolean>;
  aborted: AbortSignal;
  log: Log;
}

export interface Supervise {
  /** Dispatchers came or went. */
  assigned(): void;
  /** There are partitions that this dispatcher did not have before. */
  taken(): void;
}

const CHECK_MS = 2000;

/**
 * Calls the roll when partitions were taken, and again when Temporal went away or came back with another database; and
 * takes over what another build drives: at the start, and after each time that dispatchers came or went, for in a rolling
 * upgrade that is when the last old one is gone.
 */
export function supervise(dependencies: SuperviseDependencies): Supervise {
  const due = { ensureWorkflows: false, takeOver: true };
  let wake: () => void = () => undefined;
  const rest = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
      setTimeout(resolve, CHECK_MS);
    });
  void watch(dependencies, due, rest);
  return {
    assigned: () => void (due.takeOver = true),
    taken: () => {
      due.ensureWorkflows = true;
      wake();
    },
  };
}

async function watch(
  { namespaceId, callRoll, takeOver, aborted, log }: SuperviseDependencies,
  due: { ensureWorkflows: boolean; takeOver: boolean },
  rest: () => Promise<void>,
): Promise<void> {
  let known = await namespaceId().catch(() => '');
  let isAway = false;
  while (!aborted.aborted) {
    await rest();
    try {
      const now = await namespaceId();
      if (isAway || now !== known) due.ensureWorkflows = true;
      [known, isAway] = [now, false];
      // Before either is done it may become due again.
      if (due.ensureWorkflows) {
        due.ensureWorkflows = false;
        await callRoll();
      }
      if (due.takeOver) {
        due.takeOver = false;
        due.takeOver = !(await takeOver()) || due.takeOver;
      }
    } catch (error) {
      if (!isAway) log.warn({ error: messageOf(error) }, 'Temporal does not answer; waiting for it');
      [isAway, due.takeOver] = [true, true];
    }
  }
}
