import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import type { PlacementEvent } from '../../../workflows/placement/events.ts';
import type { JobStreamEvent } from './subjects.ts';

/**
 * An event of a placed Job as one of an ordinary Job, for the tables that both share: its decisions and commands have the same
 * columns. Null for an event about a member, which is a Job with rows of its own.
 */
export function asJobEvent(event: PlacementEvent): JobStreamEvent | null {
  switch (event.type) {
    case 'job.observed':
    case 'job.deleted':
    case 'request.received':
      return event;
    case 'placement.decided':
      return {
        ...event,
        type: 'job.decided',
        data: { ...event.data, commands: event.data.commands.map(withoutCounts) },
      } as unknown as JobDecided;
    case 'outcome.recorded':
      return event as unknown as OutcomeRecorded;
    case 'member.observed':
    case 'member.deleted':
    case 'placement.folded':
    case 'placement.snapshotted':
      return null;
  }
}

/** A placed Job counts no pods: its member does. */
function withoutCounts(command: PlacementCommand): object {
  return command.kind === 'WriteStatus' ? { ...command, counted: { succeeded: [], failed: [] } } : command;
}
