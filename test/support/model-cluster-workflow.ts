import { CURRENT, type Core } from '../../workflows/cores/cores.ts';
import { isCheap } from '../../workflows/job/decide/cheap.ts';
import type { Compacted } from '../../workflows/job/observe/compact.ts';
import { outcomeId } from '../../workflows/job/record/decision-id.ts';
import type { DecisionRecord } from '../../workflows/job/record/decision-record.ts';
import { digestOf } from '../../workflows/job/record/digest.ts';
import type { CommandAnswered, JobEvent, Unstamped } from '../../workflows/job/events.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import type { AnyOutcome } from '../../services/worker/activities/outcome-of.ts';
import { answerTo, hasFailed } from './model-cluster-activities.ts';
import { ModelViolation, Outage, type ModelApi } from './model-cluster-api.ts';
import { CLUSTER, DECIDER, JOB_UID } from './builders.ts';

/** Where the process that carries out commands dies. */
export interface Crash {
  /** In this decision of a task, from 0. */
  decision: number;
  /** Before this command of it; beyond the last one: before the outcomes are reported. */
  command: number;
  /** Whether what was answered so far still gets into the ledger. */
  records: boolean;
}

/** The Job's workflow, as Temporal has stored it. */
export interface ModelWorkflow {
  core: Core;
  state: JobState;
  inbox: Compacted[];
  chain: string;
  settings: Settings;
  lookAgainAt: number | null;
  /** An order that Temporal has stored, and whose activity is to be tried again. */
  order: StoredOrder | null;
}

interface StoredOrder {
  record: DecisionRecord;
  attempt: number;
}

/** The activity died with its process. */
class Killed extends Error {
  override readonly name = 'Killed';
}

/** So many decisions at one instant mean that it would never rest. */
const RESTLESS = 60;

export function createModelWorkflow(settings: Settings = DEFAULT_SETTINGS, core = CURRENT): ModelWorkflow {
  return {
    core,
    state: core.INITIAL_STATE,
    inbox: [],
    chain: 'chain-1',
    settings,
    lookAgainAt: null,
    order: null,
  };
}

/**
 * One workflow task: fold, decide, carry out, until it rests. With a crash everything is as before the task, but for
 * what was done to the cluster and the ledger; an order that is not cheap, or had failed once, is stored, and is tried again.
 */
export function runTask(
  workflow: ModelWorkflow,
  api: ModelApi,
  ledger: JobEvent[],
  crash: Crash | null,
): void {
  const { fold } = workflow.core;
  let { state, inbox, order: input } = workflow;
  for (let decisions = 0; ; decisions += 1) {
    if (decisions > RESTLESS) throw new ModelViolation(`no rest: ${RESTLESS} decisions at one instant`);
    if (input === null) {
      state = fold(state, inbox);
      inbox = [];
      input = orderOf(workflow, state, api);
    }
    if (input === null) break;
    const { record, attempt }: StoredOrder = input;
    const isStored = attempt > 1 || !isCheap(record.decided.data.commands);
    try {
      const answered = carryOut(input, api, ledger, crash?.decision === decisions ? crash : null);
      state = fold(state, [record.decided, ...answered]);
      input = null;
      // The outcome of what Temporal had stored, it has stored as well.
      if (isStored) Object.assign(workflow, { state, inbox, order: input });
    } catch (error) {
      if (error instanceof Killed && !isStored) return;
      if (!(error instanceof Killed || error instanceof Outage)) throw error;
      // Temporal has the order: it will be tried until it succeeds, and the task is over.
      input = { record, attempt: attempt + 1 };
      break;
    }
    api.now += 7;
  }
  Object.assign(workflow, { state, inbox, order: input });
}

function orderOf(workflow: ModelWorkflow, state: JobState, { now }: ModelApi): StoredOrder | null {
  const { settings, chain } = workflow;
  const { decide, decisionRecord, isNews } = workflow.core;
  const verdict = decide(state, now, settings);
  workflow.lookAgainAt = verdict.lookAgainAt;
  if (!isNews(state, verdict)) return null;
  return { record: decisionRecord({ ...DECIDER, chain }, state, verdict, now, settings), attempt: 1 };
}

/** Temporal's database is lost: the ledger tells all. */
export function recallWorkflow(workflow: ModelWorkflow, ledger: readonly JobEvent[]): void {
  const chain = `${workflow.chain}+`;
  const stream = ledger.filter(({ data }) => 'jobUid' in data && data.jobUid === JOB_UID);
  Object.assign(workflow, {
    state: replay(stream, workflow.core),
    inbox: [],
    chain,
    order: null,
    lookAgainAt: null,
  });
}

function carryOut(
  { record, attempt }: StoredOrder,
  api: ModelApi,
  ledger: JobEvent[],
  crash: Crash | null,
): Unstamped<CommandAnswered>[] {
  const { decided } = record;
  for (const event of [...record.folded, decided]) ledger.push(stamped(event, api));
  const answered: Unstamped<CommandAnswered>[] = [];
  let isFailed = false;
  let isRecorded = true;
  try {
    for (const [at, command] of decided.data.commands.entries()) {
      if (crash?.command === at) throw new Killed('killed');
      const answer: AnyOutcome = isFailed ? { kind: 'skipped' } : answerTo(api, JOB_UID, command);
      isFailed ||= hasFailed(answer);
      const data = {
        cluster: CLUSTER,
        jobUid: JOB_UID,
        decision: decided.id,
        command: at,
        attempt,
        answer: { ...answer, at: api.now + api.workerSkew },
      } as CommandAnswered['data'];
      const id = outcomeId(decided.id, at, data);
      const { source, subject } = decided;
      answered.push({ id, type: 'command.answered', source, subject, digest: digestOf(data), data });
    }
    if (crash !== null) throw new Killed('killed');
  } catch (error) {
    isRecorded = !(error instanceof Killed) || crash?.records === true;
    throw error;
  } finally {
    if (isRecorded) ledger.push(...answered.map((event) => stamped(event, api)));
  }
  return answered;
}

function stamped(event: Omit<JobEvent, 'time'>, { now }: ModelApi): JobEvent {
  return { ...event, time: new Date(now).toISOString() } as JobEvent;
}
