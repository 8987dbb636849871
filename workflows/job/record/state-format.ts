import { stateFormat } from '../../decision/state-format.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** The state format of the present core, which a run that is handed over and a snapshot have. */
export const STATE_FORMAT = stateFormat({ CORE_VERSION, INITIAL_STATE });
