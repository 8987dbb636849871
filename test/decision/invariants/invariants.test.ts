import { describe, expect, it } from '@jest/globals';
import { withInvariants as withJobInvariants } from '../../../workflows/job/decide/checked.ts';
import type { Command } from '../../../workflows/job/commands.ts';
import { checkJob } from '../../../workflows/job/invariants.ts';
import { checkPlacement } from '../../../workflows/placement/invariants/check-placement.ts';
import { redecide } from '../../../workflows/history/verify/redecide.ts';
import type { AnyCore, AnyDecided } from '../../../workflows/kind.ts';
import * as jobCore from '../../../workflows/job/core.ts';
import { DEFAULT_SETTINGS } from '../../../workflows/job/settings.ts';
import type { PlacementCommand } from '../../../workflows/placement/commands.ts';
import * as placementCore from '../../../workflows/placement/core.ts';
import { withInvariants as withPlacementInvariants } from '../../../workflows/placement/decide/checked.ts';
import type { PlacementGrant, PlacementState } from '../../../workflows/placement/state.ts';
import type { MemberFacts, PlacedJobFacts } from '../../../workflows/placement/facts.ts';
import { aJob, aRunningPod, DECIDER, START } from '../../support/builders.ts';
import { given } from '../../support/given.ts';

const WHY = { rule: 'J-5.13', message: 'planted' } as const;
const NOTHING = { nextDecisionAt: null, waiting: null } as const;

function creation(count: number): Command {
  const pods = Array.from({ length: count }, (_none, ordinal) => ({ ordinal, name: `pi-${ordinal}` }));
  const preconditions = { resourceVersion: '1', generation: 1, succeeded: 0, failed: 0, deadline: null };
  return { kind: 'CreatePods', finalizer: 'f', preconditions, pods, why: WHY };
}

function status(from: object, to: object): Command {
  const command = { kind: 'WriteStatus', resourceVersion: '1', generation: 1, from, to, why: WHY };
  return { ...command, counted: { succeeded: [], failed: [] } } as unknown as Command;
}

describe('an invariant about decisions on Jobs', () => {
  const { state } = given(aJob({ parallelism: 2, completions: 4 })).and(aRunningPod({ ordinal: 0 }));
  const indexed = given(aJob({ parallelism: 2, completions: 4, completionMode: 'Indexed' })).state;

  it.each<[string, Command[], string]>([
    [
      'more pods are created than may run',
      [creation(2)],
      '2 pods would be created beside 1 active ones, and the parallelism is 2',
    ],
    [
      'a command names a pod that is not recorded',
      [{ kind: 'ReleasePods', pods: [{ uid: 'unknown', name: 'other' }], why: WHY }],
      'ReleasePods names the pod other (unknown), which is not recorded',
    ],
    ['failed falls', [status({ failed: 2 }, { failed: 1 })], 'failed would fall from 2 to 1'],
    ['succeeded falls', [status({ succeeded: 2 }, {})], 'succeeded would fall from 2 to 0'],
  ])('is broken when %s', (_case, commands, message) => {
    expect(checkJob(state, commands).map((each) => each.message)).toEqual([message]);
  });

  it('is broken when a completed index is lost, but not when the index is out of range', () => {
    const lost = [status({ completedIndexes: '0-2,7' }, { completedIndexes: '0,2' })];
    expect(checkJob(indexed, lost)).toEqual([
      { invariant: 'falling-counter', message: 'the completed indexes 1 would be lost' },
    ]);
    expect(
      checkJob(indexed, [status({ completedIndexes: '0,7', succeeded: 2 }, { completedIndexes: '0' })]),
    ).toEqual([]);
  });

  it('is not broken by the creation of missing pods', () => {
    expect(checkJob(state, [creation(1), status({ failed: 1 }, { failed: 1 })])).toEqual([]);
  });

  it('withholds a decision: no pod is created, and one Warning Event gives the reason (J-18.1)', () => {
    const verdict = { ...NOTHING, commands: [creation(2), status({}, { active: 1 })] };
    const message =
      'nothing is created: 2 pods would be created beside 1 active ones, and the parallelism is 2';
    const why = { rule: 'J-18.1', message };
    const withheld = withJobInvariants(state, verdict);
    expect(withheld).toEqual({
      ...verdict,
      commands: [
        {
          kind: 'EmitEvents',
          events: [{ type: 'Warning', reason: 'DecisionWithheld', message }],
          why,
        },
        status({}, { active: 1 }),
      ],
      waiting: why,
      broken: [
        {
          invariant: 'creation-beyond-parallelism',
          message: '2 pods would be created beside 1 active ones, and the parallelism is 2',
        },
      ],
    });
    const again = withJobInvariants(
      { ...state, waiting: withheld.waiting },
      { ...NOTHING, commands: [creation(2)] },
    );
    expect(again.commands).toEqual([]);
    const { data } = jobCore.decisionRecord(DECIDER, state, withheld, START, DEFAULT_SETTINGS).decided;
    expect(data.broken).toEqual(withheld.broken);
  });

  it('allows the next decision that does not break the invariant', () => {
    const waiting = { rule: 'J-18.1' as const, message: 'nothing is created: …' };
    const verdict = { ...NOTHING, commands: [creation(1)] };
    expect(withJobInvariants({ ...state, waiting }, verdict)).toEqual(verdict);
  });
});

