import type { Kind } from '../../../workflows/kind.ts';
import type { LedgerEvent } from '../../../workflows/ledger-event.ts';
import type { Appender } from '../../adapters/kafka/append.ts';
import type { KubernetesClient } from '../../adapters/kubernetes/client.ts';
import { InputError } from '../../adapters/errors.ts';
import type { Log } from '../../adapters/process/log.ts';
import { faultPoint } from '../../adapters/process/fault-points.ts';
import type { CommandTable, PerCommandContext, Send } from '../command/command-table.ts';
import { createAttemptProgress, type Attempt, type ProgressOfAttempt } from './attempt/progress.ts';
import { findOlderAnswer, type ReportOlder } from './older-answers.ts';
import { requireOrder, type Order, type Unrecorded } from './order.ts';
import { outcomeEvent } from './outcome.ts';
import type { DecisionTrace, TraceDecision } from './trace-commands.ts';

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

/** What the decisions about one kind of object add: the table of its commands, and the context that they share. */
interface OfKind<Context, Command extends { kind: string }, Outcome> {
  kind: Kind;
  table: CommandTable<Context, Command, Outcome>;
  context: Context;
}

/** The record of an outcome. */
type AnyAnswered = Unrecorded & { data: { command: number; outcome: { kind: string } } };

/** One attempt at a decision. */
interface Carried<Context, Command extends { kind: string }, Answered extends AnyAnswered> {
  dependencies: CarryOutDependencies;
  ofKind: OfKind<Context, Command, Answered['data']['outcome']>;
  order: Order<Command>;
  attempt: Attempt<Answered>;
  progress: ProgressOfAttempt<Answered>;
  trace: DecisionTrace | undefined;
  lanes: readonly Lane[];
}

/**
 * Records a decision, sends its commands in the order of each lane, and records the outcomes. The steps that earlier
 * attempts are known to have done are skipped, so that a decision is recorded only once even if a server is down for an
 * hour.
 */
export async function carryOut<Context, Command extends { kind: string }, Answered extends AnyAnswered>(
  dependencies: CarryOutDependencies,
  ofKind: OfKind<Context, Command, Answered['data']['outcome']>,
  order: Order<Command>,
  attempt: Attempt<Answered>,
): Promise<Answered[]> {
  requireOrder(ofKind.kind, order, dependencies.client.cluster);
  const { commands } = order.decided.data;
  const { table } = ofKind;
  const lanes = commands.map((command) =>
    table.commandLane === undefined ? '' : table.commandLane(command),
  );
  const trace = dependencies.trace?.(order.decided);
  if (!attempt.before.isRecorded) await recordDecision(dependencies, order, trace);
  const progress = createAttemptProgress(attempt);
  if (!attempt.before.isRecorded) progress.report();
  const carried = { dependencies, ofKind, order, attempt, progress, trace, lanes };
  faultPoint('after-decision');
  try {
    await runInLanes(lanes, async (at) => {
      const command = commands[at];
      if (command === undefined || progress.answered.some(({ data }) => data.command === at)) return;
      attempt.signal.throwIfAborted();
      const outcome =
        trace === undefined
          ? await carryOutCommand(carried, command, at)
          : await trace.command(at, command.kind, () => carryOutCommand(carried, command, at));
      progress.add(outcome);
      faultPoint(command.kind === 'ReleasePods' ? 'after-release' : 'after-api-call');
    });
  } finally {
    // The outcomes are recorded even when the attempt fails, because the effects of the completed commands exist.
    await recordOutcomes(carried);
  }
  return [...progress.answered];
}

type Lane = string | null | undefined;

function isSameLane(a: Lane, b: Lane): boolean {
  return a === b || a === null || b === null;
}

/** Records the decision, with the events that precede it in the stream. */
async function recordDecision<Command>(
  dependencies: CarryOutDependencies,
  { received = [], folded, decided }: Order<Command>,
  trace: DecisionTrace | undefined,
): Promise<void> {
  const start = dependencies.now();
  await appendEvents(dependencies, [...received, ...folded, decided]);
  trace?.appended(start);
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

/** Checks and sends command number `at`, reports its outcome to users, and returns the record of the outcome. */
async function carryOutCommand<Context, Command extends { kind: string }, Answered extends AnyAnswered>(
  carried: Carried<Context, Command, Answered>,
  command: Command,
  at: number,
): Promise<Answered> {
  const { dependencies, ofKind, order, attempt, progress } = carried;
  const { kind, table } = ofKind;
  const { id: decision, data } = order.decided;
  const perCommand: PerCommandContext = {
    eventKey: { decision, now: data.now, command: at },
    parts: progress.parts,
  };
  const context = { ...ofKind.context, ...perCommand };
  const name: Command['kind'] = command.kind;
  // A forged decision may name any property.
  if (!Object.hasOwn(table.send, name))
    throw new InputError(`no command of a ${kind.name} is called "${name}"`);
  const send = table.send[name] as Send<Context, Command, Answered['data']['outcome']>;
  const sent = hasStopped(carried, at)
    ? await table.skip(context, command)
    : ((await table.check?.(context, command)) ?? (await send(context, command)));
  const outcome = { ...sent, at: dependencies.now() } as Answered['data']['outcome'];
  const older = findOlderAnswer(command, outcome);
  if (older !== null) dependencies.reportOlder(dependencies.client.cluster, older);
  await table.report(context, command, outcome);
  return outcomeEvent(kind, order, { command: at, attempt: attempt.number, outcome }) as Answered;
}

/** True when an earlier command in the lane of command number `at` has an outcome that the decision did not assume. */
function hasStopped<Context, Command extends { kind: string }, Answered extends AnyAnswered>(
  { ofKind, order, progress, lanes }: Carried<Context, Command, Answered>,
  at: number,
): boolean {
  return progress.answered.some(({ data: { command: of, outcome } }) => {
    const earlier = order.decided.data.commands[of];
    if (earlier === undefined || of >= at || !isSameLane(lanes[of], lanes[at])) return false;
    return outcome.kind === 'skipped' || ofKind.table.endsLane(earlier, outcome);
  });
}

/** Records the outcomes up to the first command without an outcome. */
async function recordOutcomes<Context, Command extends { kind: string }, Answered extends AnyAnswered>({
  dependencies,
  progress,
  trace,
}: Carried<Context, Command, Answered>): Promise<void> {
  const start = dependencies.now();
  const unrecorded = progress.unrecorded();
  await appendEvents(dependencies, unrecorded);
  for (const outcome of unrecorded) trace?.outcome(outcome.data.command, outcome.id, start);
  trace?.ended();
  progress.recorded();
}

/** Appends events to the ledger with the present time. */
function appendEvents({ appender, now }: CarryOutDependencies, events: readonly Unrecorded[]): Promise<void> {
  return appender.append(
    events.map((event) => ({ ...event, time: new Date(now()).toISOString() }) as LedgerEvent),
  );
}
