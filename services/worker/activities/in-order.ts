import { firstWithin } from '../../adapters/first-within.ts';
import { faultPoint } from '../../adapters/fault-points.ts';
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
}

export const NO_PROGRESS: ProgressInOrder<never> = { isRecorded: false, answered: [], appended: 0 };

/**
 * The most that is reported, in characters of JSON: Temporal takes 2 MiB after compression. The commands of outcomes beyond
 * it are sent again by the next attempt, which is harmless.
 */
const MAX_REPORTED = 4 * 1024 * 1024;

/** Number of the attempt, what cancels it, and the progress of earlier attempts, as far as it is known. */
export interface AttemptInOrder<Outcome> {
  number: number;
  signal: AbortSignal;
  before: ProgressInOrder<Outcome>;
  /** Reports the progress to the next attempt. */
  report(progress: ProgressInOrder<Outcome>): void;
}

interface Order<Command, Outcome> {
  /** Appended before the first command is sent: the decision, and what belongs before it. */
  records: readonly Unrecorded[];
  decided: TracedDecision;
  commands: readonly Command[];
  /** Sends a command; returns the record of its outcome. `answered`: the outcomes of the commands before it. */
  send(command: Command, at: number, answered: readonly Outcome[]): Promise<Outcome>;
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
  const report = (): void => {
    const reported = firstWithin(answered, (outcome) => JSON.stringify(outcome).length, MAX_REPORTED);
    attempt.report({ isRecorded, answered: reported, appended: Math.min(appended, reported.length) });
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
      const sent = (): Promise<Outcome> => send(command, at, answered);
      answered.push(await (traced?.command(at, command.kind, sent) ?? sent()));
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

function stamped(event: Unrecorded, now: number): LedgerEvent {
  return { ...event, time: new Date(now).toISOString() } as LedgerEvent;
}
