import { byKind, type LedgerEvent } from '../../ledger-event.ts';
import { createCronNarrator } from './cron-narrator.ts';
import { createJobNarrator } from './job-narrator.ts';
import { createPlacementNarrator } from './placement-narrator.ts';
import type { TimelineLine } from './line.ts';

/** Describes the events of one object in ledger order, each by its changes. */
export function createNarrator(superseded: ReadonlySet<string>): (event: LedgerEvent) => TimelineLine[] {
  const narrators = {
    PlacedJob: createPlacementNarrator(superseded),
    Job: createJobNarrator(superseded),
    CronJob: createCronNarrator(superseded),
  };
  return (event) => byKind(event, narrators).map((line) => ({ time: event.time, ...line }));
}
