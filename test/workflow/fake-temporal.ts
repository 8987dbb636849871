import { registerHooks } from 'node:module';

/** Replaces Temporal: the test plays the server, which delivers signals, answers activities and fires timers. */
export interface FakeTemporal {
  /** The value of `Date.now()` in the workflow, in milliseconds. */
  now: number;
  info: WorkflowInfo;
  handlersFinished: boolean;
  calls: ActivityCall[];
  timers: Timer[];
  /** Signals sent with the start: delivered as soon as there is a handler. */
  sentWithStart: { name: string; payload: unknown }[];
  /** Called with the payload of a signal, or without one for a query, by name. */
  handlers: Map<string, (payload?: unknown) => unknown>;
}

interface WorkflowInfo {
  runId: string;
  taskQueue: string;
  firstExecutionRunId: string;
  historyLength: number;
  historySize: number;
  continueAsNewSuggested: boolean;
  unsafe: { isReplaying: boolean };
}

/** One activity that the workflow has started. */
export interface ActivityCall {
  kind: 'local' | 'ordinary';
  name: string;
  input: unknown;
  complete(result: unknown): void;
  fail(error: Error): void;
}

interface Timer {
  firesAt: number;
  isCancelled: boolean;
  fire(): void;
}

/** How a run ends that continues as new. */
export class ContinuedAsNew extends Error {
  override readonly name = 'ContinuedAsNew';
  readonly input: unknown;
  readonly taskQueue: string;

  constructor(input: unknown, taskQueue: string) {
    super('continued as new');
    this.input = input;
    this.taskQueue = taskQueue;
  }
}

class Cancelled extends Error {
  override readonly name = 'Cancelled';
}

/** The Temporal of the running test. */
export let temporal = newTemporal();
let waiting: { isMet: () => boolean; resolve: () => void }[] = [];
let scope: CancellationScope | null = null;

function newTemporal(): FakeTemporal {
  const info = {
    runId: 'run-2',
    taskQueue: 'jobledger-east-old',
    firstExecutionRunId: 'run-1',
    historyLength: 3,
    historySize: 1000,
    continueAsNewSuggested: false,
    unsafe: { isReplaying: false },
  };
  return {
    now: 0,
    info,
    handlersFinished: true,
    calls: [],
    timers: [],
    sentWithStart: [],
    handlers: new Map(),
  };
}

/** A new one, for the next test. */
export function resetTemporal(now: number): void {
  temporal = { ...newTemporal(), now };
  waiting = [];
}

/** Runs the workflow until it waits for something that only the test can do. */
export async function turn(): Promise<void> {
  for (;;) {
    // All that the workflow does without waiting for the server happens before the event loop's next phase.
    await new Promise((resolve) => setImmediate(resolve));
    const met = waiting.filter(({ isMet }) => isMet());
    if (met.length === 0) return;
    waiting = waiting.filter((each) => !met.includes(each));
    for (const { resolve } of met) resolve();
  }
}

/** Advances time, and fires every timer that is due. */
export async function passTo(instant: number): Promise<void> {
  temporal.now = instant;
  for (const timer of temporal.timers) if (!timer.isCancelled && timer.firesAt <= instant) timer.fire();
  await turn();
}

export class CancellationScope {
  readonly timers: (() => void)[] = [];

  run<T>(work: () => Promise<T>): Promise<T> {
    const outer = scope;
    // oxlint-disable-next-line typescript/no-this-alias
    scope = this;
    try {
      return work();
    } finally {
      scope = outer;
    }
  }

  cancel(): void {
    for (const cancel of this.timers) cancel();
  }
}

type Proxied = Record<string, (input: unknown) => Promise<unknown>>;

function activities(kind: ActivityCall['kind']): Proxied {
  const start = (name: string) => (input: unknown) =>
    new Promise((complete, fail) => temporal.calls.push({ kind, name, input, complete, fail }));
  return {
    carryOut: start('carryOut'),
    recall: start('recall'),
    reportFault: start('reportFault'),
    schedulingApi: start('schedulingApi'),
  };
}

/** As Temporal's failures: of an activity, with the failure that the activity threw as its cause. */
export class ActivityFailure extends Error {
  override readonly name = 'ActivityFailure';
}

export class ApplicationFailure extends Error {
  override readonly name = 'ApplicationFailure';
  readonly type: string;

  constructor(message: string, type: string) {
    super(message);
    this.type = type;
  }
}

// What workflow code imports of `@temporalio/workflow`.
export const allHandlersFinished = (): boolean => temporal.handlersFinished;
export const condition = (isMet: () => boolean): Promise<void> =>
  isMet() ? Promise.resolve() : new Promise<void>((resolve) => waiting.push({ isMet, resolve }));
export const defineQuery = (name: string): string => name;
export const defineSignal = (name: string): string => name;
export const isCancellation = (error: unknown): boolean => error instanceof Cancelled;
export const proxyActivities = (): unknown => activities('ordinary');
export const proxyLocalActivities = (): unknown => activities('local');
export const workflowInfo = (): WorkflowInfo => temporal.info;

export function continueAsNew(input: unknown): Promise<never> {
  return Promise.reject(new ContinuedAsNew(input, temporal.info.taskQueue));
}

export function makeContinueAsNewFunc({ taskQueue }: { taskQueue: string }) {
  return (input: unknown): Promise<never> => Promise.reject(new ContinuedAsNew(input, taskQueue));
}

export function setHandler(name: string, handler: (payload?: unknown) => unknown): void {
  temporal.handlers.set(name, handler);
  for (const signal of temporal.sentWithStart) if (signal.name === name) handler(signal.payload);
}

export function sleep(milliseconds: number): Promise<void> {
  return new Promise((fire, reject) => {
    const timer = { firesAt: temporal.now + milliseconds, isCancelled: false, fire };
    temporal.timers.push(timer);
    scope?.timers.push(() => {
      timer.isCancelled = true;
      reject(new Cancelled('cancelled'));
    });
  });
}

/** Each test file has a module of this file for itself (test/support/native/runtime.ts), and so modules of the workflows that import that one. */
const WITH_FAKE = `?temporal=fake-of-${new URL(import.meta.url).search.slice(1)}`;

registerHooks({
  resolve(specifier, context, next) {
    const isWithFake = context.parentURL?.endsWith(WITH_FAKE) === true;
    if (isWithFake && specifier === '@temporalio/workflow')
      return { url: import.meta.url, shortCircuit: true };
    const resolved = next(specifier, context);
    const isOfWorkflows = isWithFake && resolved.url.includes('/workflows/');
    return isOfWorkflows ? { ...resolved, url: `${resolved.url}${WITH_FAKE}` } : resolved;
  },
});

/** The module of a workflow, whose code imports this file instead of `@temporalio/workflow`. */
export async function withFakeTemporal<Module>(url: URL): Promise<Module> {
  return (await import(`${url.href}${WITH_FAKE}`)) as Module;
}
