/** Under npm, the interval in milliseconds at which the parent process is checked. */
const LOOK_MS = 250;

/**
 * Aborted at the first stop signal; the abort reason is the signal's name. npm and npx send the signal only to the
 * shell that they started, which exits without forwarding it; under them, the exit of that shell is the request.
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
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** The exit status of a program that SIGINT, Ctrl-C in a terminal, has ended. */
export const INTERRUPTED = 130;

/** Exits soon with the exit status set by then, or that of an interrupt, even if a library holds resources open. */
export function endSoon(stop: AbortSignal): void {
  if (stop.reason === 'SIGINT') process.exitCode = INTERRUPTED;
  setTimeout(() => process.exit(), 300).unref();
}
