import { describe, expect, it } from '@jest/globals';
import * as cronCore from '../../../workflows/cron-job/core.ts';
import type { CronCommand } from '../../../workflows/cron-job/commands.ts';
import { withInvariants as withCronInvariants } from '../../../workflows/cron-job/decide/checked.ts';
import type { CronVerdict } from '../../../workflows/cron-job/decide/situation.ts';
import type { CronJobFacts } from '../../../workflows/cron-job/facts.ts';
import type { CronJobState } from '../../../workflows/cron-job/state.ts';
import { redecide } from '../../../workflows/history/verify/redecide.ts';
import type { ApprovalRequest } from '../../../workflows/decision/invariants/approval.ts';
import * as jobCore from '../../../workflows/job/core.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { withInvariants as withJobInvariants } from '../../../workflows/job/decide/checked.ts';
import type { Verdict } from '../../../workflows/job/decide/verdict.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import type { JobState } from '../../../workflows/job/state.ts';
import type { AnyCompacted, AnyCore, AnyDecided, AnyState } from '../../../workflows/kind.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import * as placementCore from '../../../workflows/placement/core.ts';
import { withInvariants as withPlacementInvariants } from '../../../workflows/placement/decide/checked.ts';
import type { PlacementVerdict } from '../../../workflows/placement/decide/situation.ts';
import type { PlacedJobFacts } from '../../../workflows/placement/facts.ts';
import type { PlacementGrant, PlacementState } from '../../../workflows/placement/state.ts';
import { aJob, aRunningPod, userRequest, DECIDER, START } from '../../support/builders.ts';
import { given } from '../../support/given.ts';

const WHY = { rule: 'J-5.13', message: 'planted' } as const;
const NOTHING = { nextDecisionAt: null, waiting: null } as const;
const HELD = { ...NOTHING, waiting: { rule: 'J-3.2', message: 'held back' } } as const;

/** A life of one kind, whose core decides what the test plants. */
interface PlantedLife {
  state: AnyState;
  /** The decision on what has arrived; null when there is nothing to record. */
  decide(planted: Planted, ...facts: AnyCompacted[]): AnyDecided | null;
}

/** What the core wants: nothing wrong, either of two wrong creations, both of them, or to wait; and what only one kind may want. */
type Planted = 'right' | 'wrong' | 'otherwise wrong' | 'both' | 'held' | PlantedOfOne;
type PlantedOfOne = 'given to south' | 'given to north' | 'replaces one' | 'replaces two';
type Plans<V> = Record<Exclude<Planted, PlantedOfOne>, V> & { [One in PlantedOfOne]?: V };

interface PlantedKind {
  core: AnyCore;
  state: AnyState;
  /** The fields of its streams. */
  decider: object;
  creates: string;
  plan: (planted: Planted) => unknown;
  check: (state: AnyState, verdict: never) => unknown;
}

function startLife({ core, state: first, decider, plan, check }: PlantedKind): PlantedLife {
  type Recorder = { isNews: (...all: unknown[]) => boolean; decisionRecord: (...all: unknown[]) => unknown };
  const recorder = core as unknown as Recorder;
  const planted: { next: Planted } = { next: 'right' };
  const decide = (state: AnyState): unknown => check(state, plan(planted.next) as never);
  const life: PlantedLife = {
    state: first,
    decide(next, ...facts) {
      planted.next = next;
      const before = life.state;
      const state = core.fold(before, facts);
      const verdict = decide(state);
      life.state = state;
      if (!recorder.isNews(state, verdict)) return null;
      const record = recorder.decisionRecord(decider, state, verdict, START, DEFAULT_SETTINGS);
      const { decided } = record as { decided: AnyDecided };
      life.state = core.fold(state, [decided]);
      // The ledger alone gives the same decision.
      const again = { ...core, decide } as unknown as AnyCore;
      const { findings } = redecide(again, decided, before, facts, decided.data.folded);
      expect(findings.filter(({ type }) => type === 'different')).toEqual([]);
      return decided;
    },
  };
  return life;
}