describe('an invariant about decisions on placed Jobs', () => {
  const job = {
    cluster: 'east',
    spec: { parallelism: 3, completions: 10, completionMode: 'Indexed' },
    status: {},
  } as unknown as PlacedJobFacts;
  const member = { uid: 'member-uid', status: {}, spec: {} } as MemberFacts;
  const grant: PlacementGrant = {
    number: 1,
    cluster: 'west',
    name: 'pi',
    since: START,
    mark: 'mark',
    member,
    requests: 1,
    askedAt: START,
    part: { number: 1, indexes: '0-4', parallelism: 2 },
  };
  const { part: _part, ...whole } = grant;
  const stateWith = (...grants: PlacementGrant[]): PlacementState => ({
    ...placementCore.INITIAL_STATE,
    job,
    grants,
  });
  const create = (indexes?: string): PlacementCommand => ({
    kind: 'CreateMember',
    cluster: 'north',
    grant: 2,
    name: 'pi-m2',
    spec: { parallelism: 1 },
    ...(indexes !== undefined && { indexes }),
    why: WHY,
  });
  const end: PlacementCommand = {
    kind: 'EndGrant',
    cluster: 'west',
    grant: 1,
    name: 'pi',
    reason: 'refused',
    why: WHY,
  };
  const findingTexts = (state: PlacementState, ...commands: PlacementCommand[]): string[] =>
    checkPlacement(state, commands).map(({ message }) => message);

  it('is broken when an index is granted to a second cluster', () => {
    expect(findingTexts(stateWith(grant), create('4-6'))).toEqual([
      'grant 2 in the cluster north would hold the indexes 4, which grant 1 holds',
    ]);
    expect(findingTexts(stateWith(grant), create('5-6'))).toEqual([]);
    expect(
      findingTexts(stateWith({ ...grant, ended: { at: START, reason: 'stopped' } }), create('4-6')),
    ).toEqual([]);
  });

  it('is broken when the Job is granted to a second cluster', () => {
    expect(findingTexts(stateWith(whole), create())).toEqual([
      'grant 2 in the cluster north would hold the Job, which grant 1 holds',
    ]);
  });

  it('is broken when a member would be resumed beside another member that has the Job', () => {
    const second = { ...whole, number: 2, cluster: 'north', name: 'pi-m2' };
    const resume: PlacementCommand = {
      kind: 'ChangeMember',
      cluster: 'north',
      grant: 2,
      name: 'pi-m2',
      uid: 'member-uid',
      from: { resourceVersion: '1', generation: 1 },
      spec: { suspend: false },
      why: WHY,
    };
    const texts = ['grant 2 in the cluster north would hold the Job, which grant 1 holds'];
    expect(findingTexts(stateWith(whole, second), resume)).toEqual(texts);
    expect(findingTexts(stateWith(whole, second), { ...resume, spec: { suspend: true } })).toEqual([]);
    const over = { ...whole, ended: { at: START, reason: 'stopped' as const } };
    expect(findingTexts(stateWith(over, second), resume)).toEqual([]);
    const withheld = withPlacementInvariants(stateWith(whole, second), { ...NOTHING, commands: [resume] });
    expect(withheld.commands.map(({ kind }) => kind)).toEqual(['EmitEvents']);
  });

  it('is broken when a member would get indexes that another member has not given back', () => {
    const other: PlacementGrant = {
      ...grant,
      number: 2,
      cluster: 'north',
      part: { number: 1, indexes: '5-6', parallelism: 1 },
    };
    const change: PlacementCommand = {
      kind: 'ChangeMember',
      cluster: 'north',
      grant: 2,
      name: 'pi-m2',
      uid: 'member-uid',
      from: { resourceVersion: '1', generation: 1 },
      spec: {},
      indexes: { number: 2, indexes: '3,5,6' },
      why: WHY,
    };
    const keeping = { ...grant, part: { number: 2, indexes: '0-4', keeps: '0-2', parallelism: 2 } };
    expect(findingTexts(stateWith(keeping, other), change)).toEqual([
      'grant 2 in the cluster north would hold the indexes 3, which grant 1 holds',
    ]);
  });

  it('is broken when new members could run more pods than the Job allows', () => {
    const two = { ...create('5-9'), spec: { parallelism: 2 } } as PlacementCommand;
    expect(findingTexts(stateWith(grant), two)).toEqual([
      'new members in north could run 2 pods beside 2 others, and the parallelism is 3',
    ]);
  });

  it('is broken when a grant ends as refused although its member may exist', () => {
    const unknown = { ...grant, member: null, refused: 'a policy', isDoubtful: true as const };
    const message = 'grant 1 would end as refused, and its member may exist in the cluster west';
    expect(findingTexts(stateWith(grant), end)).toEqual([message]);
    expect(findingTexts(stateWith(unknown), end)).toEqual([message]);
    const { isDoubtful: _doubt, ...sure } = unknown;
    expect(findingTexts(stateWith(sure), end)).toEqual([]);
    const restored = { ...sure, requests: 1, restoredAt: null };
    const lost =
      'grant 1 would end as refused, and the cluster west, which was restored, may have lost its member';
    expect(findingTexts(stateWith(restored), end)).toEqual([lost]);
    expect(findingTexts(stateWith({ ...restored, restoredAt: START }), end)).toEqual([]);
  });

  it('is broken when a completed index of an Indexed Job would be lost', () => {
    const write = status({ completedIndexes: '0-2,12' }, { completedIndexes: '0,2' }) as PlacementCommand;
    expect(findingTexts(stateWith(grant), write)).toEqual(['the completed indexes 1 would be lost']);
    const { spec } = job;
    const smaller = { ...stateWith(grant), job: { ...job, spec: { ...spec, completions: 1 } } };
    expect(findingTexts(smaller, write)).toEqual([]);
  });

  it('is broken when a grant ends without proof about its annotated Job', () => {
    const suspended = { conditions: [{ type: 'Suspended', status: 'True' as const }] };
    const stopped: PlacementGrant = {
      ...whole,
      member: { ...member, spec: { suspend: true }, status: suspended },
      stoppedAt: START,
      pods: { open: 0, at: START, times: 1 },
    };
    const { pods: _pods, ...unlisted } = stopped;
    const gone: PlacementGrant = { ...stopped, member, gone: true };
    const over = { conditions: [{ type: 'Complete', status: 'True' as const }] };
    const ended: PlacementGrant = { ...unlisted, member: { ...member, status: over } };
    const as = (reason: 'stopped' | 'gone' | 'ended', of: PlacementGrant): string[] =>
      findingTexts(stateWith(of), { ...end, reason });
    const says = (reason: string, lack: string): string[] => [
      `grant 1 in the cluster west would end as ${reason}, and ${lack}`,
    ];
    const [noList, others] = [
      'no list since shows that none of its pods is left',
      'pods of another Job with its mark may run',
    ];
    expect(as('stopped', stopped)).toEqual([]);
    expect(as('stopped', { ...stopped, member })).toEqual(
      says('stopped', 'its controller has not reported that its member is suspended'),
    );
    expect(as('stopped', unlisted)).toEqual(says('stopped', noList));
    expect(as('stopped', { ...stopped, pods: { open: 1, at: START, times: 1 } })).toEqual(
      says('stopped', noList),
    );
    expect(as('stopped', { ...stopped, pods: { open: 0, at: START, times: 1, isOld: true } })).toEqual(
      says('stopped', noList),
    );
    expect(as('stopped', { ...stopped, stoppedAt: START + 1 })).toEqual(says('stopped', noList));
    expect(as('stopped', { ...stopped, restoredAt: null })).toEqual(says('stopped', noList));
    expect(as('stopped', { ...stopped, replaced: ['first'] })).toEqual(says('stopped', others));
    expect(as('gone', gone)).toEqual([]);
    expect(as('gone', stopped)).toEqual(says('gone', 'its member is not gone'));
    expect(as('gone', { ...gone, missingAt: START + 1 })).toEqual(says('gone', noList));
    const seenGone = { uid: 'first', resourceVersion: '1' };
    expect(as('gone', { ...gone, seenGone })).toEqual(says('gone', others));
    expect(as('gone', { ...gone, seenGone: { ...seenGone, isOver: true } })).toEqual([]);
    expect(as('ended', ended)).toEqual([]);
    expect(as('ended', { ...ended, replaced: ['first'] })).toEqual(says('ended', others));
    expect(as('ended', stopped)).toEqual(says('ended', 'its member has no end'));
  });

  it('is broken when a command names another object than the recorded object', () => {
    const remove: PlacementCommand = {
      kind: 'DeleteMember',
      cluster: 'west',
      grant: 1,
      name: 'pi',
      uid: 'x',
      why: WHY,
    };
    expect(findingTexts(stateWith(grant), remove)).toEqual([
      'DeleteMember names the object x of the grant 1, which is not recorded',
    ]);
    expect(findingTexts(stateWith(grant), { ...remove, uid: 'member-uid' })).toEqual([]);
  });

  it('withholds the decision: no member is created and no grant ends, but an existing guard is renewed (J-18.1)', () => {
    const renew: PlacementCommand = {
      kind: 'RenewGuard',
      cluster: 'west',
      grant: 1,
      name: 'pi',
      leaseSeconds: 60,
      why: WHY,
    };
    const withheld = withPlacementInvariants(stateWith(whole), {
      ...NOTHING,
      commands: [renew, end, create()],
    });
    expect(withheld.commands.map(({ kind }) => kind)).toEqual(['EmitEvents', 'RenewGuard']);
    expect(withheld.waiting?.rule).toBe('J-18.1');
  });
});

describe('the verb verify with invariants', () => {
  const broken = [{ invariant: 'falling-counter' as const, message: 'failed would fall from 2 to 1' }];
  const verdict = { ...NOTHING, commands: [] };
  const decided = {
    id: 'decision',
    data: { ...verdict, number: 1, now: START, core: '1', settings: {}, broken },
  } as unknown as AnyDecided;
  const coreThat = (finds: typeof broken): AnyCore =>
    ({
      ...jobCore,
      fold: (state: unknown) => state,
      decide: () => ({ ...verdict, broken: finds }),
    }) as unknown as AnyCore;
  const textBy = (finds: typeof broken): string[] =>
    redecide(coreThat(finds), decided, jobCore.INITIAL_STATE, [], []).findings.map(({ message }) => message);

  it('reports a decision that breaks an invariant', () => {
    expect(textBy(broken)).toEqual(['decision 1 breaks "falling-counter": failed would fall from 2 to 1']);
  });

  it('reports a recorded finding that the core does not make again', () => {
    expect(textBy([])[0]).toBe('decision 1 differs at broken[0]');
  });
});
