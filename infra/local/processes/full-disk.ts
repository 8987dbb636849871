import { existsSync, statfsSync } from 'node:fs';
import { errorMessage } from '../../../services/adapters/errors.ts';

/** The size is as much as etcd allocates for its write-ahead log. */
const NEEDED_MB = 64;

/** The advice for a directory whose disk is too full for servers; undefined when the disk has enough space. */
export function fullDiskAdvice(directory: string, leftMb = megabytesLeft(directory)): string | undefined {
  return leftMb < NEEDED_MB
    ? `the disk of ${directory} is full (${leftMb} MB left): free ${NEEDED_MB} MB or more there, and start again`
    : undefined;
}

function megabytesLeft(directory: string): number {
  if (!existsSync(directory)) return Number.POSITIVE_INFINITY;
  const { bavail, bsize } = statfsSync(directory);
  return Math.floor((bavail * bsize) / 2 ** 20);
}

/** True when a file could not be written because a disk is full. */
export function isFullDiskError(error: unknown): boolean {
  return /\bENOSPC\b|no space left/i.test(errorMessage(error));
}
