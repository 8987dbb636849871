import { digestOf } from '../../job/definitions/digest.ts';
import { INITIAL_STATE } from '../state.ts';
import { CORE_VERSION } from './decision-record.ts';

/** As that of Jobs (job/record/state-format.ts). */
export const CRON_STATE_FORMAT = `cronjob/${CORE_VERSION}/${digestOf(INITIAL_STATE)}`;
