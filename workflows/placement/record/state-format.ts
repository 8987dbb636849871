import { stateFormat } from '../../decision/state-format.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** The number of the state format of a core of placed Jobs. */
export function placementStateFormat(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `placement/${stateFormat(core)}`;
}

export const PLACEMENT_STATE_FORMAT = placementStateFormat({
  CORE_VERSION,
  INITIAL_STATE,
});
