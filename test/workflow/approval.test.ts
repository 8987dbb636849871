import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ControlRules, RunInput } from '../../workflows/control-loop.ts';
import * as core from '../../workflows/job/core.ts';
import type { Command } from '../../workflows/job/commands.ts';
import { withInvariants } from '../../workflows/job/decide/checked.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { Fact } from '../../workflows/job/facts.ts';
import type { Compacted } from '../../workflows/job/observe/compact.ts';
import { replay } from '../../workflows/job/record/replay.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import type { JobState } from '../../workflows/job/state.ts';
import { step, type StepDecision } from '../../workflows/job/step.ts';
import { aJob, at, CLUSTER, DECIDER, JOB_UID, jobObject, START } from '../support/builders.ts';
import { JOB } from '../support/model-cluster-workflow.ts';
import { ContinuedAsNew, resetTemporal, temporal, turn, withFakeTemporal } from './fake-temporal.ts';

const LOOP = new URL('../../workflows/control-loop.ts', import.meta.url);
const { control } = await withFakeTemporal<typeof import('../../workflows/control-loop.ts')>(LOOP);

const PRECONDITIONS = { resourceVersion: '1', generation: 1, succeeded: 0, failed: 0, deadline: null };

type Input = RunInput<JobState, Compacted, Settings>;

/** The decisions to carry out, with what the worker is to answer, and what the run continues with. */
interface Played {
  orders: { decided: Unstamped<JobDecided>; done: () => void }[];
  next: Input | null;
}

/** A core with a bug: it always wants as many pods more than the Job may have. */
function tooMany(pods: number): Command {
  const refs = Array.from({ length: pods }, (_none, ordinal) => ({ ordinal, name: `pi-${ordinal}` }));
  return {
    kind: 'CreatePods',
    finalizer: 'f',
    preconditions: PRECONDITIONS,
    pods: refs,
    why: { rule: 'J-5.13', message: 'planted' },
  };
}

/** A run of the workflow's control loop; `wants`: the pods that the core wants, none after it has created some. */
async function started(input: Partial<Input>, wants: { pods: number }, recalled?: JobState): Promise<Played> {
  const played: Played = { orders: [], next: null };
  const decide = (state: JobState) =>
    withInvariants(state, {
      nextDecisionAt: null,
      waiting: null,
      commands: wants.pods === 0 ? [] : [tooMany(wants.pods)],
    });
  const rules: ControlRules<JobState, Compacted, Settings, StepDecision> = {
    initialState: core.INITIAL_STATE,
    stateFormat: 'planted',
    fold: core.fold,
    step: (state, now, settings) => step({ ...core, decide }, { decider: DECIDER, state, now, settings }),
    isOver: () => false,
    recall: () => Promise.resolve(recalled ?? core.INITIAL_STATE),
    reportFault: (fault) => Promise.reject(new Error(fault)),
    carryOut: ({ decided }) =>
      new Promise((resolve) => {
        const done = (): void => resolve({ decision: decided.id, received: 0, answered: [] });
        played.orders.push({ decided, done });
      }),
  };
  control({ job: JOB, settings: DEFAULT_SETTINGS, recall: false, ...input }, rules).catch(
    (error: unknown) => {
      if (!(error instanceof ContinuedAsNew)) throw error;
      played.next = error.input as Input;
    },
  );
  await turn();
  return played;
}

async function observed(...facts: Fact[]): Promise<void> {
  temporal.handlers.get('observe')?.({ facts, settings: DEFAULT_SETTINGS });
  await turn();
}

function kindsIn({ orders }: Played): string[][] {
  return orders.map(({ decided }) => decided.data.commands.map(({ kind }) => kind));
}

async function lastDone({ orders }: Played): Promise<void> {
  orders.at(-1)?.done();
  await turn();
}

