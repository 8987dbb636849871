import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { constants } from 'node:os';
import type { AgentContainer } from '../pod/pod.ts';
import type { ContainerEnd } from '../pod/pod-record.ts';
import { modifiedAt, readNumber, type AttemptFiles } from './attempt-directory.ts';
import { isWrapper } from './process-table.ts';

const MESSAGE_BYTES = 4096;
const MESSAGE_FROM_LOG_BYTES = 2048;

/** The wrapper's process id; undefined when it is not running. */
export function livingWrapper(files: AttemptFiles): number | undefined {
  const pid = readNumber(files.pid);
  return pid !== undefined && isWrapper(pid, files.directory) ? pid : undefined;
}

/** The end that the wrapper recorded; undefined when the wrapper recorded no end. */
export function recordedEnd(files: AttemptFiles, container: AgentContainer): ContainerEnd | undefined {
  const exitCode = readNumber(files.exit);
  if (exitCode === undefined) return undefined;
  return endWithExitCode(files, container, exitCode, modifiedAt(files.exit) ?? Date.now());
}

/** The end of an attempt whose wrapper was killed before it recorded the exit code. */
export function killedEnd(
  files: AttemptFiles,
  container: AgentContainer,
  name: NodeJS.Signals | null,
): ContainerEnd {
  return endWithExitCode(files, container, 128 + constants.signals[name ?? 'SIGKILL'], Date.now());
}

function endWithExitCode(
  files: AttemptFiles,
  container: AgentContainer,
  exitCode: number,
  finishedAt: number,
): ContainerEnd {
  const message = terminationMessage(files, container, exitCode);
  return {
    exitCode,
    reason: exitCode === 0 ? 'Completed' : 'Error',
    ...(message === '' ? {} : { message }),
    startedAt: modifiedAt(files.pid) ?? finishedAt,
    finishedAt,
  };
}

function terminationMessage(files: AttemptFiles, container: AgentContainer, exitCode: number): string {
  const written = lastBytes(files.message, MESSAGE_BYTES);
  const fallsBack = container.terminationMessagePolicy === 'FallbackToLogsOnError' && exitCode !== 0;
  return written === '' && fallsBack ? lastBytes(files.log, MESSAGE_FROM_LOG_BYTES) : written;
}

function lastBytes(file: string, limit: number): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(descriptor);
    const buffer = Buffer.alloc(Math.min(size, limit));
    readSync(descriptor, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
