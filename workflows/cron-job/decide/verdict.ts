import type { Reason } from '../../job/reason.ts';
import type { CronCommand } from '../commands.ts';

/** What `decide` returns. */
export interface CronVerdict {
  /** Sent in this order; after one that fails the rest is skipped. */
  commands: CronCommand[];
  /** When to decide again although nothing has happened, in milliseconds since the epoch; null for never. */
  lookAgainAt: number | null;
  /** Why nothing more is done now. */
  waiting: Reason | null;
}
