import { readNumber, writeWhole, type AttemptFiles } from './attempt-directory.ts';
import { signal } from './process-table.ts';

/** A process that was started this instant names itself within a few milliseconds. */
const LOOK_AGAIN_MS = 5;

/**
 * SIGTERM goes to the main process alone, as to process 1 of a container. It waits until that process has named
 * itself: between fork and exec the shell would swallow it.
 */
export function sendTerm(files: AttemptFiles, wrapperOf: (files: AttemptFiles) => number | undefined): void {
  if (wrapperOf(files) === undefined) return;
  const main = readNumber(files.main);
  if (main === undefined) setTimeout(() => sendTerm(files, wrapperOf), LOOK_AGAIN_MS);
  else signal(main, 'SIGTERM');
}

/** Ends the whole process group of an attempt. */
export function killGroup(files: AttemptFiles, wrapper: number | undefined): void {
  if (wrapper === undefined) return;
  writeWhole(files.killed, true);
  signal(-wrapper, 'SIGKILL');
}
