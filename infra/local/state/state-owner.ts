import path from 'node:path';
import { liveHolder } from '../processes/lock.ts';

/**
 * The programs that can lock a state directory. `servers` and `up` have separate locks, so that both can run at once.
 */
export type StateOwner = 'servers' | 'up';

/** True when a live process holds the state directory as this owner. */
export function isOwnerRunning(dir: string, owner: StateOwner): boolean {
  return liveHolder(lockFile(dir, owner)) !== undefined;
}

/** The file of the owner's lock. */
export function lockFile(dir: string, owner: StateOwner): string {
  return path.join(dir, `${owner}.lock`);
}