function approvalFact({ orders }: Played): Extract<Fact, { type: 'request.received' }> {
  const { number: decisionNumber = 0, broken = [] } = orders[0]?.decided.data ?? {};
  const id = `${CLUSTER}/${JOB_UID}/request/1`;
  return { id, digest: id, type: 'request.received', action: 'approve', by: 'ann', decisionNumber, broken };
}

beforeEach(() => {
  resetTemporal(START);
  jest.spyOn(Date, 'now').mockImplementation(() => temporal.now);
});

afterEach(() => {
  jest.restoreAllMocks();
});

describe('a run whose decision is withheld (J-18.2)', () => {
  it('carries the decision out when its approval arrives, and the approval does not apply to a later decision', async () => {
    const wants = { pods: 9 };
    const run = await started({ facts: [aJob({ parallelism: 1 })] }, wants);
    await lastDone(run);
    const approval = approvalFact(run);
    await observed(approval);
    expect(kindsIn(run)).toEqual([['EmitEvents'], ['CreatePods']]);
    expect(run.orders[1]?.decided.data).toMatchObject({
      folded: [{ id: approval.id }],
      commands: [{ why: { message: expect.stringContaining('approved by ann') } }],
    });
    wants.pods = 0;
    await lastDone(run);
    expect(kindsIn(run)).toEqual([['EmitEvents'], ['CreatePods'], []]);
    wants.pods = 9;
    await lastDone(run);
    expect(kindsIn(run).at(-1)).toEqual(['EmitEvents']);
  });

  it('retains an approval that arrives while it continues as new', async () => {
    const run = await started({ facts: [aJob({ parallelism: 1 })] }, { pods: 9 });
    temporal.info.continueAsNewSuggested = true;
    await observed(approvalFact(run));
    await lastDone(run);
    expect(run.next?.state?.approval).toMatchObject({ by: 'ann' });
    resetTemporal(START);
    const { next } = run;
    const again = await started(JSON.parse(JSON.stringify(next)) as Input, { pods: 9 });
    expect(kindsIn(again)).toEqual([['CreatePods']]);
  });

  it('finds its approval in the ledger when it starts again, even if a superseded decision has folded the approval', async () => {
    const run = await started({ facts: [] }, { pods: 9 });
    await lastDone(run);
    const [withheld] = run.orders;
    if (withheld === undefined) throw new Error('there is a decision');
    const of = { cluster: CLUSTER, jobUid: JOB_UID };
    const { id, digest, action, by, decisionNumber, broken } = approvalFact(run) as never as Record<
      string,
      string
    >;
    const envelope = { source: 'jobledger/requests', subject: 'default/pi', time: at(1) };
    const request = {
      ...envelope,
      id,
      digest,
      type: 'request.received',
      data: { ...of, action, by, decisionNumber, broken },
    };
    const recorded = { ...withheld.decided, time: at(1) };
    const { data } = recorded;
    const folded = [{ id, digest }];
    const superseded = { ...recorded, id: 'superseded', data: { ...data, now: data.now - 1, folded } };
    for (const stream of [
      [recorded, request],
      [request, superseded, recorded],
    ]) {
      resetTemporal(START);
      const state = replay(stream as unknown as JobEvent[]);
      const again = await started({ recall: true }, { pods: 9 }, state);
      expect(kindsIn(again)).toEqual([['CreatePods']]);
    }
  });
});

describe('a tenant of the cluster', () => {
  it('cannot approve a decision by a text on a Job', () => {
    const object = jobObject({ parallelism: 1 });
    object.metadata.annotations = { 'jobledger.dev/approve': 'all', approval: '{"by":"ann","broken":[]}' };
    const event = {
      id: 'job',
      digest: 'd',
      type: 'job.observed',
      data: { cluster: CLUSTER, jobUid: JOB_UID, object },
    };
    const state = core.fold(core.INITIAL_STATE, [core.compact(event as never) as Fact]);
    expect(state.approval).toBeNull();
  });
});
