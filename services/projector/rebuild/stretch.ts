import { setImmediate } from 'node:timers/promises';
import type { KafkaConnection } from '../../adapters/kafka/connection.ts';
import { readBetween, type Offsets } from '../../adapters/kafka/scan.ts';
import type { LedgerRecord } from '../../adapters/kafka/subscribe.ts';
import type { Session } from '../../adapters/postgres/session.ts';
import { monthOf } from '../months.ts';
import { eventRow, type PositionedEvent } from '../projections/events.ts';
import { isOfJob } from '../projections/subjects.ts';
import { readRecords } from '../read-records.ts';
import { EVENT_IDS, EVENTS } from '../tables/events.ts';
import type { Fold } from './fold.ts';
import type { SeenIds } from './seen-ids.ts';
import { writeShadow, type JobKey, type ShadowWriter } from './shadow.ts';

export interface Source {
  connection: KafkaConnection;
  fold: Fold;
  /** Ids of the events that were read so far. */
  seen: SeenIds;
  /** The projector could not use this record either. */
  isSetAside: (record: LedgerRecord) => boolean;
  /** Whether the table of this name is made again. */
  isWanted: (table: string) => boolean;
  /** Months that `events` has a partition for: what was dropped stays so. */
  months: ReadonlySet<string>;
  /** Told after each batch how many records were read in all. */
  onProgress: (records: number) => void;
}

/**
 * Records that are decoded and folded at a time: few, so that garbage is collected while it is young, and that Postgres is
 * given its next rows before it has done with the last.
 */
const PORTION = 50;

/** Brings the tables beside the live ones from one position of the ledger to a later one. */
export async function addStretch(
  session: Session,
  source: Source,
  offsets: { from: Offsets; to: Offsets },
): Promise<void> {
  const { connection, fold, onProgress } = source;
  const writer = eventWriter(session, source);
  await readBetween(connection, connection.topics.ledger, offsets, async (records) => {
    // One question to Postgres instead of many. Records have their Jobs for keys; should one lie, `addPortion` asks.
    await fold.prepare(records.map(({ key }) => jobIn(key)));
    for (let at = 0; at < records.length; at += PORTION) {
      await addPortion(source, writer, records.slice(at, at + PORTION));
      // Now the sockets have their turn.
      await setImmediate();
    }
    await fold.relieve();
    onProgress(records.length);
  });
  await writer.end();
  await fold.settle();
}

async function addPortion(
  { fold, seen, isSetAside }: Source,
  writer: EventWriter,
  records: readonly LedgerRecord[],
): Promise<void> {
  const { events } = readRecords(records.filter((record) => !isSetAside(record)));
  const fresh = events.filter(({ event }) => seen.add(event.id));
  await writer.add(fresh);
  const folded = fresh.map(({ event }) => event);
  await fold.prepare(folded.filter(isOfJob).map(({ data }) => [data.cluster, data.jobUid]));
  fold.add(folded);
}

function jobIn(key: string): JobKey {
  const slash = key.lastIndexOf('/');
  return [key.slice(0, Math.max(slash, 0)), key.slice(slash + 1)];
}

interface EventWriter {
  add(events: readonly PositionedEvent[]): Promise<void>;
  end(): Promise<void>;
}

/** The rows of events go to Postgres at once, as they are never looked at again. */
function eventWriter(session: Session, { isWanted, months }: Source): EventWriter {
  const events = isWanted(EVENTS.name) ? writeShadow(session, EVENTS) : NO_WRITER;
  const ids = isWanted(EVENT_IDS.name) ? writeShadow(session, EVENT_IDS) : NO_WRITER;
  return {
    async add(positioned) {
      for (const row of positioned.map(eventRow)) {
        await ids.add({ id: row.id, time: row.time });
        if (months.has(monthOf(row.time))) await events.add(row);
      }
    },
    async end() {
      await events.end();
      await ids.end();
    },
  };
}

const NO_WRITER: ShadowWriter<unknown> = { add: () => undefined, end: () => Promise.resolve() };
