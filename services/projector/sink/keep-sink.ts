import { messageOf } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import type { Database, Run } from '../../adapters/postgres/database.ts';
import { backoffMs, logFailures, retry } from '../../adapters/waiting/retry.ts';
import { RefusedMessageError } from './deliver.ts';
import { passes, type MessageFilter } from './filter.ts';
import { jobMessage, type JobMessage, type JobMoment } from './message.ts';
import { otherMoments, recordedMoments, type FoundMoment } from './recorded.ts';
import {
  beginAtEnds,
  lockedSpan,
  moveSink,
  partitionsBehind,
  type Aside,
  type SinkKey,
} from './sink-positions.ts';

export interface SinkDependencies {
  database: Database;
  key: SinkKey;
  moments: readonly JobMoment[];
  filter: MessageFilter;
  /** @throws when the sink did not take the message. */
  deliver: (message: JobMessage) => Promise<void>;
  onDelivered: () => void;
  onFailed: () => void;
  log: Log;
  signal: AbortSignal;
  /** How long a message waits for the outcome that may make its Job a member, in milliseconds. Default: 30 s. */
  memberMs?: number;
}

/** An outcome is recorded at once, or when the activity is tried again. */
const MEMBER_MS = 30_000;

/** Milliseconds between two checks. */
const LOOK_MS = 500;
const BACKOFF = { firstMs: 500, longestMs: 30_000 };
/** After an error of Postgres. */
const DATABASE_PAUSE_MS = 2000;

/** The most records that a transaction searches. */
const RECORDS = 5000n;

/** A message that failed this often, one time after the other, is passed over if the sink takes a later one. */
const HOLDING_ATTEMPTS = 3;
/** After this many, one whose content is refused waits aside even if the sink takes no other. */
const REFUSED_ATTEMPTS = 10;
/** A message that waits aside is left out after this many failures there, if the last one refused its content. */
const MOST_REFUSALS = 3;
/** Between two attempts of a message that waits aside. */
const ASIDE_BACKOFF = { firstMs: 2000, longestMs: 600_000 };
/** The most failures of messages that wait aside in one pass over a partition, and the longest time for beginning another delivery, in milliseconds. */
const [MOST_FAILURES, PASS_MS] = [3, 10_000];

/** The most records of a partition in which a message of another namespace is looked for. */
const PROBED = 50_000n;

/** The most records or messages of a partition that wait, of all namespaces and of one, and how many are read again at once. */
const [MOST_ASIDE, ASIDE_OF_NAMESPACE, ASIDE_AT_ONCE] = [2000, 100, 20];

/** From how many partitions a sink is served at the same time: a message that is answered late holds up one of them. */
export const PARTITIONS_AT_ONCE = 4;

/**
 * Delivers what a sink is to be told of each Job in the tables, at least once and in the order of its partition. Several processes share
 * the partitions: each locks those that it delivers from. A failed delivery is repeated until it succeeds, and holds up its own partition
 * only, until the sink takes a later message: then it waits aside, where it is left out only if its content is refused again and again. A
 * message that may turn out to be about a member waits aside too.
 */
