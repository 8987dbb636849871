import { readNumber, writeJson, type AttemptFiles } from './attempt-directory.ts';
import { sendSignal } from './process-table.ts';

/** A new process writes its id within a few milliseconds. */
const LOOK_AGAIN_MS = 5;

/**
 * Sends SIGTERM to the main process only, as to process 1 of a container. Waits until that process has written its id,
 * because between fork and exec the shell would swallow the signal.
 */
export function sendTerm(
  files: AttemptFiles,
  findWrapper: (files: AttemptFiles) => number | undefined,
): void {
  if (findWrapper(files) === undefined) return;
  const main = readNumber(files.main);
  if (main === undefined) setTimeout(() => sendTerm(files, findWrapper), LOOK_AGAIN_MS);
  else sendSignal(main, 'SIGTERM');
}

/** Sends SIGKILL to the whole process group of an attempt, and records the signal. */
export function killGroup(files: AttemptFiles, wrapper: number | undefined): void {
  if (wrapper === undefined) return;
  writeJson(files.killed, true);
  sendSignal(-wrapper, 'SIGKILL');
}
