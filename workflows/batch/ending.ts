import type { Reason } from '../decision/reason.ts';
import type { EndType } from './conditions.ts';

/** The end that a Job must have, found by one of its limits or policies (J-3.52). */
export interface Ending {
  type: EndType;
  reason: string;
  message: string;
  /** True when the status already has the interim condition. */
  isStored: boolean;
  why: Reason;
}
