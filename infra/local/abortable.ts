import { JobledgerError } from '../../services/adapters/errors.ts';

/** Waits for the work of a start, unless `signal` is aborted first. @throws JobledgerError when it is. */
export async function abortable(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new JobledgerError('the start was cancelled')), {
      once: true,
    });
  });
  work.catch(() => undefined);
  aborted.catch(() => undefined);
  await Promise.race([work, aborted]);
}
