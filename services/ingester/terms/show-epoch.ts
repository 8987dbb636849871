import { retry } from '../../adapters/waiting/retry.ts';

interface EpochDependencies {
  /** The epoch as workers read it now. */
  shown(): number;
  /** Shows the workers another epoch. */
  show(epoch: number): Promise<void>;
  /** Called before each wait, with the number of failures in a row. */
  onFailedAttempt(error: unknown, failures: number): void;
}

/**
 * Shows workers the epoch that the watches follow, until it is recorded or the term ends: without it they take the
 * answers of a restored cluster for answers of an earlier epoch.
 */
export function createEpochDisplay({
  shown,
  show,
  onFailedAttempt,
}: EpochDependencies): (epoch: number, term: AbortSignal) => void {
  return (epoch, term) => {
    if (shown() === epoch) return;
    const until = { signal: term, onFailedAttempt, shouldRetry: () => true };
    // Only the end of the term ends the attempts.
    retry(() => show(epoch), until).catch(() => undefined);
  };
}
