import type { OutcomeRecorded, JobDecided } from '../../../workflows/job/events.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import type { PlacementEvent } from '../../../workflows/placement/events.ts';
import type { JobStreamEvent } from './subjects.ts';

/**
 * Converts an event of a placed Job to an event of an ordinary Job, because the decisions and commands of both kinds
 * share their tables. Returns null for an event that changes no row of the placed Job itself: about a member, which is
 * a Job with rows of its own, or a record of the fold. The casts are safe, because the projections of Jobs read only
 * fields that both kinds have, and the counts that are added here.
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
        data: { ...event.data, commands: event.data.commands.map(withEmptyCounts) },
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

/** Adds empty lists of counted pods to a status write, because the member of a placed Job counts the pods. */
function withEmptyCounts(command: PlacementCommand): object {
  return command.kind === 'WriteStatus' ? { ...command, counted: { succeeded: [], failed: [] } } : command;
}