export async function keepSink(given: SinkDependencies): Promise<void> {
  const { key, onFailed, log, signal } = given;
  const warn = logFailures(log, 'a message about a Job is not delivered; trying again', { sink: key.sink });
  const serving: Serving = {
    ...given,
    failing: new Map(),
    running: new Map(),
    servedAt: new Map(),
    begunAt: 0,
    warn,
  };
  while (!signal.aborted) {
    await retry(() => serveDue(serving), {
      signal,
      backoff: BACKOFF,
      shouldRetry: () => true,
      onFailedAttempt: (error, failures) => {
        onFailed();
        warn(error, failures);
      },
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    await Promise.race([pause(LOOK_MS, signal), ...serving.running.values()]);
  }
  await Promise.all(serving.running.values());
}

interface Serving extends SinkDependencies {
  /** By partition: deliveries that have failed since one succeeded. */
  failing: Map<number, number>;
  /** The partitions that are being delivered from. The promises never reject. */
  running: Map<number, Promise<void>>;
  /** By partition, when it was last served, and before when there is nothing to do for it. */
  servedAt: Map<number, { at: number; restUntil: number }>;
  /** When partitions without a position last got one. */
  begunAt: number;
  warn: ReturnType<typeof logFailures>;
}

/** Begins to deliver from partitions with something due, those first that were served longest ago. @throws an error of Postgres. */
async function serveDue(serving: Serving): Promise<void> {
  const { database, key, running, servedAt, signal } = serving;
  // Each partition that is served has one of the connections.
  if (running.size >= PARTITIONS_AT_ONCE) return;
  if (Date.now() - serving.begunAt >= LOOK_MS) {
    await beginAtEnds(database.run, key);
    serving.begunAt = Date.now();
  }
  const behind = await partitionsBehind(database.run, key);
  const now = Date.now();
  const due = behind
    .filter((partition) => !running.has(partition) && (servedAt.get(partition)?.restUntil ?? 0) <= now)
    .toSorted((a, b) => (servedAt.get(a)?.at ?? 0) - (servedAt.get(b)?.at ?? 0));
  for (const partition of due.slice(0, PARTITIONS_AT_ONCE - running.size)) {
    if (signal.aborted) return;
    const served = serve(serving, partition).finally(() => running.delete(partition));
    running.set(partition, served);
  }
}

/** Delivers some messages of a partition. Never rejects. */
async function serve(serving: Serving, partition: number): Promise<void> {
  const { database, failing, servedAt, onFailed, warn, signal } = serving;
  const before = failing.get(partition) ?? 0;
  const failed = (error: unknown, failures: number): number => {
    failing.set(partition, failures);
    if (!signal.aborted) {
      onFailed();
      warn(error, failures);
    }
    return backoffMs(failures, BACKOFF);
  };
  const restMs = await database
    .transaction((run) => deliverSome(serving, run, { partition, attempts: before + 1 }))
    .then(
      (delivered) => {
        if (delivered === null) return LOOK_MS;
        const { count, isLeft, failure } = delivered;
        if (failure !== null) return failed(failure.error, count > 0 ? 1 : before + 1);
        failing.delete(partition);
        return isLeft ? 0 : LOOK_MS;
      },
      (error: unknown) => {
        // Of Postgres: no attempt of a message.
        if (!signal.aborted) {
          onFailed();
          warn(error, 1);
        }
        return DATABASE_PAUSE_MS;
      },
    );
  servedAt.set(partition, { at: Date.now(), restUntil: Date.now() + restMs });
}

interface Delivered {
  /** Messages that the sink took. */
  count: number;
  /** More deliveries are due now. */
  isLeft: boolean;
  failure: { error: unknown } | null;
}

/**
 * Delivers the next messages of one partition; null when another process does, or nothing is left. Returns a failure, so that the deliveries
 * before it are committed.
 */
async function deliverSome(
  dependencies: SinkDependencies,
  run: Run,
  { partition, attempts }: { partition: number; attempts: number },
): Promise<Delivered | null> {
  const { key, moments, memberMs = MEMBER_MS } = dependencies;
  const span = await lockedSpan(run, key, partition);
  if (span === null) return null;
  const { from, now } = span;
  const to = span.to < from + RECORDS ? span.to : from + RECORDS;
  const looked = inTurns(
    span.aside.filter(({ failed }) => (failed?.dueAt ?? 0) <= now),
    ASIDE_AT_ONCE,
  );
  const readAgain = await Promise.all(
    looked.map(async (entry) => {
      const record = { partition, from: BigInt(entry.offset), to: BigInt(entry.offset) + 1n };
      const { found } = await recordedMoments(run, record, moments);
      return found
        .map((each) => ({ ...each, entry }))
        .filter((each) => entry.failed === undefined || entry.failed.message === jobMessage(each).id);
    }),
  );
  const returned: Due[] = readAgain.flat();
  const { found, end } = await recordedMoments(run, { partition, from, to }, moments);
  const waiting = [
    ...looked.filter(
      ({ offset, since, failed }) =>
        failed === undefined && now - since < memberMs && mayBeMembers(offset, returned),
    ),
    ...newlyAside(found, span.aside).map((each) => ({ ...each, since: now })),
  ];
  const due: Due[] = [...returned, ...found].filter(
    (each: Due) => each.entry?.failed !== undefined || waiting.every(({ offset }) => offset !== each.offset),
  );
  const again = due.filter((each): each is Retried => each.entry?.failed !== undefined);
  const first = due.filter((each) => each.entry?.failed === undefined);
  const failingBefore = new Set(
    span.aside.filter(({ failed }) => failed !== undefined).map(({ namespace }) => namespace),
  );
  const tried = await deliverFirst(dependencies, first, {
    isToHold: ({ cluster, namespace }) =>
      attempts < HOLDING_ATTEMPTS && !failingBefore.has(`${cluster}/${namespace}`),
    isToPass: attempts >= REFUSED_ATTEMPTS,
    probe: (except) => otherMoments(run, { partition, from: end, to: end + PROBED }, { moments, except }),
  });
  const repeated = await deliverAgain(dependencies, again, now);
  const undelivered = tried.held === null ? end : BigInt(tried.held.offset);
  const next = undelivered < from ? from : undelivered;
  const kept = span.aside.filter(
    (each) =>
      !looked.includes(each) ||
      waiting.includes(each) ||
      (each.failed === undefined && BigInt(each.offset) >= undelivered) ||
      repeated.untried.includes(each),
  );
  const aside = [
    ...kept,
    ...repeated.failed,
    ...waiting.filter(({ offset }) => BigInt(offset) >= from && BigInt(offset) < next),
  ];
  const passed = tried.passedOver.filter(({ moment }) => BigInt(moment.offset) < undelivered);
  const passedOver = withPlaces(dependencies, passed, { aside, now });
  await moveSink(run, key, {
    partition,
    next,
    aside: [...aside, ...passedOver],
    isDelivered: tried.count + repeated.count > 0,
  });
  const { failure } = tried;
  return { count: tried.count, isLeft: failure === null && next < span.to, failure };
}

function mayBeMembers(offset: string, found: readonly FoundMoment[]): boolean {
  return found.some((each) => each.offset === offset && each.mayBeMember);
}

/** The first entries of each namespace in turns, in the order in which they wait: those of one namespace delay those of no other. */
function inTurns(aside: readonly Aside[], most: number): Aside[] {
  const turns = new Map<string, number>();
  const entries = aside.map((entry) => {
    const turn = turns.get(entry.namespace) ?? 0;
    turns.set(entry.namespace, turn + 1);
    return { entry, turn };
  });
  const first = new Set(
    entries
      .toSorted((a, b) => a.turn - b.turn)
      .slice(0, most)
      .map(({ entry }) => entry),
  );
  return aside.filter((entry) => first.has(entry));
}

/** The places for what waits aside, of all namespaces and of one. */
function placesBeside(before: readonly Pick<Aside, 'namespace'>[]): { take(namespace: string): boolean } {
  const counts = new Map<string, number>();
  let all = before.length;
  for (const { namespace } of before) counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
  return {
    /** False: no place is left. */
    take(namespace) {
      const count = counts.get(namespace) ?? 0;
      if (all >= MOST_ASIDE || count >= ASIDE_OF_NAMESPACE) return false;
      all += 1;
      counts.set(namespace, count + 1);
      return true;
    },
  };
}

/** The records whose Jobs may be members. Those for which no place is left do not wait. */
function newlyAside(found: readonly FoundMoment[], before: readonly Aside[]): Omit<Aside, 'since'>[] {
  const known = new Set(before.map(({ offset }) => offset));
  const places = placesBeside(before);
  return found.flatMap(({ offset, mayBeMember, cluster, namespace: name }) => {
    const namespace = `${cluster}/${name}`;
    if (!mayBeMember || known.has(offset) || !places.take(namespace)) return [];
    known.add(offset);
    return [{ offset, namespace }];
  });
}

/** A moment whose message is due; with the entry under which it waited aside. */
type Due = FoundMoment & { entry?: Aside };
type Retried = FoundMoment & { entry: Aside & { failed: NonNullable<Aside['failed']> } };

interface Tried {
  /** Messages that the sink took. */
  count: number;
  /** What failed while the sink took a later one. */
  passedOver: { moment: FoundMoment; error: unknown }[];
  /** The first one that is to be delivered again before what is behind it. */
  held: FoundMoment | null;
  failure: Delivered['failure'];
}

interface Attempts {
  /** Whether what is behind this failed message waits for its next attempt. */
  isToHold: (moment: FoundMoment) => boolean;
  /** Whether messages whose content is refused wait aside even if the sink takes no other. */
  isToPass: boolean;
  /** Later moments of other namespaces. */
  probe: (except: readonly string[]) => Promise<FoundMoment[]>;
}

/**
 * Delivers what passes the filter, up to the first failure. Once that one has failed often, it goes on, in order to know whether the sink takes
 * another message: one of the same batch, or else of another namespace.
 */
async function deliverFirst(
  dependencies: SinkDependencies,
  due: readonly Due[],
  { isToHold, isToPass, probe }: Attempts,
): Promise<Tried> {
  const begun = Date.now();
  const tried: Tried = { count: 0, passedOver: [], held: null, failure: null };
  let failing: Tried['passedOver'] = [];
  const isTaken = async (moment: FoundMoment): Promise<boolean> => {
    try {
      await dependencies.deliver(jobMessage(moment));
    } catch (error) {
      failing.push({ moment, error });
      return false;
    }
    dependencies.onDelivered();
    tried.count += 1;
    tried.passedOver.push(...failing);
    failing = [];
    return true;
  };
  for (const each of due) {
    if (!passes(dependencies.filter, jobMessage(each))) continue;
    if (Date.now() - begun > PASS_MS) {
      tried.held = each;
      break;
    }
    if (!(await isTaken(each)) && isToHold(each)) break;
  }
  if (failing.length > 0 && !failing.some(({ moment }) => isToHold(moment))) {
    const known = failing;
    const others = await probe(known.map(({ moment }) => moment.namespace));
    const other = others.find((each) => passes(dependencies.filter, jobMessage(each)));
    if (other !== undefined) await isTaken(other);
    failing = failing.filter((each) => known.includes(each));
  }
  const [oldest] = failing;
  if (oldest === undefined) return tried;
  if (isToPass && failing.every(({ error }) => error instanceof RefusedMessageError))
    return { ...tried, passedOver: [...tried.passedOver, ...failing] };
  return { ...tried, held: oldest.moment, failure: { error: oldest.error } };
}

/** Tries again to deliver messages that failed while the sink took others. */
async function deliverAgain(
  { key, deliver, onDelivered, onFailed, log }: SinkDependencies,
  due: readonly Retried[],
  now: number,
): Promise<{ count: number; failed: Aside[]; untried: Aside[] }> {
  const begun = Date.now();
  const failed: Aside[] = [];
  const untried: Aside[] = [];
  let [count, failures] = [0, 0];
  for (const { entry, ...moment } of due) {
    const message = jobMessage(moment);
    if (failures >= MOST_FAILURES || Date.now() - begun > PASS_MS) {
      untried.push(entry);
      continue;
    }
    try {
      await deliver(message);
      onDelivered();
      count += 1;
    } catch (error) {
      onFailed();
      failures += 1;
      const tries = entry.failed.tries + 1;
      if (error instanceof RefusedMessageError && tries >= MOST_REFUSALS)
        log.error(
          { sink: key.sink, message: message.id, error: messageOf(error) },
          'the sink refuses this message; it is left out',
        );
      else {
        const dueAt = now + backoffMs(tries + 1, ASIDE_BACKOFF);
        failed.push({ ...entry, failed: { message: message.id, tries, dueAt } });
      }
    }
  }
  return { count, failed, untried };
}

/** The entries for messages that are passed over. Those for which no place is left are left out. */
function withPlaces(
  { key, onFailed, log }: SinkDependencies,
  passedOver: Tried['passedOver'],
  { aside, now }: { aside: readonly Aside[]; now: number },
): Aside[] {
  const places = placesBeside(aside);
  const added: Aside[] = [];
  for (const { moment, error } of passedOver) {
    const namespace = `${moment.cluster}/${moment.namespace}`;
    const message = jobMessage(moment).id;
    const fields = { sink: key.sink, message, error: messageOf(error) };
    onFailed();
    if (places.take(namespace)) {
      log.warn(fields, 'the sink takes other messages, but not this one; it waits');
      const dueAt = now + backoffMs(1, ASIDE_BACKOFF);
      added.push({ offset: moment.offset, since: now, namespace, failed: { message, tries: 0, dueAt } });
    } else log.error(fields, 'the sink does not take this message, and too many others wait; it is left out');
  }
  return added;
}
