import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { carryOutJob } from '../../services/worker/activities/carry-out-kinds.ts';
import { NO_PROGRESS } from '../../services/worker/activities/attempt/progress.ts';
import type { CarriedOut, CarryOutInput } from '../../workflows/activities.ts';
import type { JobWorkflowInput } from '../../workflows/job-workflow.ts';
import type { OutcomeRecorded } from '../../workflows/job/events.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import type { Gang } from '../../workflows/job/gang.ts';
import { DEFAULT_SETTINGS, type SchedulingApi, type Settings } from '../../workflows/job/settings.ts';
import { STATE_FORMAT } from '../../workflows/job/record/state-format.ts';
import { INITIAL_STATE, type JobState } from '../../workflows/job/state.ts';
import {
  aJob,
  aPendingPod,
  aRunningPod,
  CLUSTER,
  JOB_UID,
  jobDeleted,
  jobObject,
  podObject,
  START,
  type JobFields,
  at,
} from '../support/builders.ts';
import { createModelApi, setPod } from '../support/model-cluster-api.ts';
import { JOB, jobDependencies } from '../support/model-cluster-workflow.ts';
import {
  ActivityFailure,
  ApplicationFailure,
  ContinuedAsNew,
  passTo,
  resetTemporal,
  temporal,
  turn,
  withFakeTemporal,
  type ActivityCall,
} from './fake-temporal.ts';

const WORKFLOW = new URL('../../workflows/job-workflow.ts', import.meta.url);
const { jobWorkflow } = await withFakeTemporal<typeof import('../../workflows/job-workflow.ts')>(WORKFLOW);

const one = { parallelism: 1, completions: 1 };

/** The Job changed by a user, newer than anything that the commands of a test have written. */
function suspendedLater(): Fact {
  return aJob({ ...one, suspend: true, generation: 2, version: '900000' });
}

