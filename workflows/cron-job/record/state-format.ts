import { stateFormatOf } from '../../job/record/state-format.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** As that of Jobs. */
export function cronStateFormatOf(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `cronjob/${stateFormatOf(core)}`;
}

export const CRON_STATE_FORMAT = cronStateFormatOf({ CORE_VERSION, INITIAL_STATE });
