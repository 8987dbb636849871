import { describe, expect, it } from '@jest/globals';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type { Guard } from '../../workflows/placement/state.ts';
import { START } from '../support/builders.ts';
import { after, aGrant, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';

const GUARD: Guard = { uid: 'guard-uid', isStarted: true, leaseSeconds: 300, renewedAt: START };
const WEST_IS_SILENT = { clusters: { west: { silentSince: START } } };
const WEST_HAS_ROOM = { candidates: { readAt: START, clusters: [{ cluster: 'west', room: 9 }] } };

function guarded(text = 'MoveWhenStopped=5m', podDeadlineSeconds = 600) {
  return aPlacedJob({ annotations: { 'if-cluster-is-lost': text }, podDeadlineSeconds });
}

function commandsWithKind(kind: PlacementCommand['kind'], commands: readonly PlacementCommand[]) {
  return commands.filter((command) => command.kind === kind);
}

describe('the guard of a member (J-16.16)', () => {
  it('is created first, and the member only after the controller of its cluster has started the guard', () => {
    const begun = decide(aStateWith(guarded()), START, WEST_HAS_ROOM);
    expect(begun.commands).toMatchObject([{ kind: 'RenewGuard', cluster: 'west', leaseSeconds: 300 }]);
    const waiting = aGrant({ member: null, guard: { ...GUARD, isStarted: false } });
    expect(decide(aStateWith(guarded(), waiting), after(0.5), {})).toMatchObject({
      commands: [],
      nextDecisionAt: after(1),
    });
    const started = decide(aStateWith(guarded(), aGrant({ member: null, guard: GUARD })), after(2), {});
    expect(started.commands).toMatchObject([
      { kind: 'CreateMember', guard: { name: 'pi-guard', uid: 'guard-uid' } },
    ]);
  });

  it('is not created for a Job whose pod template has no activeDeadlineSeconds', () => {
    const { podDeadlineSeconds: _none, ...job } = guarded();
    const verdict = decide(aStateWith(job), START, WEST_HAS_ROOM);
    expect(verdict.waiting?.message).toContain('needs spec.template.spec.activeDeadlineSeconds');
    expect(commandsWithKind('RenewGuard', verdict.commands)).toEqual([]);
  });

  it('is renewed each third of its lease', () => {
    const state = aStateWith(guarded(), aGrant({ guard: GUARD }));
    expect(commandsWithKind('RenewGuard', decide(state, after(99), {}).commands)).toEqual([]);
    expect(commandsWithKind('RenewGuard', decide(state, after(100), {}).commands)).toMatchObject([
      { uid: 'guard-uid', leaseSeconds: 300 },
    ]);
  });

  it('retains the length of its lease when the annotation of the Job changes', () => {
    for (const text of ['Wait', 'soon', 'MoveWhenStopped=1m']) {
      const state = aStateWith(guarded(text), aGrant({ guard: GUARD }));
      expect(commandsWithKind('RenewGuard', decide(state, after(10), {}).commands)).toEqual([]);
      expect(commandsWithKind('RenewGuard', decide(state, after(100), {}).commands)).toMatchObject([
        { leaseSeconds: 300 },
      ]);
    }
  });

  it('has the lease of the decision that gave the grant', () => {
    const data = {
      cluster: 'east',
      jobUid: 'home-uid',
      placedJobUid: 'home-uid',
      number: 1,
      predecessor: null,
      firstRunId: 'chain',
      now: START,
      core: '1',
      settings: {},
      folded: [],
      foldedBefore: [],
      nextDecisionAt: null,
      waiting: null,
      commands: [...decide(aStateWith(guarded()), START, WEST_HAS_ROOM).commands],
    };
    const decided = {
      id: 'decision-1',
      type: 'placement.decided' as const,
      source: '',
      subject: '',
      digest: '',
    };
    const { grants } = fold(aStateWith(guarded()), [{ ...decided, data }]);
    expect(grants).toMatchObject([
      { guard: { uid: null, isStarted: false, leaseSeconds: 300, renewedAt: START } },
    ]);
  });
});

describe('a silent cluster of a placed Job with MoveWhenStopped (J-16.16)', () => {
  // (300 s lease + 60 s for the deletion + 600 s of the pods + 30 s grace) × 1.02 + 10 s
  const OVER = 1019.8;

  it('loses its grant when every pod must have ended, and not before', () => {
    const state = aStateWith(guarded(), aGrant({ guard: GUARD }));
    const early = decide(state, after(OVER - 1), WEST_IS_SILENT);
    expect(commandsWithKind('EndGrant', early.commands)).toEqual([]);
    const late = decide(state, after(OVER), WEST_IS_SILENT);
    expect(commandsWithKind('EndGrant', late.commands)).toMatchObject([{ reason: 'guarded' }]);
  });

  it('loses its grant at a time that counts from the last renewal of the guard', () => {
    const guard = { ...GUARD, renewedAt: after(1000) };
    const verdict = decide(aStateWith(guarded(), aGrant({ guard })), after(1500), WEST_IS_SILENT);
    expect(commandsWithKind('EndGrant', verdict.commands)).toEqual([]);
  });

  it('loses its grant at a time that counts from the last moment at which an unanswered renewal can have arrived', () => {
    const renewed = decide(aStateWith(guarded(), aGrant({ guard: GUARD })), after(100), {});
    const { decided } = decisionRecord(
      DECIDER,
      aStateWith(guarded(), aGrant({ guard: GUARD })),
      renewed,
      after(100),
      {},
    );
    const state = fold(aStateWith(guarded(), aGrant({ guard: GUARD })), [decided]);
    expect(decide(state, after(101), WEST_IS_SILENT).nextDecisionAt).toBe(after(100 + 15 + OVER));
  });

  it('gets no request to renew the guard, because each request without an answer would prolong the wait', () => {
    for (const guard of [GUARD, { ...GUARD, uid: null, isStarted: false }]) {
      const member = guard.uid === null ? { member: null } : {};
      const verdict = decide(aStateWith(guarded(), aGrant({ guard, ...member })), after(400), WEST_IS_SILENT);
      expect(commandsWithKind('RenewGuard', verdict.commands)).toEqual([]);
      expect(verdict.nextDecisionAt).toBe(after(OVER));
    }
  });

  it('keeps its grant when the member has no guard, or its guard was deleted', () => {
    for (const grant of [aGrant(), aGrant({ guard: { ...GUARD, gone: true } })]) {
      const verdict = decide(aStateWith(guarded(), grant), after(100_000), WEST_IS_SILENT);
      expect(commandsWithKind('EndGrant', verdict.commands)).toEqual([]);
      expect(verdict.waiting?.rule).toBe('J-16.13');
    }
  });
});

describe('the guard of a member that has ended (J-16.16)', () => {
  it('is deleted at once, while the finished placed Job waits for its TTL', () => {
    const at = new Date(START).toISOString();
    const status = {
      completionTime: at,
      conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at }],
    };
    const job = { ...guarded(), status };
    job.spec = { ...job.spec, ttlSecondsAfterFinished: 60 };
    const grant = aGrant({ guard: GUARD });
    if (grant.member !== null) grant.member = { ...grant.member, status };
    const verdict = decide(aStateWith(job, grant), after(10), { ttl: true });
    expect(verdict.commands).toMatchObject([{ kind: 'ReleaseGuard', uid: 'guard-uid' }]);
    expect(verdict.nextDecisionAt).toBe(after(60));
  });
});
