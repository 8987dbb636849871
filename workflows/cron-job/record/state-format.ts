import { stateFormat } from '../../decision/state-format.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** The number of the state format of a core, which corresponds to the state format of Jobs. */
export function cronStateFormat(core: { CORE_VERSION: string; INITIAL_STATE: object }): string {
  return `cronjob/${stateFormat(core)}`;
}

export const CRON_STATE_FORMAT = cronStateFormat({ CORE_VERSION, INITIAL_STATE });
