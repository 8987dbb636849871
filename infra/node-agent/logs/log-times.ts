import { appendFileSync, readFileSync, statSync } from 'node:fs';
import type { AttemptFiles } from '../process/attempt-directory.ts';

/**
 * When a log had grown to which size. Output goes straight from the process to its file, so that it survives the
 * agent; a line's time is therefore known to the second, by looking at the sizes.
 */
export interface LogTime {
  at: number;
  size: number;
}

const LOOK_EVERY_MS = 1000;

/** Notes every second how much each living container has written. */
export function noteLogTimes(living: () => AttemptFiles[]): { close: () => void } {
  const sizes = new Map<string, number>();
  const timer = setInterval(() => {
    const present = living();
    const directories = new Set(present.map((files) => files.directory));
    for (const directory of sizes.keys()) if (!directories.has(directory)) sizes.delete(directory);
    for (const files of present) {
      const size = fileSize(files.log);
      if (size === (sizes.get(files.directory) ?? 0)) continue;
      sizes.set(files.directory, size);
      appendFileSync(files.logTimes, `${Date.now()} ${size}\n`);
    }
  }, LOOK_EVERY_MS);
  timer.unref();
  return { close: () => clearInterval(timer) };
}

/** The times of one log; `finishedAt` stands for what was written last. */
export function readLogTimes(files: AttemptFiles, finishedAt: number | undefined): LogTime[] {
  let text = '';
  try {
    text = readFileSync(files.logTimes, 'utf8');
  } catch {
    // It ended within the first second, or has written nothing.
  }
  const times = text
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .flatMap(([at, size]) => (at !== undefined && size !== undefined ? [{ at, size }] : []));
  return finishedAt === undefined ? times : [...times, { at: finishedAt, size: Infinity }];
}

/** When the byte at an offset was written: when the log was first seen to be longer. */
export function timeOfByte(times: readonly LogTime[], offset: number, now: number): number {
  return times.find((time) => time.size > offset)?.at ?? now;
}

/** The first byte that was written at or after an instant. */
export function byteSince(times: readonly LogTime[], since: number, size: number): number {
  const before = times.findLast((time) => time.at < since);
  return Math.min(before?.size ?? 0, size);
}

export function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
