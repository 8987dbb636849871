import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-id.ts';
import { digestOf } from './digest.ts';

/** A run may continue with the state of another build only when both have the same format; otherwise it recalls. */
export const STATE_FORMAT = `${CORE_VERSION}/${digestOf(INITIAL_STATE)}`;