beforeEach(() => {
  resetTemporal(START);
  jest.spyOn(Date, 'now').mockImplementation(() => temporal.now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

/** How a run of the workflow has ended; undefined while it runs. */
interface Run {
  ended?: 'returned' | { continuedWith: unknown; on: string };
}

/** Started as the dispatcher does it: a new run with its facts, another one with a signal. */
async function started(facts: Fact[], input: Partial<JobWorkflowInput> = {}): Promise<Run> {
  const run: Run = {};
  const { settings = DEFAULT_SETTINGS, recall = false, state } = input;
  const isNew = !recall && state === undefined;
  if (!isNew) temporal.sentWithStart.push({ name: 'observe', payload: { facts, settings } });
  jobWorkflow({ job: JOB, settings, recall, ...(isNew && { facts }), ...input }).then(
    () => (run.ended = 'returned'),
    (error: unknown) => {
      if (!(error instanceof ContinuedAsNew)) throw error;
      run.ended = { continuedWith: error.input, on: error.taskQueue };
    },
  );
  await turn();
  return run;
}

function signal(facts: Fact[], settings: Partial<Settings> = {}): void {
  temporal.handlers.get('observe')?.({ facts, settings: { ...DEFAULT_SETTINGS, ...settings } });
}

async function observed(facts: Fact[], settings: Partial<Settings> = {}): Promise<void> {
  signal(facts, settings);
  await turn();
}

async function asked(action: 'suspend' | 'resume'): Promise<void> {
  temporal.handlers.get(action)?.({ by: 'ann' });
  await turn();
}

function stateNow(): JobState {
  return temporal.handlers.get('state')?.() as JobState;
}

/** The activity that was started last. */
function lastCall(): ActivityCall {
  const call = temporal.calls.at(-1);
  if (call === undefined) throw new Error('no activity was started');
  return call;
}

function callOrder({ input }: ActivityCall): CarryOutInput {
  return input as CarryOutInput;
}

function commandKinds(call: ActivityCall): string[] {
  return callOrder(call).decided.data.commands.map(({ kind }) => kind);
}

function foldedBy(call: ActivityCall): string[] {
  return callOrder(call).decided.data.folded.map(({ id }) => id);
}

/** The worker carries out the last commands on a cluster with this Job and these pods; returns the outcomes. */
async function carriedOut(job: JobFields = one, pods: string[] = []): Promise<Unstamped<OutcomeRecorded>[]> {
  const call = lastCall();
  // Each time the Job is in a newer version than the commands before have left it.
  const version = String(1000 * temporal.calls.length);
  const api = createModelApi(jobObject({ ...job, version }), temporal.now);
  for (const name of pods) setPod(api, podObject({ name }));
  const dependencies = jobDependencies(api, () => Promise.resolve());
  const attempt = {
    number: 1,
    signal: new AbortController().signal,
    before: NO_PROGRESS,
    report: () => undefined,
  };
  const answered = await carryOutJob(dependencies, callOrder(call), attempt);
  complete(call, answered);
  await turn();
  return answered;
}

/** The activity ends with these outcomes. */
function complete(call: ActivityCall, answered: Unstamped<OutcomeRecorded>[]): void {
  const { decided, received } = callOrder(call);
  call.complete({ decision: decided.id, received: received.length, answered } satisfies CarriedOut);
}

describe('facts that arrive while the worker carries out commands', () => {
  it('are folded at once, and are decided on together with the outcomes', async () => {
    await started([aJob(one)]);
    const late = suspendedLater();
    await observed([late]);
    expect(temporal.calls.map(commandKinds)).toEqual([['CreatePods', 'WriteStatus']]);
    expect(stateNow().folded.map(({ id }) => id)).toEqual([late.id]);
    const answered = await carriedOut();
    expect(temporal.calls).toHaveLength(2);
    expect(foldedBy(lastCall())).toEqual([late.id, ...answered.map(({ id }) => id)]);
    expect(commandKinds(lastCall())).toContain('DeletePods');
  });

  it('carry settings that apply from the next decision on', async () => {
    await started([aJob(one)]);
    await observed([suspendedLater()], { maxPodsPerSync: 7 });
    expect(callOrder(lastCall()).decided.data.settings.maxPodsPerSync).toBe(500);
    await carriedOut();
    expect(callOrder(lastCall()).decided.data.settings.maxPodsPerSync).toBe(7);
  });
});

describe('a workflow run with a long history', () => {
  it.each([
    { continueAsNewSuggested: true },
    { historyLength: 10_001 },
    { historySize: 10 * 1024 * 1024 + 1 },
  ])('continues as new with its state after a decision was carried out: %j', async (limit) => {
    Object.assign(temporal.info, limit);
    const run = await started([aJob(one)]);
    await observed([], { maxPodsPerSync: 7 });
    expect(run.ended).toBeUndefined();
    const answered = await carriedOut();
    expect(run.ended).toEqual({
      continuedWith: {
        job: JOB,
        settings: { ...DEFAULT_SETTINGS, maxPodsPerSync: 7 },
        recall: false,
        state: stateNow(),
        received: [],
      },
      on: 'jobledger-east-old',
    });
    expect(stateNow().folded.map(({ id }) => id)).toEqual(answered.map(({ id }) => id));
  });

  it('continues as new after 4,000 signals, whatever the length of its history', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    for (let sent = 0; sent < 4000; sent += 1) signal([]);
    await turn();
    expect(run.ended).toBeUndefined();
    await observed([]);
    expect(run.ended).toMatchObject({ continuedWith: { recall: false } });
  });

  it('does not continue as new before all signal handlers have finished', async () => {
    temporal.info.continueAsNewSuggested = true;
    temporal.handlersFinished = false;
    const run = await started([aJob(one)]);
    await carriedOut();
    expect(run.ended).toBeUndefined();
    temporal.handlersFinished = true;
    await turn();
    expect(run.ended).toMatchObject({ continuedWith: { recall: false } });
  });

  it('continues as new also while signals arrive, with their facts folded into its state', async () => {
    const run = await started([aJob(one)]);
    temporal.info.continueAsNewSuggested = true;
    const later = suspendedLater();
    signal([later]);
    await carriedOut();
    expect(run.ended).toEqual({
      continuedWith: expect.objectContaining({ recall: false, state: stateNow() }),
      on: 'jobledger-east-old',
    });
    expect(stateNow().folded.map(({ id }) => id)).toContain(later.id);
    expect(stateNow().job?.spec.suspend).toBe(true);
  });

  it('continues as new only when its state fits into a payload', async () => {
    temporal.info.continueAsNewSuggested = true;
    const run = await started([aJob(one)]);
    const large = { matchLabels: { app: 'x'.repeat(6 * 1024 * 1024) } };
    signal([aJob({ ...one, selector: large, suspend: true, generation: 2, version: '900000' })]);
    await carriedOut();
    expect(run.ended).toBeUndefined();
    await observed([aJob({ ...one, suspend: true, generation: 3, version: '900001' })]);
    await carriedOut();
    expect(run.ended).toMatchObject({ continuedWith: { recall: false } });
  });

  it('leaves facts that it folded without a decision to the next run, which decides on them', async () => {
    await started([aJob(one)]);
    temporal.info.continueAsNewSuggested = true;
    signal([suspendedLater()]);
    await carriedOut();
    const state = JSON.parse(JSON.stringify(stateNow())) as JobState;
    resetTemporal(START);
    await started([], { state });
    expect(commandKinds(lastCall())).toContain('DeletePods');
  });

  it('numbers its decisions on from the last decision of the previous run', async () => {
    await started([aJob(one)]);
    const [first] = temporal.calls;
    await carriedOut();
    const state = JSON.parse(JSON.stringify(stateNow())) as JobState;
    resetTemporal(START);
    await started([suspendedLater()], { state });
    expect(callOrder(lastCall()).decided.data).toMatchObject({
      number: 2,
      predecessor: first && callOrder(first).decided.id,
    });
  });
});

describe('a workflow run that another build asks to hand over', () => {
  function ask(stateFormat: string): Promise<void> {
    const settings = { ...DEFAULT_SETTINGS, maxPodsPerSync: 7 };
    temporal.handlers.get('handOver')?.({ taskQueue: 'jobledger-east-new', stateFormat, settings });
    return turn();
  }

  it('continues as new under that build, with its own state and the settings of that build', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    await ask(STATE_FORMAT);
    const { continuedWith, on } = run.ended as { continuedWith: JobWorkflowInput; on: string };
    expect(on).toBe('jobledger-east-new');
    expect(continuedWith).toMatchObject({ recall: false, state: stateNow() });
    expect(continuedWith.settings.maxPodsPerSync).toBe(7);
  });

  it('continues under the other build only after its present decision, with the facts that arrived until then', async () => {
    const run = await started([aJob(one)]);
    await ask(STATE_FORMAT);
    const later = suspendedLater();
    await observed([later]);
    expect(run.ended).toBeUndefined();
    await carriedOut();
    expect(run.ended).toMatchObject({ on: 'jobledger-east-new' });
    expect(stateNow().folded.map(({ id }) => id)).toContain(later.id);
  });

  it('stays under its build while its state is too large for the input of a run', async () => {
    const state = { ...INITIAL_STATE, requested: ['x'.repeat(6 * 1024 * 1024)] };
    const run = await started([aJob(one)], { state });
    await carriedOut();
    await ask(STATE_FORMAT);
    expect(run.ended).toBeUndefined();
  });

  it('stays under its build when the other build has another state format', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    await ask('3/another');
    expect(run.ended).toBeUndefined();
  });
});

