import { readNumber, writeWhole, type AttemptFiles } from './attempt-directory.ts';
import { signal } from './process-table.ts';

/** SIGTERM goes to the main process alone, as to process 1 of a container. */
export function sendTerm(files: AttemptFiles, wrapper: number | undefined): void {
  if (wrapper === undefined) return;
  // Before it has named itself there is only the wrapper's group, whose inner shell then ends instead.
  signal(readNumber(files.main) ?? -wrapper, 'SIGTERM');
}

/** Ends the whole process group of an attempt. */
export function killGroup(files: AttemptFiles, wrapper: number | undefined): void {
  if (wrapper === undefined) return;
  writeWhole(files.killed, true);
  signal(-wrapper, 'SIGKILL');
}
