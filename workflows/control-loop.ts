import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { UNUSABLE_STREAM, type ObjectRef } from './activities.ts';
import { createDecisionRate } from './decision-rate.ts';
import type { RequestReceived } from './job/events.ts';
import type { Unstamped } from './ledger/recorded-event.ts';
import type { SuspensionRequest } from './decision/user-requests.ts';
import type { StepResult } from './decision/step.ts';
import { handOverSignal, observeSignal, resume, stateQuery, suspend } from './messages.ts';
import { createTimer } from './timer.ts';

/** Limits of one run, well below the server's 10,000 signals, 51,200 events and 50 MiB. */
const LIMITS = { signals: 4000, events: 10_000, bytes: 10 * 1024 * 1024 };

/**
 * The highest number of characters of JSON that one run passes to the next run. Temporal accepts 2 MiB after compression (to a third,
 * test/workflow/state-size.test.ts), and terminates a workflow that passes more.
 */
const MAX_PASSED = 5 * 1024 * 1024;

/** Input of a run. */
export interface RunInput<State, Folded, Settings> {
  job: ObjectRef;
  settings: Settings;
  /** The facts that start the run, unless signals bring them. */
  facts?: Folded[];
  /** The ledger may already contain decisions, so the run folds the stream first. */
  recall: boolean;
  /** The number of the decision that the previous run lacked, for which this run recalls. */
  recalledFor?: number;
  /** The state of the previous run. */
  state?: State;
  /** The user requests of the previous run that no decision has recorded yet. */
  received?: Unstamped<RequestReceived>[];
}

/** The result of a decision (`CarriedOut` of activities.ts). */
interface Done<Folded> {
  decision: string;
  received: number;
  answered: Folded[];
}

/** The recording and folding of user requests. */
interface RequestRules<Folded> {
  requestRecord(
    action: SuspensionRequest['action'],
    by: string,
    eventKey: string,
  ): Unstamped<RequestReceived>;
  foldedRequest(request: Unstamped<RequestReceived>): Folded;
}

/** The part of the state of any kind that the control reads: the last decision. */
interface ControlledState {
  last: { number: number } | null;
}

/** The control of the objects of one kind. */
export interface ControlRules<State, Folded, Settings, Decision> {
  initialState: State;
  /** Two builds can use each other's states only when both builds have the same format. */
  stateFormat: string;
  fold(state: State, events: readonly Folded[]): State;
  /** With `looksItself`, no dispatcher asks this run to look for unobserved pods. */
  step(state: State, now: number, settings: Settings, looksItself: boolean): StepResult<State, Decision>;
  isOver(state: State, settings: Settings): boolean;
  /** @throws an ActivityFailure by UNUSABLE_STREAM when the stream cannot be folded. */
  recall(): Promise<State>;
  /**
   * Reports that this run cannot decide (`fault`), and will not decide until another build takes over; with `goesOn`,
   * that the run is slowed down.
   */
  reportFault(fault: string, goesOn?: true): Promise<void>;
  carryOut(decision: Decision, received: Unstamped<RequestReceived>[]): Promise<Done<Folded>>;
  /** The field is absent for kinds without user requests. */
  requests?: RequestRules<Folded>;
  /** The settings of a signal, with the parts that only this workflow knows. */
  merged?(own: Settings, given: Settings): Settings;
  /**
   * Looks up missing settings for a step, and returns the change of settings; returns null when no settings are
   * missing.
   */
  completing?(
    state: State,
    now: number,
    settings: Settings,
  ): Promise<(settings: Settings) => Settings> | null;
}

/** The fields of a decision that the control of any kind reads. */
interface Decided {
  decided: { id: string; data: { commands: readonly { kind: string }[] } };
}

/**
 * Controls one object until its work is done: folds signals, makes steps, and carries out decisions by activities.
 */
