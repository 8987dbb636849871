import { existsSync, readFileSync, unlinkSync } from 'node:fs';

/** Points at which the tests kill a process, to check that nothing is lost. */
export type FaultPoint =
  | 'after-api-call'
  | 'after-release'
  | 'after-decision'
  | 'after-signal'
  | 'after-append'
  | 'after-apply';

/**
 * Kills this process like `kill -9` when the file named by JOBLEDGER_FAULT_FILE contains the name of this point. The
 * function removes the file first, so that the process is killed only once. Without the variable, the function does
 * nothing.
 */
export function faultPoint(point: FaultPoint): void {
  const file = process.env['JOBLEDGER_FAULT_FILE'];
  if (file === undefined || !existsSync(file) || readFileSync(file, 'utf8').trim() !== point) return;
  unlinkSync(file);
  process.kill(process.pid, 'SIGKILL');
}
