import { availableParallelism, totalmem } from 'node:os';

/** What a file uses of a core while it runs, with its part of the shared servers: with two at a time on two cores, 40 % are idle. */
const CORES_OF_FILE = 0.6;
/** What a file, its control plane and its services use at most, in bytes: 2.5 GB were measured with four files at a time. */
const MEMORY_OF_FILE = 3e9;
/** More would have ports that systems lend to outgoing connections (shared-servers/port-ranges.ts). */
const MOST = 5;

/** The number of test files on real servers that run at the same time. */
export function filesAtOnce({ cores = availableParallelism(), memory = totalmem() } = {}): number {
  const room = Math.min(cores / CORES_OF_FILE, memory / MEMORY_OF_FILE, MOST);
  return Math.max(1, Math.floor(room));
}
