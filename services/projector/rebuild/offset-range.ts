import { setImmediate } from 'node:timers/promises';
import { streamUid, type LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readBetween, type Offsets } from '../../adapters/kafka/scan.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { monthStart } from '../months.ts';
import { eventRows, type PositionedEvent } from '../projections/events.ts';
import { readRecords } from '../read-records.ts';
import { CRON_JOB_EVENTS, EVENT_IDS, EVENTS } from '../../read-model/tables/events.ts';
import { openFold, type Fold } from './fold.ts';
import { isDeadLetter, type DeadLetterOffsets } from './positions.ts';
import { createSeenIds, type SeenIds } from './seen-ids.ts';
import { shadowName, writeShadow, type Owner, type ShadowWriter } from './shadow.ts';

/** What a rebuild covers. */
export interface RebuildSelection {
  /** The names of the tables to rebuild. */
  tables: ReadonlySet<string>;
  /** The records that the projector could not use, which are skipped. */
  deadLetters: DeadLetterOffsets;
  /** The months that have a partition in `events`; events of other months are skipped. */
  months: ReadonlySet<string>;
  /** The time before which events of CronJobs are skipped; null to skip no event. */
  eventsFrom: string | null;
}

/**
 * A part of the ledger: in each partition that `to` names, the records from the offset in `from` up to, but not
 * including, the offset in `to`.
 */
export interface OffsetRange {
  from: Offsets;
  to: Offsets;
}

/**
 * The number of records that are decoded and folded at once. The number is small, so that garbage is collected while it
 * is young, and Postgres gets the next rows before it has finished the last rows.
 */
const BATCH_SIZE = 50;

/**
 * Applies an offset range of the ledger to the shadow tables. Calls `onProgress` after each batch with the number of
 * read records.
 */
export async function addOffsetRange(
  { session, connection }: { session: Session; connection: KafkaConnection },
  selection: RebuildSelection,
  range: OffsetRange,
  onProgress: (records: number) => void,
): Promise<void> {
  const fold = await openFold(session);
  const writer = createEventWriter(session, selection);
  const seen = createSeenIds();
  await readBetween(connection, connection.topics.ledger, range, async (records) => {
    // One query loads the rows of all owners that the record keys name; if a key were wrong, `addBatch` would query
    // again.
    await fold.load(records.map(({ key }) => ownerOfKey(key)));
    for (let at = 0; at < records.length; at += BATCH_SIZE) {
      const { events, newer } = readRecords(
        records.slice(at, at + BATCH_SIZE).filter((record) => !isDeadLetter(selection.deadLetters, record)),
      );
      // A newer version has applied this record to the live tables, and a rebuild without this record would remove its
      // rows.
      if (newer !== undefined) throw newer.error;
      if (range.from.size > 0) await markStoredIds(session, seen, events);
      await addBatch(
        fold,
        writer,
        events.filter(({ event }) => seen.add(event.id)),
      );
      // Lets the event loop handle I/O.
      await setImmediate();
    }
    await fold.flushIfLarge();
    onProgress(records.length);
  });
  await writer.end();
  await fold.flush();
}

/** Adds the events of a batch that are not stored yet to the rows and the event tables. */
async function addBatch(fold: Fold, writer: EventWriter, fresh: readonly PositionedEvent[]): Promise<void> {
  await writer.add(fresh);
  const events = fresh.map(({ event }) => event);
  await fold.load(events.map(eventOwner));
  fold.add(events);
}

/** Marks the ids of events that an earlier range has stored. */
async function markStoredIds(
  { run }: Session,
  seen: SeenIds,
  events: readonly PositionedEvent[],
): Promise<void> {
  const stored = await run<{ id: string }>({
    text: `select id from ${shadowName(EVENT_IDS)} where id = any($1)`,
    values: [events.map(({ event }) => event.id)],
  });
  for (const { id } of stored) seen.add(id);
}

/** The owner of the rows that an event changes. */
export function eventOwner(event: LedgerEvent): Owner {
  const uid = streamUid(event);
  return uid === undefined ? [event.data.cluster] : [event.data.cluster, uid];
}

function ownerOfKey(key: string): Owner {
  const slash = key.lastIndexOf('/');
  return slash < 0 ? [key] : [key.slice(0, slash), key.slice(slash + 1)];
}

interface EventWriter {
  add(events: readonly PositionedEvent[]): Promise<void>;
  end(): Promise<void>;
}

/** Creates a writer that sends event rows to Postgres immediately, because event rows are never read again. */
function createEventWriter(session: Session, { tables, months, eventsFrom }: RebuildSelection): EventWriter {
  const events = tables.has(EVENTS.name) ? writeShadow(session, EVENTS) : NO_WRITER;
  const cronJobEvents = tables.has(CRON_JOB_EVENTS.name) ? writeShadow(session, CRON_JOB_EVENTS) : NO_WRITER;
  // The ids are always written, because they are needed to recognise duplicates.
  const ids = writeShadow(session, EVENT_IDS);
  return {
    async add(positioned) {
      const rows = eventRows(positioned);
      for (const row of rows.events) {
        await ids.add({ id: row.id, time: row.time });
        if (months.has(monthStart(row.time))) await events.add(row);
      }
      for (const row of rows.cronJobEvents) {
        await ids.add({ id: row.id, time: row.time });
        if (eventsFrom === null || row.time >= eventsFrom) await cronJobEvents.add(row);
      }
    },
    async end() {
      await events.end();
      await cronJobEvents.end();
      await ids.end();
    },
  };
}

const NO_WRITER: ShadowWriter<unknown> = { add: () => undefined, end: () => Promise.resolve() };
