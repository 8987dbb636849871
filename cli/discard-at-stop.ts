import { constants } from 'node:os';
import { stopRequest } from './stop-request.ts';

/** At a stop signal, such as Ctrl-C, discards what a verb has not finished, and ends the process with the status of that signal. */
export function discardAtStop(discard: () => void): void {
  const stop = stopRequest();
  stop.addEventListener('abort', () => {
    discard();
    const number = Object.entries(constants.signals).find(([name]) => name === stop.reason)?.[1] ?? 0;
    process.exit(128 + number);
  });
}