describe('the commands of a decision in a workflow run', () => {
  it('are carried out by an ordinary activity when the local activity fails', async () => {
    await started([aJob(one)]);
    lastCall().fail(new Error('the API server is away'));
    await turn();
    expect(temporal.calls.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'local carryOut',
      'ordinary carryOut',
    ]);
    expect(temporal.calls[1]?.input).toBe(temporal.calls[0]?.input);
    await carriedOut();
    expect(temporal.calls).toHaveLength(2);
    expect(stateNow().last?.number).toBe(1);
  });

  it('are carried out by an ordinary activity at once when they delete pods', async () => {
    await started([aJob({ ...one, suspend: true }), aRunningPod({ ordinal: 0 })]);
    expect(temporal.calls.map((call) => [call.kind, ...commandKinds(call)])).toEqual([
      ['ordinary', 'DeletePods', 'WriteStatus', 'EmitEvents'],
    ]);
  });
});

describe('a user request to a workflow run', () => {
  const wishId = (signals: number): string => `${CLUSTER}/${JOB_UID}/request/run-2/${signals}`;

  it('is recorded before its decision, with an id from the run and the number of earlier signals', async () => {
    await started([aJob(one)]);
    await carriedOut();
    await asked('suspend');
    const call = lastCall();
    expect(callOrder(call).received).toMatchObject([
      {
        id: wishId(0),
        type: 'request.received',
        source: `jobledger/${CLUSTER}`,
        subject: 'default/pi',
        data: { cluster: CLUSTER, jobUid: JOB_UID, action: 'suspend', by: 'ann' },
      },
    ]);
    expect(foldedBy(call)).toContain(wishId(0));
    expect(callOrder(call).decided.data.commands).toMatchObject([
      { kind: 'SetSuspend', suspend: true, request: wishId(0) },
    ]);
  });

  it('is recorded once, before the first decision after it', async () => {
    await started([aJob(one)]);
    await asked('suspend');
    await carriedOut();
    await carriedOut();
    expect(temporal.calls.map((call) => callOrder(call).received.map(({ id }) => id))).toEqual([
      [],
      [wishId(0)],
      [],
    ]);
  });

  it('is passed to the next run when it is not recorded yet, because an earlier command has to wait', async () => {
    const retry = { errors: 1, until: START + 9000, message: 'no' };
    const state = { ...INITIAL_STATE, retries: { SetSuspend: retry } };
    const run = await started([aJob(one)], { state });
    await carriedOut();
    temporal.info.continueAsNewSuggested = true;
    await asked('suspend');
    const { state: next, received } = (run.ended as { continuedWith: JobWorkflowInput }).continuedWith;
    expect(received?.map(({ id }) => id)).toEqual([wishId(1)]);
    resetTemporal(START + 9000);
    await started([], { ...(next && { state: next }), ...(received && { received }) });
    expect(callOrder(lastCall()).received.map(({ id }) => id)).toEqual([wishId(1)]);
    expect(foldedBy(lastCall())).toContain(wishId(1));
  });
});