function aJobLife(): PlantedKind {
  const { state } = given(aJob({ parallelism: 2, completions: 4 })).and(aRunningPod({ ordinal: 0 }));
  const preconditions = { resourceVersion: '1', generation: 1, succeeded: 0, failed: 0, deadline: null };
  const creation = (count: number): Command => {
    const pods = Array.from({ length: count }, (_none, ordinal) => ({ ordinal, name: `pi-${ordinal}` }));
    return { kind: 'CreatePods', finalizer: 'f', preconditions, pods, why: WHY };
  };
  const release: Command = { kind: 'ReleasePods', pods: [{ uid: 'unknown', name: 'other' }], why: WHY };
  const plans: Plans<Verdict> = {
    right: { ...NOTHING, commands: [] },
    held: { ...HELD, commands: [] },
    wrong: { ...NOTHING, commands: [creation(2)] },
    'otherwise wrong': { ...NOTHING, commands: [creation(3)] },
    both: { ...NOTHING, commands: [creation(2), release] },
  };
  const core = jobCore as unknown as AnyCore;
  const check = (at: AnyState, verdict: never): unknown => withJobInvariants(at as JobState, verdict);
  return { core, state, decider: DECIDER, creates: 'CreatePods', plan: (planted) => plans[planted], check };
}

function aCronJobLife(): PlantedKind {
  const [AT, NEXT, LATER] = ['2026-03-01T12:00:00Z', '2026-03-01T12:01:00Z', '2026-03-01T12:02:00Z'];
  const RUNNING = { kind: 'Job', name: 'tick-1', namespace: 'default', uid: 'one' };
  const cronJob = {
    resourceVersion: '1',
    generation: 1,
    namespace: 'default',
    name: 'tick',
    createdAt: 0,
    spec: { schedule: '* * * * *', concurrencyPolicy: 'Forbid' },
    status: { active: [RUNNING], lastScheduleTime: AT },
  } as unknown as CronJobFacts;
  const creation = (scheduledAt: string): CronCommand => ({
    kind: 'CreateJob',
    name: 'tick-2',
    scheduledAt,
    annotation: scheduledAt,
    preconditions: { generation: 1, deadline: null },
    why: WHY,
  });
  const replacement = (uid: string): CronCommand => ({
    kind: 'ReplaceJobs',
    jobs: [{ uid, name: 'tick-0' }],
    preconditions: { generation: 1, deadline: null },
    why: WHY,
  });
  const deletion: CronCommand = { kind: 'DeleteJobs', jobs: [{ uid: 'x', name: 'tick-x' }], why: WHY };
  const plans: Plans<CronVerdict> = {
    right: { ...NOTHING, commands: [] },
    held: { ...HELD, commands: [] },
    wrong: { ...NOTHING, commands: [creation(NEXT)] },
    'otherwise wrong': { ...NOTHING, commands: [creation(LATER)] },
    both: { ...NOTHING, commands: [creation(NEXT), deletion] },
    'replaces one': { ...NOTHING, commands: [replacement('a')] },
    'replaces two': { ...NOTHING, commands: [replacement('b')] },
  };
  const core = cronCore as unknown as AnyCore;
  const state = { ...cronCore.INITIAL_STATE, cronJob };
  const decider = { cluster: 'east', cronJobUid: 'cron-uid', subject: 'default/tick', firstRunId: 'run-1' };
  const check = (at: AnyState, verdict: never): unknown => withCronInvariants(at as CronJobState, verdict);
  return { core, state, decider, creates: 'CreateJob', plan: (planted) => plans[planted], check };
}

function aPlacedJobLife(): PlantedKind {
  const job = { cluster: 'east', spec: { parallelism: 3 }, status: {} } as unknown as PlacedJobFacts;
  const grant = (number: number, cluster: string): PlacementGrant => ({
    number,
    cluster,
    name: 'pi',
    since: START,
    mark: `mark-${number}`,
    member: null,
    requests: 1,
    askedAt: START,
  });
  const end = (of: number, cluster: string): PlacementCommand => ({
    kind: 'EndGrant',
    cluster,
    grant: of,
    name: 'pi',
    reason: 'refused',
    why: WHY,
  });
  const creation = (cluster: string): PlacementCommand => ({
    kind: 'CreateMember',
    cluster,
    grant: 3,
    name: 'pi-m3',
    spec: { parallelism: 1 },
    why: WHY,
  });
  const removal: PlacementCommand = {
    kind: 'DeleteMember',
    cluster: 'west',
    grant: 1,
    name: 'pi',
    uid: 'x',
    why: WHY,
  };
  const plans: Plans<PlacementVerdict> = {
    right: { ...NOTHING, commands: [] },
    held: { ...HELD, commands: [] },
    wrong: { ...NOTHING, commands: [end(1, 'west')] },
    'otherwise wrong': { ...NOTHING, commands: [end(2, 'north')] },
    both: { ...NOTHING, commands: [end(1, 'west'), removal] },
    'given to south': { ...NOTHING, commands: [creation('south')] },
    'given to north': { ...NOTHING, commands: [creation('north')] },
  };
  const core = placementCore as unknown as AnyCore;
  const grants = [grant(1, 'west'), grant(2, 'north')];
  const state = { ...placementCore.INITIAL_STATE, job, grants };
  const of = { cluster: 'east', jobUid: 'job-uid', placedJobUid: 'job-uid' };
  const decider = { ...of, subject: 'default/pi', firstRunId: 'run-1' };
  const check = (at: AnyState, verdict: never): unknown =>
    withPlacementInvariants(at as PlacementState, verdict);
  return { core, state, decider, creates: 'EndGrant', plan: (planted) => plans[planted], check };
}

