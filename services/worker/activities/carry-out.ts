import type { JobRef } from '../../../workflows/activities.ts';
import { computeDigest } from '../../../workflows/ledger/digest.ts';
import { outcomeId } from '../../../workflows/decision/decision-id.ts';
import { objectFields, type Kind } from '../../../workflows/kind.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import { firstWithin } from '../../adapters/first-within.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import type { Log } from '../../adapters/process/log.ts';
import { faultPoint } from '../../adapters/process/fault-points.ts';
import { findOlderAnswer, type ReportOlder } from '../older-answers.ts';
import { recordableOutcome } from './recordable-outcome.ts';
import { requireOrder } from './require-order.ts';
import type { TraceDecision, TracedDecision } from './trace-commands.ts';

/** An event before it is recorded. */
type Unrecorded = Omit<LedgerEvent, 'time'>;

/** The progress in carrying out a decision. `Outcome` is the record of an outcome. */
export interface Progress<Outcome> {
  /** True when the decision is in the ledger. */
  isRecorded: boolean;
  /** The known outcomes by command, in order; the first `appended` of them are in the ledger. */
  answered: Outcome[];
  appended: number;
  /** The completed parts of the next command; absent when no part is known. */
  parts?: unknown[];
}

/** The progress within one command, as plain JSON. */
export interface PartialProgress {
  /** The completed parts that are known from earlier attempts. */
  before: readonly unknown[];
  /** Keeps the completed parts for the next attempt. */
  keep(done: readonly unknown[]): void;
}

export const NO_PROGRESS: Progress<never> = { isRecorded: false, answered: [], appended: 0 };

/**
 * The largest report, in characters of JSON. Temporal accepts 2 MiB after compression. If a report leaves out outcomes,
 * the next attempt sends the commands of these outcomes again, which is harmless.
 */
const MAX_REPORTED = 4 * 1024 * 1024;
/**
 * The interval of reports about parts of a command, in milliseconds, because the encoding of each report takes time.
 */
const REPORT_MS = 500;

/** An attempt: its number, its abort signal, and the known progress of earlier attempts. */
export interface Attempt<Outcome> {
  number: number;
  signal: AbortSignal;
  before: Progress<Outcome>;
  /** Reports the progress to the next attempt. */
  report(progress: Progress<Outcome>): void;
  /**
   * True when the attempt has run so long that a command for many pods ends with the completed pods. The default limit
   * is 5 s.
   */
  isLate?(): boolean;
}

/** A decision to record and carry out. */
interface Order<Command> {
  job: JobRef;
  /** The user requests that are appended before the decision. */
  received?: readonly Unrecorded[];
  /** The records of long lists of folded events, which are also appended before the decision. */
  folded: readonly Unrecorded[];
  decided: Unrecorded & { data: TracedDecision['data'] & { commands: readonly Command[] } };
}

/** An outcome before it gets the instant of its record. */
export type WithoutInstant<Outcome> = Outcome extends unknown ? Omit<Outcome, 'at'> : never;

/** The functions that carry out the commands of one kind, in one attempt at one decision. */
export interface Actions<Command, Outcome> {
  /**
   * Sends command number `at`. @throws the error of an outage, which is not an outcome, so that the attempt is
   * repeated.
   */
  send(command: Command, at: number, parts: PartialProgress): Promise<WithoutInstant<Outcome>>;
  /** The outcome of a command that follows a failed command. */
  skip(command: Command): Promise<WithoutInstant<Outcome>>;
  /** True when later commands in the lane are skipped, because the decision assumed another outcome. */
  isLast(command: Command, outcome: Outcome): boolean;
  /**
   * The lane of a command; commands of different lanes do not wait for each other. The lane is null for a command of
   * all lanes, which follows all earlier commands and precedes all later commands. The function is absent when only one
   * lane exists.
   */
  commandLane?(command: Command): string | null;
  /**
   * Reports the outcome of command number `at` to users, in Events with the exact words of the server and in metrics.
   */
  report(command: Command, outcome: Outcome, at: number): Promise<void>;
  /** Called when all commands have an outcome. */
  ended(outcomes: readonly Outcome[]): void;
}

/** The dependencies of `carryOut` for every kind of object. */
export interface CarryOutDependencies {
  client: KubernetesClient;
  appender: Pick<Appender, 'append'>;
  log: Log;
  /** The worker's clock, in milliseconds since 1970. */
  now: () => number;
  /** Absent without tracing. */
  trace?: TraceDecision | undefined;
  reportOlder: ReportOlder;
}

/**
 * Records a decision, sends its commands in the order of each lane, and records the outcomes. The steps that earlier
 * attempts are known to have done are skipped, so that a decision is recorded only once even if a server is down for an
 * hour.
 */
export async function carryOut<
  Command extends { kind: string },
  Answered extends Unrecorded & { data: { command: number; outcome: { kind: string } } },