describe('the state of a Job in a new workflow run', () => {
  it('is read from the ledger before any decision when the dispatcher requests this', async () => {
    await started([aJob(one)]);
    await carriedOut();
    const recalled = stateNow();
    resetTemporal(START);
    const late = suspendedLater();
    await started([late], { recall: true });
    expect(temporal.calls.map(({ kind, name, input }) => ({ kind, name, input }))).toEqual([
      { kind: 'local', name: 'recall', input: JOB },
    ]);
    lastCall().complete(recalled);
    await turn();
    expect(callOrder(lastCall()).decided.data).toMatchObject({ number: 2, predecessor: recalled.last?.id });
    expect(foldedBy(lastCall()).at(-1)).toBe(late.id);
  });

  it('is read from the ledger by an ordinary activity when the local activity fails', async () => {
    await started([aJob(one)], { recall: true });
    lastCall().fail(new Error('the stream is long'));
    await turn();
    expect(temporal.calls.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'local recall',
      'ordinary recall',
    ]);
    lastCall().complete(INITIAL_STATE);
    await turn();
    expect(callOrder(lastCall()).decided.data).toMatchObject({ number: 1 });
  });

  it('is not read from the ledger when the dispatcher does not request this', async () => {
    await started([aJob(one)]);
    expect(temporal.calls.map(({ name }) => name)).toEqual(['carryOut']);
  });
});

describe('a replay of a workflow run that decides otherwise than the run did', () => {
  const outcome = (of: Partial<CarriedOut>): void =>
    lastCall().complete({ decision: 'local/another/decision/1', received: 0, answered: [], ...of });

  it('continues as a new run that reads the Job from the ledger', async () => {
    const run = await started([aJob(one)]);
    outcome({});
    await turn();
    expect(run.ended).toEqual({
      continuedWith: { job: JOB, settings: DEFAULT_SETTINGS, recall: true, received: [] },
      on: temporal.info.taskQueue,
    });
  });

  it('sends no command, and does not end, before it has replayed the whole history', async () => {
    const run = await started([aJob(one)]);
    temporal.info.unsafe.isReplaying = true;
    outcome({});
    await turn();
    expect(run.ended).toBeUndefined();
    expect(temporal.calls).toHaveLength(1);
    temporal.info.unsafe.isReplaying = false;
    await observed([]);
    expect(run.ended).toMatchObject({ continuedWith: { recall: true } });
  });

  it('passes user requests that are not recorded yet to the new run, which folds them after it has read the ledger', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    const state = stateNow();
    await asked('suspend');
    await asked('resume');
    const [first] = callOrder(lastCall()).received;
    outcome({ received: 1 });
    await turn();
    const next = (run.ended as { continuedWith: JobWorkflowInput }).continuedWith;
    expect(next).toMatchObject({ recall: true, received: [{ data: { action: 'resume' } }] });
    expect(next.received?.map(({ id }) => id)).not.toContain(first?.id);
    resetTemporal(START);
    await started([], next);
    lastCall().complete(state);
    await turn();
    const ids = next.received?.map(({ id }) => id) ?? [];
    expect(callOrder(lastCall()).received.map(({ id }) => id)).toEqual(ids);
    expect(foldedBy(lastCall())).toEqual(expect.arrayContaining(ids));
  });
});

