/** Under npm, the interval in milliseconds at which the parent process is checked. */
const POLL_MS = 250;

/**
 * A signal that is aborted at the first stop signal of the process, whose name is the reason. npm and npx send a stop signal only to their shell,
 * which exits without forwarding the signal; under npm, the exit of the shell therefore counts as a stop signal.
 */
export function stopRequest(): AbortSignal {
  const controller = new AbortController();
  const { ppid } = process;
  // Treats the exit of the parent process as a stop signal.
  const look = (): void => {
    if (process.ppid !== ppid) controller.abort('SIGTERM');
  };
  if (process.env['npm_command'] !== undefined) setInterval(look, POLL_MS).unref();
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

/** The exit status of a program that SIGINT has ended, which Ctrl-C in a terminal sends. */
export const INTERRUPTED = 130;

/** Ends the process within 300 ms with its present exit status, or with that of an interrupt, even if a library keeps resources open. */
export function endSoon(stop: AbortSignal): void {
  if (stop.reason === 'SIGINT') process.exitCode = INTERRUPTED;
  setTimeout(() => process.exit(), 300).unref();
}
