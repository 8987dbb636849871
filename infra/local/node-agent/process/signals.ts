import { readNumber, writeJson, type AttemptFiles } from './attempt-directory.ts';
import { sendSignal } from './process-table.ts';

// Each attempt of a container runs under a wrapper, a shell that leads its process group and records the exit code (wrapper.ts).

/** The time between two looks for the id of the main process, which writes it within a few milliseconds. */
const LOOK_AGAIN_MS = 5;

/**
 * Sends SIGTERM to the main process only, as to process 1 of a container. Returns at once: if the main process has not
 * written its id yet, this function looks again while the wrapper runs, because until then the process is still a shell
 * that would swallow the signal. `findWrapperPidPid` is called at each look, because the wrapper may have ended.
 */
export function terminateAttempt(
  files: AttemptFiles,
  findWrapperPid: (files: AttemptFiles) => number | undefined,
): void {
  if (findWrapperPid(files) === undefined) return;
  const main = readNumber(files.main);
  if (main === undefined) setTimeout(() => terminateAttempt(files, findWrapperPid), LOOK_AGAIN_MS);
  else sendSignal(main, 'SIGTERM');
}

/** Sends SIGKILL to the whole process group of an attempt of a container; nothing if its wrapper has ended, and so has no pid. */
export function killAttempt(files: AttemptFiles, wrapperPid: number | undefined): void {
  if (wrapperPid === undefined) return;
  // Recorded first, so that an agent that restarts in between reports the end as killed.
  writeJson(files.killed, true);
  sendSignal(-wrapperPid, 'SIGKILL');
}