let requests = 0;

/** The fact of a person's approval of a decision. */
function approveDecision(decided: AnyDecided | null): AnyCompacted & ApprovalRequest {
  requests += 1;
  const id = `request-${requests}`;
  const { number: decisionNumber = 0, broken = [] } = decided?.data ?? {};
  return { id, digest: id, type: 'request.received', action: 'approve', by: 'ann', decisionNumber, broken };
}

function commandKinds(decided: AnyDecided | null): string[] {
  return (decided?.data.commands ?? []).map(({ kind }) => kind);
}

describe.each([
  ['Job', aJobLife],
  ['CronJob', aCronJobLife],
  ['placed Job', aPlacedJobLife],
])('a withheld decision about a %s (J-18.2)', (_kind, make) => {
  const planted = make();
  const { creates } = planted;
  const withheld = (): { life: PlantedLife; decided: AnyDecided | null } => {
    const life = startLife(planted);
    const decided = life.decide('wrong');
    expect(commandKinds(decided)).toEqual(['EmitEvents']);
    return { life, decided };
  };

  it('is carried out after a person has approved it, names the person, and still names the broken invariant', () => {
    const { life, decided } = withheld();
    const message = decided?.data.broken?.[0]?.message;
    const approval = approveDecision(decided);
    const carriedOut = life.decide('wrong', approval);
    expect(carriedOut?.data).toMatchObject({
      commands: [
        {
          kind: creates,
          why: { rule: 'J-18.2', message: `planted; approved by ann, although ${message}` },
        },
      ],
      waiting: null,
      broken: decided?.data.broken,
      folded: [{ id: approval.id, digest: approval.digest }],
    });
  });

  it('is withheld again when it breaks another invariant, which ends the approval', () => {
    const { life, decided } = withheld();
    const other = life.decide('otherwise wrong', approveDecision(decided));
    expect(commandKinds(other)).toEqual(['EmitEvents']);
    expect(other?.data.waiting?.rule).toBe('J-18.1');
    expect(life.state.approval).toBeNull();
    expect(commandKinds(life.decide('wrong'))).toEqual(['EmitEvents']);
  });

  it('is withheld when it also breaks an invariant that no person has approved', () => {
    const { life, decided } = withheld();
    const both = life.decide('both', approveDecision(decided));
    expect(commandKinds(both)).not.toContain(creates);
    expect(both?.data.broken).toHaveLength(2);
  });

  it('stays approved until a decision breaks no invariant', () => {
    const { life, decided } = withheld();
    expect(commandKinds(life.decide('wrong', approveDecision(decided)))).toEqual([creates]);
    expect(life.state.approval).not.toBeNull();
    expect(commandKinds(life.decide('right'))).toEqual([]);
    expect(life.state.approval).toBeNull();
    expect(commandKinds(life.decide('wrong'))).toEqual(['EmitEvents']);
  });

  it('loses its approval, as the ledger records, through a decision without commands', () => {
    const { life, decided } = withheld();
    life.decide('right');
    const approval = approveDecision(decided);
    const ending = life.decide('right', approval);
    expect(ending?.data).toMatchObject({ commands: [], folded: [{ id: approval.id }] });
    expect(life.state.approval).toBeNull();
    expect(life.decide('right')).toBeNull();
  });

  it('loses its approval through a decision that waits', () => {
    const { life, decided } = withheld();
    life.decide('wrong', approveDecision(decided));
    expect(life.decide('held')?.data.waiting?.rule).toBe('J-3.2');
    expect(life.state.approval).toBeNull();
  });

  it('is not approved again by the same request when it is read a second time', () => {
    const { life, decided } = withheld();
    const approval = approveDecision(decided);
    life.decide('wrong', approval);
    life.decide('right');
    expect(commandKinds(life.decide('wrong', approval))).toEqual(['EmitEvents']);
    expect(life.state.approval).toBeNull();
  });

  it('is not approved by a request that arrives after decisions without a broken invariant', () => {
    const { life, decided } = withheld();
    life.decide('right');
    life.decide('wrong');
    life.decide('wrong', approveDecision(decided));
    expect(commandKinds(life.decide('wrong'))).not.toContain(creates);
    expect(life.state.approval).toBeNull();
  });

  it('is not approved by a request that arrives after a decision that broke another invariant', () => {
    const { life, decided } = withheld();
    life.decide('otherwise wrong');
    const last = life.decide('wrong');
    expect(commandKinds(life.decide('wrong', approveDecision(decided)))).not.toContain(creates);
    expect(commandKinds(life.decide('wrong', approveDecision(last)))).toEqual([creates]);
  });

  it('is approved by a request that arrives after more decisions with the same broken invariant, or before the decision', () => {
    const { life, decided } = withheld();
    const { state } = life;
    const other = { ...decided, id: 'other', data: { ...decided?.data, number: 2 } } as AnyDecided;
    life.state = planted.core.fold(state, [other]);
    expect(commandKinds(life.decide('wrong', approveDecision(decided)))).toEqual([creates]);
    // A run that started again makes the decision once more.
    life.state = planted.state;
    expect(commandKinds(life.decide('wrong', approveDecision(decided)))).toEqual([creates]);
  });

  it('is approved only by the latest request', () => {
    const { life, decided } = withheld();
    const empty = { ...approveDecision(decided), broken: [] };
    expect(commandKinds(life.decide('wrong', approveDecision(decided), empty))).toEqual([]);
    expect(commandKinds(life.decide('wrong', empty, approveDecision(decided)))).toEqual([creates]);
  });

  it('retains its approval in a state that is passed on as JSON', () => {
    const { life, decided } = withheld();
    const state = planted.core.fold(life.state, [approveDecision(decided)]);
    life.state = JSON.parse(JSON.stringify(state)) as AnyState;
    expect(commandKinds(life.decide('wrong'))).toEqual([creates]);
  });
});

