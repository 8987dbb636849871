import { z } from 'zod';
import type { KafkaConnection } from '../../services/adapters/kafka/connection.ts';
import { readRanges, type Extent } from '../../services/adapters/kafka/scan.ts';
import type { Run } from '../../services/adapters/postgres/database.ts';
import { eventsAtOffsets, type EventAtOffset } from '../../services/read-model/streams/events-at-offsets.ts';
import type { FoundDeviation } from './compare-ledger.ts';
import type { CheckpointFinding } from './findings.ts';

/** The largest number of records that a finding names. */
const SHOWN = 10;
/** The records of a finding are searched only if its offset range has at most this many records. */
const SEARCHED = 50_000n;

/**
 * Adds the events of each finding: events in the tables that the ledger lacks, and events in the ledger that the tables lack. Without tables (`run`
 * is null), adds the events that the ledger has at these offsets, if they are few.
 */
export async function nameRecords(
  deviations: readonly FoundDeviation[],
  ledger: { connection: KafkaConnection; extents: ReadonlyMap<number, Extent> },
  run: Run | null,
): Promise<CheckpointFinding[]> {
  const named: CheckpointFinding[] = [];
  for (const deviation of deviations) {
    const now = await recordsNow(deviation, ledger);
    const before = run === null ? null : await recordsBefore(deviation, run);
    const found = before === null ? presentLines(now) : differenceLines(before, now);
    named.push({ ...deviation.finding, context: [...deviation.finding.context, ...found] });
  }
  return named;
}

type NamedRecord = Omit<EventAtOffset, 'offset'> & { offset: string };

const EVENT = z.object({
  id: z.string(),
  type: z.string(),
  subject: z.string(),
  time: z.string(),
  digest: z.string(),
});

/** The present records of the ledger in the range of a finding; empty if the range has too many records. */
async function recordsNow(
  { chain: { partition }, foundAfter, foundBefore }: FoundDeviation,
  { connection, extents }: { connection: KafkaConnection; extents: ReadonlyMap<number, Extent> },
): Promise<NamedRecord[]> {
  const { first = 0n, end = 0n } = extents.get(partition) ?? {};
  const from = foundAfter === null ? first : foundAfter + 1n;
  const to = foundBefore ?? end;
  const found: NamedRecord[] = [];
  if (to - from > SEARCHED) return found;
  await readRanges(
    connection,
    connection.topics.ledger,
    new Map([[partition, [{ from, to }]]]),
    (records) => {
      for (const { offset, value } of records) found.push({ ...eventIn(value), offset: String(offset) });
      return Promise.resolve();
    },
  );
  return found;
}

/** The event in a record; a record without an event gets an empty id. */
function eventIn(value: Buffer | null): z.infer<typeof EVENT> {
  try {
    return EVENT.parse(JSON.parse(value?.toString('utf8') ?? ''));
  } catch {
    return { id: '', type: 'unreadable record', subject: '', time: '', digest: '' };
  }
}

/** The records of the tables in the range of a finding, from before the change; null if the range has too many records. */
async function recordsBefore(
  { chain, after, before }: FoundDeviation,
  run: Run,
): Promise<NamedRecord[] | null> {
  const from = (after ?? -1n) + 1n;
  const to = before ?? BigInt(chain.marks.at(-1)?.offset ?? '-1') + 1n;
  if (to - from > SEARCHED) return null;
  return run<EventAtOffset>(eventsAtOffsets(chain.partition, String(from), String(to)));
}

/** Lines about the records that only the tables have, that only the ledger has, and whose content differs. */
function differenceLines(before: readonly NamedRecord[], now: readonly NamedRecord[]): string[] {
  const [then, present] = [byId(before), byId(now)];
  const changed = now.filter((each) => then.has(each.id) && then.get(each.id)?.digest !== each.digest);
  return [
    ...recordLines(
      'in the tables, not in the ledger',
      before.filter(({ id }) => !present.has(id)),
    ),
    ...recordLines(
      'in the ledger, not in the tables',
      now.filter(({ id }) => !then.has(id)),
    ),
    ...recordLines('with another content than in the tables', changed),
  ];
}

function byId(records: readonly NamedRecord[]): Map<string, NamedRecord> {
  return new Map(records.map((each) => [each.id, each]));
}

/** Lines about the present records of the ledger; empty if there are many records. */
function presentLines(now: readonly NamedRecord[]): string[] {
  return now.length > SHOWN ? [] : recordLines('there now', now);
}

/** The first records of a finding, then the Jobs of its other records. */
function recordLines(what: string, records: readonly NamedRecord[]): string[] {
  const more = records.slice(SHOWN);
  const subjects = [...new Set(more.map(({ subject }) => subject))];
  const others = subjects.length > SHOWN ? `${subjects.length} Jobs` : subjects.join(', ');
  return [
    ...records
      .slice(0, SHOWN)
      .map(
        ({ id, type, subject, offset }) =>
          `${what}: ${id} (${type.replace(/^dev\.jobledger\./, '')} of ${subject}, offset ${offset})`,
      ),
    ...(more.length > 0 ? [`${what}: ${more.length} more, of ${others}`] : []),
  ];
}
