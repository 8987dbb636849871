import type { LedgerRecord } from '../../adapters/kafka/subscribe.ts';
import type { PositionedEvent } from '../projections/events.ts';
import { project } from '../projections/project.ts';
import { noRows, type Rows } from '../projections/rows.ts';
import { readRecords } from '../read-records.ts';

/** All rows but those of events, in memory, as far as the ledger was read. */
export interface Fold {
  rows: Rows;
  /** Takes records in the order of their partition; gives the events among them that came for the first time. */
  take(records: readonly LedgerRecord[]): PositionedEvent[];
}

export function createFold(): Fold {
  const rows = noRows();
  const seen = new Set<string>();
  return {
    rows,
    take(records) {
      const { events } = readRecords(records);
      const fresh = events.filter(({ event }) => {
        const isFirst = !seen.has(event.id);
        seen.add(event.id);
        return isFirst;
      });
      for (const { event } of fresh) project(rows, event);
      return fresh;
    },
  };
}
