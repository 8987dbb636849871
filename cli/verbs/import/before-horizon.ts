import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { decodeEvent, eventKey } from '../../../services/adapters/events/event-codec.ts';
import { endsStream } from '../../ledger/streams.ts';
import type { InputLine } from '../../ledger/lines.ts';

/** True for an event of a Job or CronJob that the tables of this installation would not keep. */
export type IsBeforeHorizon = (event: LedgerEvent) => boolean;

/** Finds the Jobs and CronJobs of a file that were deleted before the horizon, and that have no later events. */
export async function jobsBeforeHorizon(
  lines: AsyncIterable<InputLine>,
  horizon: string | null,
): Promise<{ jobs: number; isBeforeHorizon: IsBeforeHorizon }> {
  if (horizon === null) return { jobs: 0, isBeforeHorizon: () => false };
  const [deleted, lasting] = [new Set<string>(), new Set<string>()];
  for await (const { text } of lines) {
    const event = decodeEvent(text);
    if (endsStream(event)) deleted.add(eventKey(event));
    if (Date.parse(event.time) >= Date.parse(horizon)) lasting.add(eventKey(event));
  }
  const ended = new Set([...deleted].filter((key) => !lasting.has(key)));
  return { jobs: ended.size, isBeforeHorizon: (event) => ended.has(eventKey(event)) };
}