describe('an approval of a withheld decision', () => {
  it('applies to the next decision too when that decision breaks the same invariant', () => {
    const life = startLife(aJobLife());
    const approval = approveDecision(life.decide('wrong'));
    expect(commandKinds(life.decide('wrong', approval))).toEqual(['CreatePods']);
    expect(commandKinds(life.decide('wrong'))).toEqual(['CreatePods']);
  });

  it('does not return when it is read again after many other requests', () => {
    const life = startLife(aJobLife());
    const approval = approveDecision(life.decide('wrong'));
    life.decide('wrong', approval);
    const others = Array.from({ length: 101 }, (_none, at) =>
      userRequest(at % 2 === 0 ? 'suspend' : 'resume'),
    );
    life.decide('right', ...others);
    life.decide('wrong');
    expect(commandKinds(life.decide('wrong', approval))).not.toContain('CreatePods');
    expect(commandKinds(life.decide('wrong'))).not.toContain('CreatePods');
  });

  it('is limited to the cluster that the person has seen', () => {
    const life = startLife(aPlacedJobLife());
    const approval = approveDecision(life.decide('given to south'));
    expect(commandKinds(life.decide('given to south', approval))).toEqual(['CreateMember']);
    const other = startLife(aPlacedJobLife());
    const before = approveDecision(other.decide('given to south'));
    expect(commandKinds(other.decide('given to north', before))).not.toContain('CreateMember');
  });

  it('is limited to the Job that the person has seen, not to another Job of the same name', () => {
    const life = startLife(aCronJobLife());
    const approval = approveDecision(life.decide('replaces one'));
    expect(commandKinds(life.decide('replaces two', approval))).not.toContain('ReplaceJobs');
  });

  it('permits no second start while the outcome of the first is unknown', () => {
    const life = startLife(aCronJobLife());
    const approval = approveDecision(life.decide('wrong'));
    expect(commandKinds(life.decide('wrong', approval))).toEqual(['CreateJob']);
    const again = life.decide('wrong');
    expect(commandKinds(again)).toEqual(['EmitEvents']);
    expect(again?.data.broken?.map(({ invariant }) => invariant)).toContain('start-after-an-unknown-one');
  });

  it('does not affect requests to suspend and resume (J-6.41)', () => {
    const state = jobCore.fold(given(aJob({})).state, [
      userRequest('suspend'),
      approveDecision(null) as never,
    ]);
    expect(state.requests.map(({ action }) => action)).toEqual(['suspend']);
  });

  it('is recorded for a deleted Job, and ends', () => {
    const state = jobCore.fold(given(aJob({})).state, [approveDecision(null) as never]);
    const deleted = { ...state, jobGone: true };
    expect(jobCore.isNews(deleted, jobCore.decide(deleted, START, DEFAULT_SETTINGS))).toBe(true);
  });
});
