import { hash } from 'node:crypto';
import type { ObjectRef } from '../../workflows/activities.ts';
import { keyOfStreamId, getKind, streamId } from '../../workflows/kinds.ts';
import { readEvent } from '../adapters/events/event-codec.ts';
import type { Appender } from '../adapters/kafka/append.ts';
import type { LedgerRecord } from '../adapters/kafka/subscription.ts';
import type { Metrics } from '../adapters/metrics/metrics.ts';
import { dropOldest } from '../adapters/drop-oldest.ts';

/** An unusable record, with the reason. */
export interface DeadLetter {
  record: LedgerRecord;
  reason: string;
}

/** The service that wrote a dead letter. The projector also lists its dead letters in the table `dead_letters`. */
export type SetAsideBy = 'projector' | 'dispatcher' | 'worker';

interface Topics {
  ledger: string;
  deadLetters: string;
}

/** Writes records to the dead-letter topic. */
export type SetAside = (letters: readonly DeadLetter[]) => Promise<void>;

/** The maximum number of objects whose first dead letter is remembered. */
const MOST_OPEN = 10_000;

/**
 * Writes unusable records to the dead-letter topic, with the reason in the headers. An object has one dead letter: its first record,
 * unchanged. `onOpened` is called once the dead letter is written. For further records of the object, only their
 * offsets are written, because a tenant can cause such records at any rate. If the first record was appended again, it
 * counts as a first record again.
 */
export function createSetAside(
  appender: Pick<Appender, 'write'>,
  topics: Topics,
  { by, onOpened }: { by: SetAsideBy; onOpened: (letter: DeadLetter) => void },
): SetAside {
  /** The digests of the first records, by key. */
  const open = new Map<string, string>();
  return async (letters) => {
    const found = new Map<string, string>();
    const opened: DeadLetter[] = [];
    const messages = letters.map((letter) => {
      const { key, value } = letter.record;
      const digest = hash('sha256', value ?? '');
      const first = open.get(key) ?? found.get(key) ?? digest;
      const isFirst = first === digest;
      found.set(key, first);
      if (isFirst) opened.push(letter);
      return deadLetterMessage(letter, { by, topics, isFirst });
    });
    await appender.write(topics.deadLetters, messages);
    for (const [key, digest] of found) open.set(key, digest);
    dropOldest(open, MOST_OPEN);
    for (const letter of opened) onOpened(letter);
  };
}

function deadLetterMessage(
  { record, reason }: DeadLetter,
  { by, topics, isFirst }: { by: SetAsideBy; topics: Topics; isFirst: boolean },
): Parameters<Appender['write']>[1][number] {
  const headers = {
    reason,
    topic: topics.ledger,
    partition: String(record.partition),
    offset: record.offset.toString(),
    by,
    at: new Date().toISOString(),
  };
  return { key: record.key, value: isFirst ? record.value : null, headers };
}

/**
 * Writes a dead letter about a run that cannot decide. The dead letter has no record, because the stream of the run
 * stays in the ledger.
 */
export async function writeFaultyRun(
  appender: Pick<Appender, 'write'>,
  topics: Topics,
  { job, fault }: { job: ObjectRef; fault: string },
): Promise<void> {
  const { namespace, name } = job;
  const reason = `nothing is decided about the ${getKind(job).name} ${namespace}/${name}: ${fault}`;
  const headers = { reason, topic: topics.ledger, by: 'worker', at: new Date().toISOString() };
  await appender.write(topics.deadLetters, [{ key: keyOfStreamId(streamId(job)), value: null, headers }]);
}

/** The fields that the log names for each dead letter. */
export function letterFields({ record, reason }: DeadLetter): Record<string, unknown> {
  return { partition: record.partition, offset: record.offset.toString(), key: record.key, reason };
}

/** Counts objects with a dead letter. */
export function deadLetterCounter(metrics: Metrics): (letter: DeadLetter) => void {
  const count = metrics.counter({
    name: 'jobledger_dead_letters_total',
    help: 'Objects with a record of the ledger that was moved to the dead letters because it was unusable.',
    labels: [],
  });
  const seen = showLastOccurrence(metrics, {
    name: 'jobledger_last_dead_letter_timestamp_seconds',
    help: 'The time at which a record was last moved to the dead letters; each namespace counts once a day; 0 if no record was moved since the process started.',
  });
  return ({ record }) => {
    count({});
    seen(recordNamespace(record));
  };
}

/** The cluster and the namespace of a record; only the cluster if the record cannot be read. */
function recordNamespace({ partition, offset, key, value }: LedgerRecord): string {
  const event = readEvent({ partition, offset, value });
  if (event === null) return key.split('/')[0] ?? '';
  return `${event.data.cluster}/${event.subject.split('/')[0] ?? ''}`;
}

const DAY_MS = 86_400_000;
/** The maximum number of namespaces that are remembered. */
const MOST_NAMESPACES = 10_000;

/**
 * Shows the time of the last occurrence, for an alert on it. Occurrences in one namespace count once a day, so that
 * its tenant cannot keep the alert firing.
 */
export function showLastOccurrence(
  metrics: Metrics,
  { name, help }: { name: string; help: string },
  now: () => number = Date.now,
): (namespace: string) => void {
  /** The times when the namespaces were last counted, the oldest first. */
  const counted = new Map<string, number>();
  let last = 0;
  metrics.gauge({ name, help, labels: [] }, () => [{ labels: {}, value: last / 1000 }]);
  return (namespace) => {
    if (now() - (counted.get(namespace) ?? -Infinity) < DAY_MS) return;
    last = now();
    counted.delete(namespace);
    counted.set(namespace, last);
    dropOldest(counted, MOST_NAMESPACES);
  };
}
