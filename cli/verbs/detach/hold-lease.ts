import { errorMessage, UnavailableError } from '../../../services/adapters/errors.ts';
import { whileLeading, type Leadership, type LeaseRef } from '../../../services/adapters/kubernetes/lease.ts';
import { silentLog } from '../../../services/adapters/process/log.ts';
import { WITHOUT_SHARDS } from '../../../services/shards/watched.ts';
import { leaseTrouble } from '../../../services/ingester/terms/lease-trouble.ts';

/** The Lease of a dead holder becomes free within this time, in milliseconds. */
const TAKE_MS = 8000;

/**
 * Takes the Lease, runs `work` once, and frees the Lease, so that no ingester records during `work`.
 * @throws any error of `work`, and UnavailableError if the Lease cannot be taken.
 */
export async function holdLease<T>(
  lease: LeaseRef & { identity: string },
  work: (leadership: Leadership) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const begun = performance.now();
  // Returns the result of `work`, or throws its error.
  let outcome: () => T = () => {
    throw new UnavailableError('the detachment was stopped before it began: nothing was changed');
  };
  // Ends the attempt to hold the Lease with an error.
  const failWith = (message: string): void => {
    outcome = () => {
      throw new UnavailableError(message);
    };
    over.abort();
  };
  const name = `${lease.namespace}/${lease.name}`;
  await whileLeading(
    {
      ...lease,
      log: silentLog(),
      annotations: () => WITHOUT_SHARDS,
      signal: AbortSignal.any([lease.signal, over.signal]),
      onTrouble: (error) => {
        if (error !== null)
          failWith(
            leaseTrouble(error, lease.namespace) ??
              `the Lease ${name} cannot be taken: ${errorMessage(error)}`,
          );
      },
    },
    async (leadership) => {
      try {
        const result = await work(leadership);
        outcome = () => result;
      } catch (error) {
        outcome = () => {
          throw error;
        };
      } finally {
        over.abort();
      }
    },
    (holder) => {
      if (performance.now() - begun > TAKE_MS)
        failWith(`${holder} has taken the Lease ${name}: nothing was changed`);
    },
  );
  return outcome();
}