describe('a run without the last decisions of the ledger, as in an old copy of Temporal', () => {
  const signalAfter = async (decided: number): Promise<void> => {
    const payload = { facts: [suspendedLater()], settings: DEFAULT_SETTINGS, decided };
    temporal.handlers.get('observe')?.(payload);
    await turn();
  };

  it('decides nothing, and continues as a new run that reads the Job from the ledger', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    const calls = temporal.calls.length;
    await signalAfter(2);
    expect(temporal.calls).toHaveLength(calls);
    expect(run.ended).toEqual({
      continuedWith: { job: JOB, settings: DEFAULT_SETTINGS, recall: true, recalledFor: 2, received: [] },
      on: temporal.info.taskQueue,
    });
  });

  it('passes user requests that are not recorded yet to the new run', async () => {
    const run = await started([aJob(one)]);
    await asked('suspend');
    temporal.handlers.get('observe')?.({ facts: [], settings: DEFAULT_SETTINGS, decided: 9 });
    await carriedOut();
    expect(run.ended).toMatchObject({
      continuedWith: { recalledFor: 9, received: [{ data: { action: 'suspend' } }] },
    });
  });

  it('goes on when it has made this decision itself', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    await signalAfter(1);
    expect(run.ended).toBeUndefined();
    expect(callOrder(lastCall()).decided.data).toMatchObject({ number: 2 });
  });

  it('recalls once for a number, even if the effective decisions of the ledger do not reach this number', async () => {
    const run = await started([], { recall: true, recalledFor: 5 });
    lastCall().complete(INITIAL_STATE);
    await turn();
    await signalAfter(5);
    expect(callOrder(lastCall()).decided.data).toMatchObject({ number: 1 });
    expect(run.ended).toBeUndefined();
  });
});

describe('the workflow of a Job', () => {
  it('returns after the Job is deleted and its pods are released', async () => {
    const run = await started([aJob(one), aRunningPod({ name: 'left' }), jobDeleted()]);
    expect(commandKinds(lastCall())).toEqual(['ReleasePods']);
    expect(run.ended).toBeUndefined();
    await carriedOut(one, ['left']);
    expect(run.ended).toBe('returned');
  });

  it('returns after the Job has finished', async () => {
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: at(0) }];
    const run = await started([aJob({ ...one, status: { conditions, succeeded: 1 } })]);
    expect(run.ended).toBe('returned');
  });

  it('does not return while the Job runs', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    expect(run.ended).toBeUndefined();
  });
});

