import {
  allHandlersFinished,
  condition,
  continueAsNew,
  makeContinueAsNewFunc,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { CarriedOut, CarryOutInput, JobActivities, JobRef } from './activities.ts';
import { createTimer, withFixedTime } from './timer.ts';
import { isOver } from './job/decide/after-the-end.ts';
import * as core from './job/core.ts';
import { isCheap } from './job/decide/cheap.ts';
import type { Compacted } from './job/observe/compact.ts';
import type { Decider } from './job/record/decision-record.ts';
import { digestOf } from './job/record/digest.ts';
import type { CommandReceived, Unstamped } from './job/events.ts';
import type { Settings } from './job/settings.ts';
import type { JobState } from './job/state.ts';
import { step } from './job/step.ts';
import { STATE_FORMAT } from './job/record/state-format.ts';
import { handOver, observe, resume, stateQuery, suspend } from './messages.ts';

/**
 * For cheap decisions and recalls: no activity task, done again when the worker dies. The ordinary ones take over failed or slow
 * ones.
 */
const local = proxyLocalActivities<JobActivities>({
  startToCloseTimeout: '4s',
  retry: { maximumAttempts: 1 },
});
/** For deletions, large batches, and servers that are down: retried for as long as it takes. */
const ordinary = proxyActivities<JobActivities>({
  startToCloseTimeout: '10m',
  heartbeatTimeout: '4s',
  retry: { initialInterval: '200ms', backoffCoefficient: 1.5, maximumInterval: '2s' },
});

/** Limits of one run, well below the server's 10,000 signals, 51,200 events and 50 MiB. */
const LIMITS = { signals: 4000, events: 10_000, bytes: 10 * 1024 * 1024 };

/**
 * The most that is passed to the next run, in characters of JSON. Temporal takes 2 MiB after compression, to a third
 * (test/workflow/state-size.test.ts), and terminates a workflow that passes more.
 */
const MAX_PASSED = 5 * 1024 * 1024;

export interface JobWorkflowInput {
  job: JobRef;
  settings: Settings;
  /** The ledger may already have decisions on this Job: fold its stream first. */
  recall: boolean;
  /** From the previous run. */
  state?: JobState;
  /** From the previous run: user requests that no decision has recorded yet. */
  received?: Unstamped<CommandReceived>[];
}

/** The life of one Job: signals → step → activities, until the Job is gone and its pods are released. */
export async function jobWorkflow(input: JobWorkflowInput): Promise<void> {
  const { job } = input;
  const info = workflowInfo();
  const decider: Decider = {
    cluster: job.cluster,
    jobUid: job.uid,
    subject: `${job.namespace}/${job.name}`,
    chain: info.firstExecutionRunId,
  };
  let state = input.state ?? core.INITIAL_STATE;
  let settings = input.settings;
  let received = input.received ?? [];
  let signals = 0;
  let hasArrived = false;
  /** What arrives during a recall is folded after it. */
  let unrecalled: Compacted[] | null = input.recall ? received.map(newsOf) : null;
  /** The task queue of the build that takes over. */
  let successor: string | null = null;

  const take = (events: readonly Compacted[]): void => {
    hasArrived = true;
    if (unrecalled === null) state = core.fold(state, events);
    else unrecalled.push(...events);
  };
  const receive = (command: CommandReceived['data']['command'], by: string): void => {
    const wish = requestOf(decider, command, by, `${info.runId}/${signals}`);
    signals += 1;
    received.push(wish);
    take([newsOf(wish)]);
  };
  setHandler(observe, (observation) => {
    signals += 1;
    settings = observation.settings;
    take(observation.facts);
  });
  setHandler(handOver, (asked) => {
    signals += 1;
    if (asked.stateFormat !== STATE_FORMAT) return;
    ({ taskQueue: successor, settings } = asked);
  });
  setHandler(suspend, ({ by }) => receive('suspend', by));
  setHandler(resume, ({ by }) => receive('resume', by));
  setHandler(stateQuery, () => state);

  if (unrecalled !== null) {
    state = core.fold(await locally((activities) => activities.recall(job)), unrecalled);
    unrecalled = null;
  }
  const timer = createTimer();
  for (;;) {
    hasArrived = false;
    const now = Date.now();
    const taken = step(core, { decider, state, now, settings });
    const { decision, lookAgainAt } = taken;
    state = taken.state;
    if (decision !== null) {
      const toCarryOut = { ...decision, job, received };
      received = [];
      const done = await carryOut(toCarryOut);
      if (done.decision !== decision.decided.id) {
        // A replay that decides otherwise than the run that it replays (docs/decisions/0057): only the ledger has its state.
        const unrecorded = [...toCarryOut.received.slice(done.received), ...received];
        await continueAsNew<typeof jobWorkflow>({ job, settings, recall: true, received: unrecorded });
      }
      // What arrives during it is folded at once: all of it together would take too long.
      take(done.answered);
    } else if (isOver(state, settings)) return;
    // After each decision too: under steady signals there is always something to do. The next run decides at once.
    if (successor !== null || isLong(signals)) {
      if (canBePassed(state)) {
        await condition(allHandlersFinished);
        const taskQueue = successor ?? info.taskQueue;
        const continueOn = makeContinueAsNewFunc<typeof jobWorkflow>({ taskQueue });
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

function requestOf(
  decider: Decider,
  command: CommandReceived['data']['command'],
  by: string,
  eventKey: string,
): Unstamped<CommandReceived> {
  const { cluster, jobUid, subject } = decider;
  const data = { cluster, jobUid, command, by };
  return {
    id: `${cluster}/${jobUid}/request/${eventKey}`,
    source: `jobledger/${cluster}`,
    subject,
    type: 'command.received',
    digest: digestOf(data),
    data,
  };
}

/** The request as it is folded. */
function newsOf({ id, digest, type, data }: Unstamped<CommandReceived>): Compacted {
  return { id, digest, type, command: data.command, by: data.by };
}

function carryOut(input: CarryOutInput): Promise<CarriedOut> {
  return isCheap(input.decided.data.commands)
    ? locally((activities) => activities.carryOut(input))
    : ordinary.carryOut(input);
}

async function locally<T>(call: (activities: typeof local) => Promise<T>): Promise<T> {
  try {
    return await withFixedTime(() => call(local));
  } catch {
    // A server is down or slow, or a stream long. Repeating is harmless, and the ordinary activity retries until it succeeds.
    return call(ordinary);
  }
}

function canBePassed(state: JobState): boolean {
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
