import { computeDigest } from '../ledger/digest.ts';

/**
 * The name of the state format of a core; two builds can use each other's states only when both builds have the
 * same format.
 */
export function stateFormat(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `${core.CORE_VERSION}/${computeDigest(core.INITIAL_STATE)}`;
}
