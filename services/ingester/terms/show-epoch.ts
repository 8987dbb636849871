import { retry } from '../../adapters/waiting/retry.ts';
import type { Epoch } from '../../live-topic/epoch.ts';

interface EpochDependencies {
  /** The number of the epoch that workers read at present. */
  shown(): number;
  /** Shows another epoch to the workers. */
  show(epoch: Epoch): Promise<void>;
  /** Called before each wait between two attempts, with the number of failures in a row. */
  onFailedAttempt(error: unknown, failures: number): void;
}

/**
 * Shows the workers the epoch that the watches follow, with attempts until the epoch is recorded or the term ends.
 * Without this record, workers would take the answers of a restored cluster for answers of an earlier epoch.
 */
export function createEpochDisplay({
  shown,
  show,
  onFailedAttempt,
}: EpochDependencies): (epoch: Epoch | null, term: AbortSignal) => void {
  return (epoch, term) => {
    if (epoch === null || shown() === epoch.epoch) return;
    const until = { signal: term, onFailedAttempt, shouldRetry: () => true };
    // Only the end of the term ends the attempts.
    retry(() => show(epoch), until).catch(() => undefined);
  };
}
