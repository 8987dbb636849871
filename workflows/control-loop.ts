import {
  allHandlersFinished,
  condition,
  continueAsNew,
  makeContinueAsNewFunc,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { JobRef } from './activities.ts';
import type { CommandReceived, Unstamped } from './job/events.ts';
import type { StepResult } from './job/step.ts';
import { handOverSignal, observeSignal, resume, stateQuery, suspend } from './messages.ts';
import { createTimer } from './timer.ts';

/** Limits of one run, well below the server's 10,000 signals, 51,200 events and 50 MiB. */
const LIMITS = { signals: 4000, events: 10_000, bytes: 10 * 1024 * 1024 };

/**
 * The most that is passed to the next run, in characters of JSON. Temporal takes 2 MiB after compression, to a third
 * (test/workflow/state-size.test.ts), and terminates a workflow that passes more.
 */
const MAX_PASSED = 5 * 1024 * 1024;

/** Input of a run. */
export interface RunInput<State, Settings> {
  job: JobRef;
  settings: Settings;
  /** The ledger may already have decisions: fold the stream first. */
  recall: boolean;
  /** From the previous run. */
  state?: State;
  /** From the previous run: user requests that no decision has recorded yet. */
  received?: Unstamped<CommandReceived>[];
}

/** What a decision has led to (`CarriedOut` of activities.ts). */
interface Done<Folded> {
  decision: string;
  received: number;
  answered: Folded[];
}

/** How user requests are recorded and folded. */
interface RequestRules<Folded> {
  recordOf(
    command: CommandReceived['data']['command'],
    by: string,
    eventKey: string,
  ): Unstamped<CommandReceived>;
  newsOf(request: Unstamped<CommandReceived>): Folded;
}

/** How the objects of one kind are controlled. */
export interface ControlRules<State, Folded, Settings, Decision> {
  initialState: State;
  /** Two builds can use each other's states only when both have the same format. */
  stateFormat: string;
  fold(state: State, events: readonly Folded[]): State;
  step(state: State, now: number, settings: Settings): StepResult<State, Decision>;
  isOver(state: State, settings: Settings): boolean;
  recall(): Promise<State>;
  carryOut(decision: Decision, received: Unstamped<CommandReceived>[]): Promise<Done<Folded>>;
  /** Absent when users cannot request anything. */
  requests?: RequestRules<Folded>;
  /** The settings that a signal brings, with what only this workflow knows. */
  merged?(own: Settings, given: Settings): Settings;
  /** Reads what a step needs beyond these settings, and returns the change of settings; null when they are complete. */
  completing?(
    state: State,
    now: number,
    settings: Settings,
  ): Promise<(settings: Settings) => Settings> | null;
}

/** The life of one object: signals → step → activities, until nothing is left to do for it. */
export async function control<State, Folded, Settings, Decision extends { decided: { id: string } }>(
  input: RunInput<State, Settings>,
  rules: ControlRules<State, Folded, Settings, Decision>,
): Promise<void> {
  type Run = (next: RunInput<State, Settings>) => Promise<void>;
  const { job } = input;
  const info = workflowInfo();
  const { requests, merged = (_own, given) => given } = rules;
  let state = input.state ?? rules.initialState;
  let settings = input.settings;
  let received = input.received ?? [];
  let signals = 0;
  let hasArrived = false;
  /** What arrives during a recall is folded after it. */
  let unrecalled: Folded[] | null = input.recall
    ? received.flatMap((request) => requests?.newsOf(request) ?? [])
    : null;
  /** The task queue of the build that takes over. */
  let successor: string | null = null;

  const take = (events: readonly Folded[]): void => {
    hasArrived = true;
    if (unrecalled === null) state = rules.fold(state, events);
    else unrecalled.push(...events);
  };
  setHandler(observeSignal<Folded, Settings>(), (observation) => {
    signals += 1;
    settings = merged(settings, observation.settings);
    take(observation.facts);
  });
  setHandler(handOverSignal<Settings>(), (asked) => {
    signals += 1;
    if (asked.stateFormat !== rules.stateFormat) return;
    successor = asked.taskQueue;
    settings = merged(settings, asked.settings);
  });
  if (requests !== undefined) {
    const receive = (command: CommandReceived['data']['command'], by: string): void => {
      const request = requests.recordOf(command, by, `${info.runId}/${signals}`);
      signals += 1;
      received.push(request);
      take([requests.newsOf(request)]);
    };
    setHandler(suspend, ({ by }) => receive('suspend', by));
    setHandler(resume, ({ by }) => receive('resume', by));
  }
  setHandler(stateQuery, () => state);

  if (unrecalled !== null) {
    state = rules.fold(await rules.recall(), unrecalled);
    unrecalled = null;
  }
  const timer = createTimer();
  for (;;) {
    for (
      let change = rules.completing?.(state, Date.now(), settings) ?? null;
      change !== null;
      change = rules.completing?.(state, Date.now(), settings) ?? null
    )
      settings = (await change)(settings);
    hasArrived = false;
    const now = Date.now();
    const taken = rules.step(state, now, settings);
    const { decision, lookAgainAt } = taken;
    state = taken.state;
    if (decision !== null) {
      const recording = received;
      received = [];
      const done = await rules.carryOut(decision, recording);
      if (done.decision !== decision.decided.id) {
        // A replay that decides otherwise than the run that it replays (docs/decisions/0057): only the ledger has its state.
        const unrecorded = [...recording.slice(done.received), ...received];
        await continueAsNew<Run>({ job, settings, recall: true, received: unrecorded });
      }
      // What arrives during it is folded at once: all of it together would take too long.
      take(done.answered);
    } else if (lookAgainAt === null && rules.isOver(state, settings)) return;
    // After each decision too: under steady signals there is always something to do. The next run decides at once.
    if (successor !== null || isLong(signals)) {
      if (canBePassed(state)) {
        await condition(allHandlersFinished);
        const taskQueue = successor ?? info.taskQueue;
        const continueOn = makeContinueAsNewFunc<Run>({ taskQueue });
        await continueOn({ job, settings, recall: false, state, received });
      }
      // Too large to be passed. It is smallest right after a decision, so the next one tries again.
      successor = null;
    }
    if (decision === null) {
      timer.set(lookAgainAt);
      await condition(() => hasArrived || successor !== null || timer.hasFired());
    }
  }
}

function canBePassed(state: unknown): boolean {
  return JSON.stringify(state).length <= MAX_PASSED;
}

function isLong(signals: number): boolean {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  return (
    continueAsNewSuggested ||
    signals > LIMITS.signals ||
    historyLength > LIMITS.events ||
    historySize > LIMITS.bytes
  );
}
