import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import type { PlacementEvent } from '../../../workflows/placement/events.ts';
import type { JobStreamEvent } from './subjects.ts';

/**
 * Converts an event of a placed Job to an event of an ordinary Job, because the decisions and commands of both kinds
 * share their tables. Returns null for an event about a member, which is a Job with rows of its own.
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

/** The command without counted pods, because the member of a placed Job counts the pods. */
function withoutCounts(command: PlacementCommand): object {
  return command.kind === 'WriteStatus' ? { ...command, counted: { succeeded: [], failed: [] } } : command;
}