export async function control<State extends ControlledState, Folded, Settings, Decision extends Decided>(
  input: RunInput<State, Folded, Settings>,
  rules: ControlRules<State, Folded, Settings, Decision>,
): Promise<void> {
  type Run = (next: RunInput<State, Folded, Settings>) => Promise<void>;
  const { job } = input;
  const info = workflowInfo();
  const { requests, merged = (_own, given) => given } = rules;
  let state = input.state ?? rules.initialState;
  let settings = input.settings;
  let received = input.received ?? [];
  let signals = 0;
  let hasArrived = false;
  /** The number of the last decision in the ledger, as far as the signals tell. */
  let decided = 0;
  /**
   * A dispatcher sends the request to look for unobserved pods only to a run that it has started, as a signal without
   * facts; later the run looks for them itself.
   */
  let looksItself = input.recall || input.state !== undefined;
  /** Facts that arrive during a recall are folded after it. */
  let unrecalled: Folded[] | null = input.recall
    ? received.flatMap((request) => requests?.foldedRequest(request) ?? [])
    : null;
  /** The task queue of the build that takes over. */
  let successor: string | null = null;
  /**
   * The reason why this run cannot decide, which is a bug of this build: the progress of this object ends until
   * another build takes over.
   */
  let fault: string | null = null;
  /** Returns null when the core throws an error, which then becomes the `fault` of the run. */
  const unlessFaulty = <T>(work: () => T): T | null => {
    try {
      return work();
    } catch (error) {
      fault ??= error instanceof Error ? error.message : String(error);
      return null;
    }
  };

  /** Folds events into the state, or keeps them while a recall is still in progress. */
  const take = (events: readonly Folded[]): void => {
    hasArrived = true;
    if (fault !== null) return;
    if (unrecalled === null) state = unlessFaulty(() => rules.fold(state, events)) ?? state;
    else unrecalled.push(...events);
  };
  take(input.facts ?? []);
  setHandler(observeSignal<Folded, Settings>(), (observation) => {
    signals += 1;
    settings = merged(settings, observation.settings);
    decided = observation.decided ?? decided;
    looksItself ||= observation.facts.length === 0;
    take(observation.facts);
  });
  setHandler(handOverSignal<Settings>(), (asked) => {
    signals += 1;
    if (asked.stateFormat !== rules.stateFormat) return;
    successor = asked.taskQueue;
    settings = merged(settings, asked.settings);
  });
  if (requests !== undefined) {
    /** Records a user request that arrived as a signal, and folds it. */
    const receive = (action: SuspensionRequest['action'], by: string): void => {
      const request = requests.requestRecord(action, by, `${info.runId}/${signals}`);
      signals += 1;
      received.push(request);
      take([requests.foldedRequest(request)]);
    };
    setHandler(suspend, ({ by }) => receive('suspend', by));
    setHandler(resume, ({ by }) => receive('resume', by));
  }
  setHandler(stateQuery, () => state);
  /** Looks up the settings that the next step lacks; null when no settings are missing. */
  const missing = (): Promise<(settings: Settings) => Settings> | null =>
    unlessFaulty(() => rules.completing?.(state, Date.now(), settings) ?? null);

  if (unrecalled !== null) {
    const recalled = await rules.recall().catch((error: unknown) => {
      fault = unusableStream(error);
      if (fault === null) throw error;
      return state;
    });
    const since = unrecalled;
    unrecalled = null;
    state = recalled;
    take(since);
  }
  const timer = createTimer();
  const rate = createDecisionRate();
  for (;;) {
    if (fault !== null) {
      await rules.reportFault(fault);
      await condition(() => successor !== null || isLong(signals));
      const continueOn = makeContinueAsNewFunc<Run>({ taskQueue: successor ?? info.taskQueue });
      // The ledger has the facts that this run did not fold.
      await continueOn({ job, settings, recall: true, received });
    }
    if (decided > Math.max(state.last?.number ?? 0, input.recalledFor ?? 0)) {
      // Temporal was restored from an old copy, in which this run lacks its last decisions: only the ledger has them
      // (docs/decisions/0105).
      await condition(allHandlersFinished);
      await continueAsNew<Run>({ job, settings, recall: true, recalledFor: decided, received });
    }
    for (let change = missing(); change !== null; change = missing()) settings = (await change)(settings);
    hasArrived = false;
    const now = Date.now();
    const taken = unlessFaulty(() => rules.step(state, now, settings, looksItself));
    if (taken === null) continue;
    const { decision, nextDecisionAt } = taken;
    state = taken.state;
    if (decision !== null) {
      const recording = received;
      received = [];
      const done = await rules.carryOut(decision, recording);
      if (done.decision !== decision.decided.id) {
        // A replay may decide differently from the recorded run (docs/decisions/0057): only the ledger has the state
        // of the recorded run.
        const unrecorded = [...recording.slice(done.received), ...received];
        // If the history has further events, the replay fails, and the run is replaced. A command from this code
        // would be sent together with that failure, and the server would refuse the failure: the run would stop
        // forever.
        await condition(() => !workflowInfo().unsafe.isReplaying);
        await continueAsNew<Run>({ job, settings, recall: true, received: unrecorded });
      }
      // Facts that arrive during the activity are folded at once, because folding all facts afterwards would take too long.
      take(done.answered);
    } else if (nextDecisionAt === null && rules.isOver(state, settings)) return;
    // This check also follows each decision, because the loop never waits while signals keep arriving. The next run
    // decides at once.
    if (successor !== null || isLong(signals)) {
      if (canBePassed(state)) {
        await condition(allHandlersFinished);
        const taskQueue = successor ?? info.taskQueue;
        const continueOn = makeContinueAsNewFunc<Run>({ taskQueue });
        await continueOn({ job, settings, recall: false, state, received });
      }
      // The state is too large to pass to the next run. The state is smallest right after a decision, so the loop
      // tries again after the next decision.
      successor = null;
    }
    const slowed = decision === null ? null : rate.count(now, decision.decided.data.commands);
    if (slowed !== null) {
      if (slowed.isNews) await rules.reportFault(describeLoop(decision), true);
      timer.set(slowed.until);
      await condition(() => successor !== null || timer.hasFired());
    }
    if (decision === null) {
      timer.set(nextDecisionAt);
      await condition(() => hasArrived || successor !== null || timer.hasFired());
    }
  }
}

/** The message about commands that are decided again and again. */
function describeLoop(decision: Decided | null): string {
  const kinds = new Set(decision?.decided.data.commands.map(({ kind }) => kind));
  return `the same is decided again and again: ${[...kinds].join(', ')}`;
}

/** The message of an error because of an unusable stream; null for any other error. */
function unusableStream(error: unknown): string | null {
  const cause = error instanceof ActivityFailure ? error.cause : undefined;
  return cause instanceof ApplicationFailure && cause.type === UNUSABLE_STREAM ? cause.message : null;
}

/** True when the state is small enough to be passed to the next run. */
function canBePassed(state: unknown): boolean {
  return JSON.stringify(state).length <= MAX_PASSED;
}

/**
 * True when the history or the number of signals of this run has reached a limit, so that the run must continue as
 * new.
 */
function isLong(signals: number): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  return (
    continueAsNewSuggested ||
    signals > LIMITS.signals ||
    historyLength > LIMITS.events ||
    historySize > LIMITS.bytes
  );
}
