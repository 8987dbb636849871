import { firstWithin } from '../../adapters/first-within.ts';
import { faultPoint } from '../../adapters/process/fault-points.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { TraceDecision, TracedDecision } from './trace-commands.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';

/** An event before it is recorded. */
type Unrecorded = Omit<LedgerEvent, 'time'>;

/** How far a decision has been carried out. `Outcome`: the record of an outcome. */
export interface ProgressInOrder<Outcome> {
  /** The decision is in the ledger. */
  isRecorded: boolean;
  /** The outcomes of the first commands, in order; the first `appended` of them are in the ledger. */
  answered: Outcome[];
  appended: number;
  /** What was done of the command after those, part by part; absent when nothing is known. */
  parts?: unknown[];
}

/** The progress within one command, as plain JSON. */
export interface PartialProgress {
  /** What earlier attempts are known to have done. */
  before: readonly unknown[];
  /** Keeps what is done by now for the next attempt. */
  keep(done: readonly unknown[]): void;
}

export const NO_PROGRESS: ProgressInOrder<never> = { isRecorded: false, answered: [], appended: 0 };

/**
 * The most that is reported, in characters of JSON: Temporal takes 2 MiB after compression. The commands of outcomes beyond
 * it are sent again by the next attempt, which is harmless.
 */
const MAX_REPORTED = 4 * 1024 * 1024;
/** The parts of a command are reported this often, in milliseconds: each report is encoded. */
const REPORT_MS = 500;

/** Number of the attempt, what cancels it, and the progress of earlier attempts, as far as it is known. */
export interface AttemptInOrder<Outcome> {
  number: number;
  signal: AbortSignal;
  before: ProgressInOrder<Outcome>;
  /** Reports the progress to the next attempt. */
  report(progress: ProgressInOrder<Outcome>): void;
  /** Whether it has taken so long that a command for many pods ends with those that are done. Default: after 5 s. */
  isLate?(): boolean;
}

interface Order<Command, Outcome> {
  /** Appended before the first command is sent: the decision, and what belongs before it. */
  records: readonly Unrecorded[];
  decided: TracedDecision;
  commands: readonly Command[];
  /** Sends a command; returns the record of its outcome. `answered`: the outcomes of the commands before it. */
  send(command: Command, at: number, answered: readonly Outcome[], parts: PartialProgress): Promise<Outcome>;
}

export interface OrderDependencies {
  appender: Pick<Appender, 'append'>;
  now: () => number;
  /** Absent when nothing is traced. */
  trace?: TraceDecision | undefined;
}

/**
 * Records a decision, sends its commands in order, records the outcomes. What an earlier attempt is known to have done is
 * skipped: while a server is down for an hour, a decision is recorded once.
 */
export async function inOrder<Command extends { kind: string }, Outcome extends Unrecorded>(
  { appender, now, trace }: OrderDependencies,
  { records, decided, commands, send }: Order<Command, Outcome>,
  attempt: AttemptInOrder<Outcome>,
): Promise<Outcome[]> {
  let { isRecorded, appended } = attempt.before;
  const traced = trace?.(decided);
  const answered = [...attempt.before.answered];
  let parts: readonly unknown[] = attempt.before.parts ?? [];
  let reportedAt = -Infinity;
  const report = (): void => {
    reportedAt = performance.now();
    const { reported, left } = within(answered, MAX_REPORTED);
    const isAll = reported.length === answered.length;
    const ofNext = isAll && parts.length > 0 && left > 0 ? within(parts, left).reported : [];
    attempt.report({
      isRecorded,
      answered: reported,
      appended: Math.min(appended, reported.length),
      ...(ofNext.length > 0 && { parts: ofNext }),
    });
  };
  const keep = (done: readonly unknown[]): void => {
    parts = done;
    if (performance.now() - reportedAt > REPORT_MS) report();
  };
  const append = (events: readonly Unrecorded[]): Promise<void> =>
    appender.append(events.map((event) => stamped(event, now())));
  if (!isRecorded) {
    const start = now();
    await append(records);
    traced?.appended(start);
    isRecorded = true;
    report();
  }
  faultPoint('after-decision');
  try {
    for (const [at, command] of commands.entries()) {
      if (at < answered.length) continue;
      attempt.signal.throwIfAborted();
      const progress: PartialProgress = { before: parts, keep };
      const sent = (): Promise<Outcome> => send(command, at, answered, progress);
      answered.push(await (traced?.command(at, command.kind, sent) ?? sent()));
      parts = [];
      report();
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    }
  } finally {
    // Also when the attempt fails: the effects of completed commands exist.
    const start = now();
    await append(answered.slice(appended));
    for (const [at, { id }] of answered.entries()) if (at >= appended) traced?.outcome(at, id, start);
    traced?.ended();
    appended = answered.length;
    report();
  }
  return answered;
}

/** The first of them whose JSON is at most `max` long together, at least one, and what is left of `max`. */
function within<T>(items: readonly T[], max: number): { reported: T[]; left: number } {
  let left = max;
  const sizeOf = (item: T): number => {
    const size = JSON.stringify(item).length;
    left -= size;
    return size;
  };
  return { reported: firstWithin(items, sizeOf, max), left };
}

function stamped(event: Unrecorded, now: number): LedgerEvent {
  return { ...event, time: new Date(now).toISOString() } as LedgerEvent;
}
