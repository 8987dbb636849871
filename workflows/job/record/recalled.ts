import type { CommandAnswered, JobDecided, JobEvent, JobFolded, JobSnapshotted } from '../events.ts';
import { compact, type Compacted } from '../observe/compact.ts';
import type { EventOfStream } from './stream.ts';

/** What a recall keeps of an event: of a fact only what is folded, because the objects of a big Job's pods would fill the memory. */
export type Recalled = RecalledFact | JobDecided | JobFolded | CommandAnswered | JobSnapshotted;

/** `fact`: null for an event that does not change the state of a Job. */
export interface RecalledFact extends EventOfStream {
  type: Exclude<JobEvent['type'], (JobDecided | JobFolded | CommandAnswered | JobSnapshotted)['type']>;
  data: { fact: Compacted | null };
}

export function recalled(event: JobEvent): Recalled {
  return isKeptWhole(event) ? event : { ...event, data: { fact: compact(event) } };
}

/** Decisions and what belongs to them: a recall follows their content. */
function isKeptWhole(event: JobEvent): event is Exclude<Recalled, RecalledFact> {
  return ['job.decided', 'job.folded', 'command.answered', 'job.snapshotted'].includes(event.type);
}

/** As `compact` of the event that was recalled. */
export function compactedOf(event: Recalled): Compacted | null {
  return 'fact' in event.data ? event.data.fact : compact(event as JobEvent);
}
