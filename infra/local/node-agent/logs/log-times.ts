import { appendFileSync, readFileSync, statSync } from 'node:fs';
import type { AttemptFiles } from '../process/attempt-directory.ts';

/**
 * The size in bytes of a log at one instant (milliseconds since 1970). A process writes directly to its log file, so that
 * its output survives the agent; the time of a line is therefore only known to the second, from sampled sizes.
 */
export interface LogTime {
  at: number;
  size: number;
}

const LOOK_EVERY_MS = 1000;

/** Records every second the log size of each running container. */
export function recordLogTimes(living: () => AttemptFiles[]): { close: () => void } {
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

/** The recorded sizes of one log; `finishedAt` is taken as the time of the last output. */
export function readLogTimes(files: AttemptFiles, finishedAt: number | undefined): LogTime[] {
  let text = '';
  try {
    text = readFileSync(files.logTimes, 'utf8');
  } catch {
    // The container ended within the first second, or has written nothing.
  }
  const times = text
    .split('\n')
    .map((line) => line.split(' ').map(Number))
    .flatMap(([at, size]) => (at !== undefined && size !== undefined ? [{ at, size }] : []));
  return finishedAt === undefined ? times : [...times, { at: finishedAt, size: Infinity }];
}

/**
 * The time at which the byte at an offset was written: the first recorded time at which the log was longer; otherwise
 * `now`.
 */
export function timeOfByte(times: readonly LogTime[], offset: number, now: number): number {
  return times.find((time) => time.size > offset)?.at ?? now;
}

/** The offset of the first byte written at or after an instant. */
export function byteSince(times: readonly LogTime[], since: number, size: number): number {
  const before = times.findLast((time) => time.at < since);
  return Math.min(before?.size ?? 0, size);
}

export function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