describe('the timer of a workflow run', () => {
  /** When a pod that was never observed is looked up (J-3.21). */
  const LOOKS_AGAIN = START + 60_000;
  /** Without the timers that hold the time of the workflow task during a local activity. */
  const alarms = (): typeof temporal.timers =>
    temporal.timers.filter(({ firesAt }) => firesAt <= LOOKS_AGAIN);

  it('is not set for the first look-up of pods in a new run, because the dispatcher signals the run at that time', async () => {
    await started([aJob(one)]);
    await carriedOut();
    expect(alarms()).toEqual([]);
    await passTo(LOOKS_AGAIN);
    await observed([]);
    expect(commandKinds(lastCall())).toEqual(['LookUpPods']);
  });

  it('is set for the look-up of pods when the signal of the dispatcher came too early', async () => {
    await started([aJob(one)]);
    await carriedOut();
    await passTo(LOOKS_AGAIN - 1);
    await observed([]);
    await passTo(LOOKS_AGAIN);
    expect(commandKinds(lastCall())).toEqual(['LookUpPods']);
  });

  it.each([
    [30, 'DeletePods'],
    [300, 'LookUpPods'],
  ])('is set for a deadline of %d s, at which the run sends %s', async (seconds, first) => {
    const job = { ...one, activeDeadlineSeconds: seconds };
    await started([aJob(job)]);
    await carriedOut(job);
    const set = temporal.timers.filter(({ isCancelled }) => !isCancelled).map(({ firesAt }) => firesAt);
    expect(set).toEqual([START + seconds * 1000]);
    await passTo(START + seconds * 1000);
    expect(commandKinds(lastCall())).toContain(first);
  });

  it('is set to the next time at which a decision is due, and then makes the run decide', async () => {
    await started([aJob(one)]);
    temporal.now += 300;
    await carriedOut();
    await observed([]);
    expect(alarms().map(({ firesAt }) => firesAt)).toEqual([LOOKS_AGAIN]);
    await passTo(LOOKS_AGAIN - 1);
    expect(temporal.calls).toHaveLength(1);
    await passTo(LOOKS_AGAIN);
    expect(commandKinds(lastCall())).toEqual(['LookUpPods']);
  });

  it('is not set again for the same instant', async () => {
    await started([aJob(one)]);
    await carriedOut();
    temporal.now += 500;
    await observed([]);
    expect(alarms()).toMatchObject([{ firesAt: LOOKS_AGAIN, isCancelled: false }]);
  });

  it('is cancelled when no later decision is due any more', async () => {
    await started([aJob(one)]);
    const [created] = await carriedOut();
    const outcome = created?.data.outcome;
    const pod = outcome?.kind === 'CreatePods' ? outcome.pods[0] : undefined;
    const uid = pod?.result === 'created' ? pod.uid : '';
    await observed([]);
    await observed([aPendingPod({ uid, name: pod?.name ?? '', version: '900000' })]);
    expect(alarms()).toMatchObject([{ firesAt: LOOKS_AGAIN, isCancelled: true }]);
  });

  it('is set while a local activity runs, so that a replay has the same time, and is cancelled after it', async () => {
    await started([aJob(one)]);
    expect(temporal.calls.map(({ kind }) => kind)).toEqual(['local']);
    expect(temporal.timers).toMatchObject([{ isCancelled: false }]);
    await carriedOut();
    expect(temporal.timers[0]).toMatchObject({ isCancelled: true });
  });
});

describe('a workflow run whose decision depends on the APIs of its cluster (J-8.1, J-8.20)', () => {
  const gang = { completionMode: 'Indexed', completions: 2, parallelism: 2 };
  const activitiesStarted = (): string[] => temporal.calls.map(({ kind, name }) => `${kind} ${name}`);
  const questions = (): number => activitiesStarted().filter((call) => call.includes('schedulingApi')).length;

  /** Started with a signal of a dispatcher that has gang scheduling on. */
  async function startedWithGangs(job: JobFields): Promise<void> {
    const settings: Settings = { ...DEFAULT_SETTINGS, gangScheduling: 'where-served' };
    await started([aJob(job)], { settings });
  }

  async function serves(api: SchedulingApi): Promise<void> {
    lastCall().complete(api);
    await turn();
  }

  /** The outcome of the only command of the decision. */
  async function ensured(found: Gang): Promise<void> {
    const { decided } = callOrder(lastCall());
    const outcome = { kind: 'EnsureGang', result: 'done', gang: found, at: Date.now() } as const;
    const data = { cluster: CLUSTER, jobUid: JOB_UID, decision: decided.id, command: 0, attempt: 1, outcome };
    const event = {
      id: `of ${decided.id}`,
      source: '',
      subject: '',
      digest: '',
      type: 'outcome.recorded',
      data,
    };
    lastCall().complete({ decision: decided.id, received: 0, answered: [event] });
    await turn();
  }

  it.each<[SchedulingApi, string[]]>([
    ['served', ['EnsureGang']],
    ['v1beta1', ['EnsureGang']],
    ['not-served', ['CreatePods', 'WriteStatus']],
  ])('decides after the answer, %s, which it records with the decision', async (api, commands) => {
    await startedWithGangs(gang);
    expect(activitiesStarted()).toEqual(['local schedulingApi']);
    await serves(api);
    expect(commandKinds(lastCall())).toEqual(commands);
    expect(callOrder(lastCall()).decided.data.settings.gangScheduling).toBe(api);
  });

  it('asks for the APIs at most once in a minute, whatever later signals contain', async () => {
    await startedWithGangs(gang);
    await serves('not-served');
    await observed([aJob({ ...gang, generation: 2, suspend: true })], { gangScheduling: 'where-served' });
    await carriedOut(gang);
    expect(questions()).toBe(1);
  });

  it('asks again for the APIs of a gang of Kubernetes 1.36 after five minutes, even without another event (J-8.27)', async () => {
    await startedWithGangs(gang);
    await serves('served');
    await ensured({ workload: 'w', podGroup: 'g' });
    await carriedOut(gang);
    expect(questions()).toBe(1);
    await passTo(START + 300_000);
    expect(questions()).toBe(2);
    await serves('v1beta1');
    expect(commandKinds(lastCall())).toEqual(['EnsureGang']);
    expect(callOrder(lastCall()).decided.data.settings.gangScheduling).toBe('v1beta1');
  });

  it('asks for the APIs by an ordinary activity when the local activity fails', async () => {
    await startedWithGangs(gang);
    lastCall().fail(new Error('no answer'));
    await turn();
    expect(activitiesStarted()).toEqual(['local schedulingApi', 'ordinary schedulingApi']);
  });

  it.each<[string, JobFields, Settings['gangScheduling']]>([
    ['another object controls the Job', { ...one, owner: 'parent' }, 'where-served'],
    ['gang scheduling is off', gang, undefined],
  ])('decides without asking for the APIs when %s', async (_case, job, gangScheduling) => {
    await started([aJob(job)], {
      settings: { ...DEFAULT_SETTINGS, ...(gangScheduling && { gangScheduling }) },
    });
    expect(activitiesStarted()).toEqual(['local carryOut']);
  });
});

