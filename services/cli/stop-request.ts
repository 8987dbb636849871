/** Below npm, so often it is looked whether npm's shell is still there. */
const LOOK_MS = 250;

/**
 * Aborted when this process is asked to stop, by whichever signal, once or often. The reason of the abort is the signal's
 * name. npm and npx hand a signal to the shell that they started, which ends without handing it on: below them the end of
 * that shell is the request.
 */
export function stopRequest(): AbortSignal {
  const controller = new AbortController();
  const { ppid } = process;
  const look = (): void => {
    if (process.ppid !== ppid) controller.abort('SIGTERM');
  };
  if (process.env['npm_command'] !== undefined) setInterval(look, LOOK_MS).unref();
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => controller.abort(name));
  return controller.signal;
}

/** Resolves when the signal is aborted. */
export function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** Ends this process with the exit status that it has by then, whatever a library still holds open. */
export function endSoon(): void {
  setTimeout(() => process.exit(), 300).unref();
}
