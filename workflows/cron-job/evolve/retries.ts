import { afterError, decidedAt } from '../../decision/retry.ts';
import type { CronCommand } from '../commands.ts';
import type { CronOutcome } from '../outcomes.ts';
import type { CronJobState } from '../state.ts';

/** The delay after an error is 5 ms, and each further error doubles the delay up to 1000 s (J-9.10). */
const ERRORS = { firstMs: 5, longestMs: 1_000_000 };
/** A quiet watch receives a bookmark from the API server every minute. */
const WATCH = { firstMs: 1000, longestMs: 60_000 };

/** Records an error of a kind of command, which delays the next command of this kind. */
export function rememberSetback(draft: CronJobState, kind: CronCommand['kind'], message: string): void {
  const backoff = kind === 'AwaitWatch' ? WATCH : ERRORS;
  draft.retries[kind] = afterError(draft.retries[kind], message, decidedAt(draft), backoff);
}

/**
 * The reason why a command must not be repeated at once; null after a success. A change by another client also causes
 * a back-off (J-9.10).
 */
export function setbackMessage(outcome: CronOutcome): string | null {
  switch (outcome.kind) {
    case 'stale':
      return outcome.why;
    case 'AwaitWatch':
      return `the watch of Jobs has reached ${outcome.reached ?? 'no version'}`;
    case 'DeleteJobs':
    case 'ReplaceJobs':
    case 'LookUpJobs':
      for (const job of outcome.jobs) if (job.result === 'failed') return job.error.message;
      return null;
    case 'WriteStatus':
      if (outcome.result === 'conflict') return 'the CronJob had changed';
      return outcome.result === 'failed' ? outcome.error.message : null;
    case 'CreateJob':
      if (outcome.result === 'unknown') return 'no answer';
      return outcome.result === 'failed' ? outcome.error.message : null;
    case 'LookUpCronJob':
      return outcome.result === 'failed' ? outcome.error.message : null;
    case 'EmitEvents':
    case 'skipped':
      return null;
  }
}
