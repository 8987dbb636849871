import * as presentOfCronJobs from '../cron-job/core.ts';
import * as present from '../job/core.ts';
import * as presentOfPlacedJobs from '../placement/core.ts';
import { versions } from './versions.ts';

/** A version of the core of Jobs, which folds a stream and makes decisions. */
export type Core = typeof present;

/** A version of the core of CronJobs. */
export type CronCore = typeof presentOfCronJobs;

/** A version of the core of placed Jobs. */
export type PlacementCore = typeof presentOfPlacedJobs;

// Each list has the frozen cores before the present one (`npm run freeze-core`), the oldest first:
// import * as core1 from './released/core-1.js'; versions<Core>([core1], present).
export const JOB_CORES = versions<Core>([], present);
export const CRON_JOB_CORES = versions<CronCore>([], presentOfCronJobs);
export const PLACEMENT_CORES = versions<PlacementCore>([], presentOfPlacedJobs);
