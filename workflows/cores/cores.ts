import * as core1 from '../../cores/core-1.js';
import * as core2 from '../../cores/core-2.js';
import * as core3 from '../../cores/core-3.js';
import * as core4 from '../../cores/core-4.js';
import * as core5 from '../../cores/core-5.js';
import * as core6 from '../../cores/core-6.js';
import * as core7 from '../../cores/core-7.js';
import * as cronCore1 from '../../cores/cron-core-1.js';
import * as placementCore1 from '../../cores/placement-core-1.js';
import * as placementCore2 from '../../cores/placement-core-2.js';
import * as presentOfCronJobs from '../cron-job/core.ts';
import * as present from '../job/core.ts';
import * as presentOfPlacedJobs from '../placement/core.ts';
import type { JobEvent } from '../job/events.ts';
import { plainNumbers } from '../job/observe/plain-numbers.ts';
import { versions } from './versions.ts';

/** A version of the core of Jobs: its fold of a stream, and its decisions. */
export type Core = typeof present;

/** A version of the core of CronJobs. */
export type CronCore = typeof presentOfCronJobs;

/** A version of the core of placed Jobs. */
export type PlacementCore = typeof presentOfPlacedJobs;

export const JOB_CORES = versions<Core>([core1OfNow(), core2, core3, core4, core5, core6, core7], present);
export const CRON_JOB_CORES = versions<CronCore>([cronCore1], presentOfCronJobs);
export const PLACEMENT_CORES = versions<PlacementCore>([placementCore1, placementCore2], presentOfPlacedJobs);

/** Core 1 was written before integers were read exactly, so its `compact` gets plain numbers. */
function core1OfNow(): Core {
  return { ...core1, compact: (event) => core1.compact(withPlainNumbers(event)) };
}

function withPlainNumbers(event: JobEvent): JobEvent {
  if (event.type === 'pod.observed') {
    const { object } = event.data;
    const pod = { ...object, metadata: plainNumbers(object.metadata) };
    return { ...event, data: { ...event.data, object: pod } };
  }
  if (event.type !== 'job.observed') return event;
  const { object } = event.data;
  const { template, ...spec } = object.spec;
  const plain = { ...plainNumbers(spec), ...(template && { template }) };
  return { ...event, data: { ...event.data, object: { ...object, spec: plain } } };
}
