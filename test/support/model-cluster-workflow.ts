import { createClaimedJobs } from '../../services/worker/activities/job/claimed-jobs.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { KubernetesApiError, UnavailableError } from '../../services/adapters/errors.ts';
import type { Appender } from '../../services/adapters/kafka/append.ts';
import {
  carryOutJob,
  type JobDependencies,
  type JobProgress,
} from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { ObjectRef, CarryOutInput } from '../../workflows/activities.ts';
import { JOB_CORES, type Core } from '../../workflows/cores/cores.ts';
import { isSafeToRepeat } from '../../workflows/safe-to-repeat.ts';
import type { OutcomeRecorded, JobEvent } from '../../workflows/job/events.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { Compacted } from '../../workflows/job/observe/compact.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { step } from '../../workflows/job/step.ts';
import { CLUSTER, DECIDER, JOB_NAME, JOB_UID } from './builders.ts';
import { createModelClient } from './model-cluster-client.ts';
import { ModelViolation, type ModelApi } from './model-cluster-api.ts';

/** Where the process that carries out commands dies. */
export interface Crash {
  /** In this decision of a task, from 0. */
  decision: number;
  /** Before this command of it; beyond the last one: before the outcomes are reported. */
  command: number;
  /** True when the outcomes so far still reach the ledger. */
  records: boolean;
}

/** The Job's workflow, as Temporal has stored it. */
export interface ModelWorkflow {
  core: Core;
  state: JobState;
  inbox: Compacted[];
  firstRunId: string;
  settings: Settings;
  nextDecisionAt: number | null;
  /** Commands that Temporal has stored, and whose activity is to be tried again. */
  order: StoredOrder | null;
}

interface StoredOrder {
  order: CarryOutInput;
  /** The number of the next attempt. */
  attempt: number;
  /** The reports in the heartbeats of earlier attempts. */
  before: JobProgress;
  /** A local activity: Temporal has stored nothing of the step, and a failure goes to an ordinary activity. */
  isLocal: boolean;
}

/** The activity died with its process. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** With this many decisions at one instant, the workflow would never come to rest. */
const RESTLESS = 60;

export function createModelWorkflow(
  settings: Settings = DEFAULT_SETTINGS,
  core = JOB_CORES.present,
): ModelWorkflow {
  return {
    core,
    state: core.INITIAL_STATE,
    inbox: [],
    firstRunId: 'chain-1',
    settings,
    nextDecisionAt: null,
    order: null,
  };
}

/**
 * One workflow task: fold, decide, carry out, until it rests. After a crash all is as before the task, except for
 * changes to the cluster and the ledger. Commands that are not safe to repeat, or failed once, are stored and tried again.
 */
export async function runTask(
  workflow: ModelWorkflow,
  api: ModelApi,
  ledger: JobEvent[],
  crash: Crash | null,
): Promise<void> {
  const { core } = workflow;
  let { state, inbox, order: input } = workflow;
  for (let decisions = 0; ; decisions += 1) {
    if (decisions > RESTLESS) throw new ModelViolation(`no rest: ${RESTLESS} decisions at one instant`);
    state = core.fold(state, inbox);
    inbox = [];
    if (input === null) {
      const { settings, firstRunId } = workflow;
      const decider = { ...DECIDER, firstRunId };
      const taken = step(core, { decider, state, now: wholeNow(api), settings });
      state = taken.state;
      workflow.nextDecisionAt = taken.nextDecisionAt;
      input = taken.decision === null ? null : firstAttempt({ ...taken.decision, job: JOB, received: [] });
    }
    if (input === null) break;
    const stored: StoredOrder = input;
    const ended = await attempted(stored, api, ledger, crash?.decision === decisions ? crash : null);
    if ('answered' in ended) {
      checkOutcomes(stored.order, ended.answered);
      state = core.fold(state, ended.answered);
      input = null;
      // Temporal has stored the commands, so it stores their outcome as well.
      if (!stored.isLocal) Object.assign(workflow, { state, inbox, order: input });
    } else if (ended.isKilled && stored.isLocal) {
      return;
    } else {
      // Temporal has the commands and tries them until they succeed; the task is over.
      input = nextAttempt(stored, ended);
      break;
    }
    api.now += 7;
  }
  Object.assign(workflow, { state, inbox, order: input });
}

