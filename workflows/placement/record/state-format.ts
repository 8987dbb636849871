import { stateFormatOf } from '../../job/record/state-format.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** As that of Jobs. */
export function placementStateFormatOf(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `placement/${stateFormatOf(core)}`;
}

export const PLACEMENT_STATE_FORMAT = placementStateFormatOf({
  CORE_VERSION,
  INITIAL_STATE,
});
