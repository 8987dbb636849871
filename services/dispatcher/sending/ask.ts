import { streamId } from '../../../workflows/kinds.ts';
import { errorMessage } from '../../adapters/errors.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { SendDependencies } from './send.ts';

type AskDependencies = Pick<SendDependencies, 'assignments' | 'signal' | 'log' | 'now'>;

const POLL_MS = 2000;

/** Asks the runs that have to look up pods (unseen.ts), by a signal without facts, until `aborted`. */
export async function keepAskingRuns(
  dependencies: AskDependencies,
  onAsked: () => void,
  aborted: AbortSignal,
): Promise<void> {
  while (!aborted.aborted) {
    if (await askDueRuns(dependencies)) onAsked();
    await pause(POLL_MS, aborted);
  }
}

/**
 * Asks the runs that are due, and returns whether any run was asked. After a failure, the next call asks the remaining
 * runs.
 */
export async function askDueRuns({ assignments, signal, log, now }: AskDependencies): Promise<boolean> {
  let isAnyAsked = false;
  for (const assignment of assignments.values()) {
    for (const pods of assignment.unseen.due(now())) {
      if (assignment.isOver) break;
      try {
        await signal(pods.job, [], { recall: true, start: false });
      } catch (error) {
        log.warn(
          { job: streamId(pods.job), error: errorMessage(error) },
          'a run could not be asked to look up its pods; trying again',
        );
        return isAnyAsked;
      }
      assignment.unseen.forget(pods);
      isAnyAsked = true;
    }
  }
  return isAnyAsked;
}