/** The Job of every model. */
export const JOB: ObjectRef = {
  cluster: CLUSTER,
  uid: JOB_UID,
  namespace: 'default',
  name: JOB_NAME,
  kind: 'Job',
};

function firstAttempt(input: CarryOutInput): StoredOrder {
  return {
    order: input,
    attempt: 1,
    before: NO_PROGRESS,
    isLocal: isSafeToRepeat(input.decided.data.commands),
  };
}

/** One outcome of each command, in order. */
function checkOutcomes({ decided }: CarryOutInput, answered: readonly Unstamped<OutcomeRecorded>[]): void {
  const { id, data } = decided;
  const isEach = answered.every((each, at) => each.data.decision === id && each.data.command === at);
  if (!isEach || answered.length !== data.commands.length)
    throw new ModelViolation(`${answered.length} outcomes of ${data.commands.length} commands`);
}

/** A killed process may not have sent its heartbeats; a local activity has none. */
function nextAttempt(
  { order: input, attempt, isLocal }: StoredOrder,
  { isKilled, progressSeen }: Failed,
): StoredOrder {
  if (isLocal) return { order: input, attempt: 1, before: NO_PROGRESS, isLocal: false };
  const before = isKilled ? NO_PROGRESS : (JSON.parse(JSON.stringify(progressSeen)) as JobProgress);
  return { order: input, attempt: attempt + 1, before, isLocal };
}

interface Failed {
  isKilled: boolean;
  progressSeen: JobProgress;
}

/** One attempt of the worker's own activity. */
async function attempted(
  { order: input, attempt, before }: StoredOrder,
  api: ModelApi,
  ledger: JobEvent[],
  crash: Crash | null,
): Promise<{ answered: Unstamped<OutcomeRecorded>[] } | Failed> {
  let progressSeen = before;
  let isKilled = false;
  const dieBefore = Math.min(crash?.command ?? Infinity, input.decided.data.commands.length);
  const report = (progress: JobProgress): void => {
    progressSeen = progress;
    isKilled ||= crash !== null && progress.answered.length >= dieBefore;
    if (isKilled) throw new Killed('killed');
  };
  const append: Appender['append'] = (events) => {
    if (isKilled && crash?.records !== true) return Promise.reject(new Killed('killed'));
    ledger.push(...(events as JobEvent[]));
    return Promise.resolve();
  };
  try {
    const { signal } = NEVER;
    const dependencies = jobDependencies(api, append);
    return { answered: await carryOutJob(dependencies, input, { number: attempt, signal, before, report }) };
  } catch (error) {
    if (
      !(error instanceof Killed || error instanceof UnavailableError || error instanceof KubernetesApiError)
    )
      throw error;
    return { isKilled, progressSeen };
  }
}

const NEVER = new AbortController();
const LOG = silentLog();

/** The dependencies of the worker's activities, over the model of an API server. */
export function jobDependencies(api: ModelApi, append: Appender['append']): JobDependencies {
  const appender: Appender = {
    append,
    write: () => Promise.reject(new Error('the model has no other topic')),
    close: () => Promise.resolve(),
  };
  const now = (): number => wholeNow(api) + api.workerSkew;
  return {
    client: createModelClient(api),
    appender,
    log: LOG,
    count: () => undefined,
    reportOlder: () => undefined,
    claimed: createClaimedJobs('managed'),
    now,
  };
}

/** Whole milliseconds, as Date.now() returns them; a kubelet of the model may act in between. */
function wholeNow({ now }: ModelApi): number {
  return Math.floor(now);
}

/** Temporal's database is lost; the state is restored from the ledger. */
export function recallWorkflow(workflow: ModelWorkflow, ledger: readonly JobEvent[]): void {
  const firstRunId = `${workflow.firstRunId}+`;
  const stream = ledger.filter(({ data }) => 'jobUid' in data && data.jobUid === JOB_UID);
  Object.assign(workflow, {
    state: replay(stream, workflow.core),
    inbox: [],
    firstRunId,
    order: null,
    nextDecisionAt: null,
  });
}