>(
  { client, appender, now, trace, reportOlder }: CarryOutDependencies,
  kind: Kind,
  order: Order<Command>,
  actions: Actions<Command, Answered['data']['outcome']>,
  attempt: Attempt<Answered>,
): Promise<Answered[]> {
  requireOrder(kind, order, client.cluster);
  const { received = [], folded, decided } = order;
  const commands: readonly Command[] = decided.data.commands;
  const traced = trace?.(decided);
  const progress = createAttemptProgress(attempt);
  const lanes = commands.map(
    (command) => actions.commandLane?.(command) ?? (actions.commandLane ? null : ''),
  );
  const appendEvents = (events: readonly Unrecorded[]): Promise<void> =>
    appender.append(events.map((event) => withTime(event, now())));
  const carryOutCommand = async (command: Command, at: number): Promise<Answered> => {
    const hasStopped = progress.answered().some(({ data: { command: of, outcome: answer } }) => {
      const earlier = commands[of];
      if (earlier === undefined || of >= at || !isSameLane(lanes[of], lanes[at])) return false;
      return answer.kind === 'skipped' || actions.isLast(earlier, answer);
    });
    const sent = hasStopped ? await actions.skip(command) : await actions.send(command, at, progress.parts());
    const outcome = { ...sent, at: now() } as Answered['data']['outcome'];
    const older = findOlderAnswer(command, outcome);
    if (older !== null) reportOlder(client.cluster, older);
    await actions.report(command, outcome, at);
    const recorded = { command: at, attempt: attempt.number, outcome: recordableOutcome(outcome) };
    return outcomeEvent(kind, order, recorded) as Answered;
  };
  if (!attempt.before.isRecorded) {
    const start = now();
    await appendEvents([...received, ...folded, decided]);
    traced?.appended(start);
    progress.report();
  }
  faultPoint('after-decision');
  try {
    await runInLanes(lanes, async (at) => {
      const command = commands[at];
      if (command === undefined || progress.isAnswered(at)) return;
      attempt.signal.throwIfAborted();
      const work = (): Promise<Answered> => carryOutCommand(command, at);
      progress.add(await (traced?.command(at, command.kind, work) ?? work()));
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    });
  } finally {
    // The outcomes are recorded even when the attempt fails, because the effects of the completed commands exist.
    const start = now();
    const unrecorded = progress.unrecorded();
    await appendEvents(unrecorded);
    for (const outcome of unrecorded) traced?.outcome(outcome.data.command, outcome.id, start);
    traced?.ended();
    progress.recorded();
  }
  const answered = progress.answered();
  actions.ended(answered.map(({ data }) => data.outcome));
  return [...answered];
}

type Lane = string | null | undefined;

function isSameLane(a: Lane, b: Lane): boolean {
  return a === b || a === null || b === null;
}

/**
 * Runs `work` for each position after the earlier work of its lane. The error of one lane is thrown after the other
 * lanes have stopped.
 */
async function runInLanes(lanes: readonly Lane[], work: (at: number) => Promise<void>): Promise<void> {
  const done: Promise<void>[] = [];
  for (const [at, lane] of lanes.entries()) {
    const before = done.filter((_each, of) => isSameLane(lanes[of], lane));
    done.push(Promise.all(before).then(() => work(at)));
  }
  const [failed] = (await Promise.allSettled(done)).filter((each) => each.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** The record of the outcome of a command. */
function outcomeEvent(
  kind: Kind,
  { job, decided }: Pick<Order<unknown>, 'job' | 'decided'>,
  outcome: { command: number; attempt: number; outcome: object },
): Unrecorded {
  const { id: decision, source, subject } = decided;
  const data = { ...objectFields(kind, job), decision, ...outcome };
  const id = outcomeId(decision, outcome.command, data);
  return { id, type: 'outcome.recorded', source, subject, digest: computeDigest(data), data } as Unrecorded;
}

/** The progress of this attempt, which continues from the previous attempt and is reported to the next one. */
interface ProgressOfAttempt<Answered> {
  /** The outcomes of the completed commands, by command. */
  answered(): readonly Answered[];
  isAnswered(command: number): boolean;
  /** The progress of the command that is being carried out. */
  parts(): PartialProgress;
  add(outcome: Answered): void;
  /**
   * The outcomes that are not in the ledger yet, up to the first command without an outcome; `recorded` marks them as
   * recorded.
   */
  unrecorded(): Answered[];
  recorded(): void;
  report(): void;
}

/** Creates the progress of an attempt from the progress of the previous attempt. */
function createAttemptProgress<Answered extends { data: { command: number } }>({
  before,
  report,
}: Attempt<Answered>): ProgressOfAttempt<Answered> {
  let answered: readonly Answered[] = before.answered;
  /** The number of outcomes before the first command without an outcome. */
  const countComplete = (): number => {
    const gap = answered.findIndex(({ data }, at) => data.command !== at);
    return gap === -1 ? answered.length : gap;
  };
  let { appended } = before;
  let parts: readonly unknown[] = before.parts ?? [];
  let reportedAt = -Infinity;
  const reportNow = (): void => {
    reportedAt = performance.now();
    const { reported, left } = takeFitting(answered, MAX_REPORTED);
    const isAll = reported.length === answered.length;
    const ofNext = isAll && parts.length > 0 && left > 0 ? takeFitting(parts, left).reported : [];
    report({
      isRecorded: true,
      answered: reported,
      appended: Math.min(appended, reported.length),
      ...(ofNext.length > 0 && { parts: ofNext }),
    });
  };
  return {
    answered: () => answered,
    isAnswered: (command) => answered.some(({ data }) => data.command === command),
    report: reportNow,
    parts: () => ({
      before: parts,
      keep(done) {
        parts = done;
        if (performance.now() - reportedAt > REPORT_MS) reportNow();
      },
    }),
    add(outcome) {
      answered = [...answered, outcome].toSorted((a, b) => a.data.command - b.data.command);
      parts = [];
      reportNow();
    },
    unrecorded: () => answered.slice(appended, countComplete()),
    recorded() {
      appended = countComplete();
      reportNow();
    },
  };
}

/**
 * The first items whose JSON fits into `max` characters, at least one item, and the number of characters that are left.
 */
function takeFitting<T>(items: readonly T[], max: number): { reported: T[]; left: number } {
  let left = max;
  const jsonSize = (item: T): number => {
    const size = JSON.stringify(item).length;
    left -= size;
    return size;
  };
  return { reported: firstWithin(items, jsonSize, max), left };
}

function withTime(event: Unrecorded, now: number): LedgerEvent {
  return { ...event, time: new Date(now).toISOString() } as LedgerEvent;
}
