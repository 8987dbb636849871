import { existsSync, readFileSync, unlinkSync } from 'node:fs';

/** Moments at which the tests end a process, to see that nothing is lost. */
export type FaultPoint =
  'after-api-call' | 'after-release' | 'after-decision' | 'after-signal' | 'after-append' | 'after-apply';

/**
 * Ends this process as `kill -9` does, when the file named by JOBLEDGER_FAULT_FILE holds the name of this moment. The
 * file is removed first, so that it happens once. Without that variable it does nothing.
 */
export function faultPoint(point: FaultPoint): void {
  const file = process.env['JOBLEDGER_FAULT_FILE'];
  if (file === undefined || !existsSync(file) || readFileSync(file, 'utf8').trim() !== point) return;
  unlinkSync(file);
  process.kill(process.pid, 'SIGKILL');
}