describe('a workflow run whose commands have no effect', () => {
  async function nothingComesOfIt(): Promise<void> {
    const { decided } = lastCall().input as CarryOutInput;
    lastCall().complete({ decision: decided.id, received: 0, answered: [] });
    await turn();
  }

  it('reports after 100 decisions that it repeats one decision, and waits before each repetition, longer each time', async () => {
    await started([aJob(one)]);
    for (let decisions = 0; decisions <= 100; decisions += 1) await nothingComesOfIt();
    const fault = 'the same is decided again and again: CreatePods, WriteStatus';
    expect(lastCall()).toMatchObject({ name: 'reportFault', input: { job: JOB, fault, goesOn: true } });
    const { length: calls } = temporal.calls;
    lastCall().complete(undefined);
    await turn();
    expect(temporal.calls).toHaveLength(calls);
    await passTo(START + 1000);
    expect(temporal.calls).toHaveLength(calls + 1);
    await nothingComesOfIt();
    await passTo(START + 2999);
    expect(temporal.calls).toHaveLength(calls + 1);
    await passTo(START + 3000);
    expect(temporal.calls).toHaveLength(calls + 2);
    expect(lastCall().name).toBe('carryOut');
  });
});

describe('a workflow run whose core cannot fold a fact', () => {
  /** As the record of a Job that names the UID of this one as its CronJob. */
  const unusable = { ...aJob(one), job: { uid: 'other' } } as unknown as Fact;
  const fault = "Cannot read properties of undefined (reading 'length')";

  it('reports the fact, and makes no further decision until another build takes over, which reads the ledger again', async () => {
    const run = await started([aJob(one)]);
    await carriedOut();
    const before = temporal.calls.length;
    await observed([unusable]);
    await observed([suspendedLater()]);
    expect(temporal.calls.slice(before).map(({ name, input }) => ({ name, input }))).toEqual([
      { name: 'reportFault', input: { job: JOB, fault } },
    ]);
    lastCall().complete(undefined);
    await turn();
    expect(run.ended).toBeUndefined();
    temporal.handlers.get('handOver')?.({
      taskQueue: 'jobledger-east-new',
      stateFormat: STATE_FORMAT,
      settings: DEFAULT_SETTINGS,
    });
    await turn();
    expect(run.ended).toMatchObject({ continuedWith: { recall: true }, on: 'jobledger-east-new' });
  });

  it('reports also a stream in the ledger that it cannot fold, and makes no decision', async () => {
    await started([aJob(one)], { recall: true });
    for (const _attempt of ['local', 'ordinary']) {
      const cause = new ApplicationFailure(fault, 'UnusableStream');
      lastCall().fail(Object.assign(new ActivityFailure('recall failed'), { cause }));
      await turn();
    }
    expect(temporal.calls.map(({ name }) => name)).toEqual(['recall', 'recall', 'reportFault']);
    expect(lastCall().input).toEqual({ job: JOB, fault });
  });
});
