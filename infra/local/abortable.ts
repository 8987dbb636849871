import { JobledgerError } from '../../services/adapters/errors.ts';

/**
 * Begins the work of a start and waits for it, unless `signal` is aborted first; later errors of the work are
 * ignored. @throws JobledgerError when it is aborted.
 */
export async function waitUnlessAborted(begin: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new JobledgerError('the start was cancelled')), {
      once: true,
    });
  });
  const work = begin();
  work.catch(() => undefined);
  aborted.catch(() => undefined);
  await Promise.race([work, aborted]);
}
