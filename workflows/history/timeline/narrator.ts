import { isOfCronJob, isOfPlacedJob, type LedgerEvent } from '../../ledger-event.ts';
import { createCronNarrator } from './cron-narrator.ts';
import { createJobNarrator } from './job-narrator.ts';
import { createPlacementNarrator } from './placement-narrator.ts';
import type { TimelineLine } from './line.ts';

/** Describes the events of one object in ledger order, each by its changes. */
export function createNarrator(superseded: ReadonlySet<string>): (event: LedgerEvent) => TimelineLine[] {
  const [ofJob, ofCronJob] = [createJobNarrator(superseded), createCronNarrator(superseded)];
  const ofPlacedJob = createPlacementNarrator(superseded);
  return (event) => {
    const lines = isOfCronJob(event)
      ? ofCronJob(event)
      : isOfPlacedJob(event)
        ? ofPlacedJob(event)
        : ofJob(event);
    return lines.map((line) => ({ time: event.time, ...line }));
  };
}
