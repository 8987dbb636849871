import type { JobDecided, JobEvent } from '../job/events.ts';
import { plainNumbers } from '../job/observe/plain-numbers.ts';
import * as present from '../job/core.ts';
import * as core1 from '../../cores/core-1.js';
import * as core2 from '../../cores/core-2.js';
import * as core3 from '../../cores/core-3.js';
import * as core4 from '../../cores/core-4.js';
import * as core5 from '../../cores/core-5.js';

/** A version of the core: how it folds the stream of a Job, and how it decides. */
export type Core = typeof present;

/** The present version. */
export const CURRENT: Core = present;

/** Every version that may have made decisions in an existing ledger, the oldest first. */
const CORES: readonly Core[] = [core1OfNow(), core2, core3, core4, core5, present].map((core) =>
  core === present ? core : withLaterTypes(core),
);

/** An earlier core does not know the types of events that came after it: they do not change its state. */
function withLaterTypes(core: Core): Core {
  return { ...core, compact: (event) => core.compact(event) ?? null };
}

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

/** The core that made the last decision of a stream; states of the stream are computed with it. */
export function coreOfLast(standing: readonly JobDecided[]): Core {
  const last = standing.at(-1);
  return (last === undefined ? undefined : coreOf(last.data.core)) ?? CURRENT;
}

/** The core that made a decision (`data.core`); undefined when a newer version of Jobledger made it. */
export function coreOf(version: string): Core | undefined {
  return CORES.find(({ CORE_VERSION }) => CORE_VERSION === version);
}

export function allCores(): readonly Core[] {
  return CORES;
}
