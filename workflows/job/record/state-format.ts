import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-id.ts';
import { computeDigest } from '../definitions/digest.ts';

/**
 * The number of the state format of a core; two builds can use each other's states only when both builds have the
 * same format.
 */
export function stateFormat(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `${core.CORE_VERSION}/${computeDigest(core.INITIAL_STATE)}`;
}

/** The state format of the present core, which a run that is handed over and a snapshot have. */
export const STATE_FORMAT = stateFormat({ CORE_VERSION, INITIAL_STATE });
