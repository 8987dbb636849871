import { describe, expect, it } from '@jest/globals';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import type { PlacementVerdict } from '../../workflows/placement/decide/situation.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import type { CompactedPlacement } from '../../workflows/placement/observe/compact.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type { PlacementGrant } from '../../workflows/placement/state.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import { START } from '../support/builders.ts';
import { after, aGrant, aMember, anOutcome, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';

function northHasRoomAt(readAt: number): PlacementSettings {
  return { candidates: { readAt, clusters: [{ cluster: 'north', room: 9 }] } };
}

const DRAINED: PlacementSettings = {
  clusters: { west: { cordoned: { by: 'anna', at: START, drain: true } } },
};

function toMembers({ commands }: PlacementVerdict): PlacementCommand[] {
  return commands.filter((command) => 'cluster' in command);
}

/** As the API writes it. */
function time(seconds: number): string {
  return new Date(after(seconds)).toISOString();
}

describe('pods of a placed Job that find no node (J-16.11)', () => {
  const job = aPlacedJob({ annotations: { 'spill-after': '2m' } });

  it('are listed when none has been ready for the time of spill-after, and the Job moves if another cluster has room', () => {
    const member = aMember({ active: 2, startTime: time(0) });
    const asked = decide(aStateWith(job, aGrant({ member })), after(120), {});
    expect(toMembers(asked)).toMatchObject([{ kind: 'LookUpMember', uid: 'member-uid' }]);
    const pods = { open: 2, unscheduledSince: START, at: after(120), times: 1 };
    const left = decide(aStateWith(job, aGrant({ member, pods })), after(121), northHasRoomAt(after(121)));
    expect(toMembers(left)).toMatchObject([{ kind: 'ChangeMember', stop: 'spill', spec: { suspend: true } }]);
  });

  it.each([1, 5, 14])(
    'are listed again after 15 s when they have nodes and spill-after is %d s',
    (seconds) => {
      const hasty = aPlacedJob({ annotations: { 'spill-after': `${seconds}s` } });
      const member = aMember({ active: 2, startTime: time(0) });
      const pods = { open: 2, at: after(seconds), times: 1 };
      const verdict = decide(aStateWith(hasty, aGrant({ member, pods })), after(seconds + 10), {});
      expect(toMembers(verdict)).toEqual([]);
      expect(verdict.nextDecisionAt).toBe(after(seconds + 15));
    },
  );

  it('get the whole time of spill-after again after the Job was resumed', () => {
    const suspended = [{ type: 'Suspended', status: 'True' }];
    const pods = { open: 0, at: after(3599), times: 1 };
    const begins = aGrant({ member: aMember({ conditions: suspended }), pods });
    expect(toMembers(decide(aStateWith(job, begins), after(3600), northHasRoomAt(after(3600))))).toEqual([]);
    const resumed = aGrant({ member: aMember({ startTime: time(3600) }), pods });
    const verdict = decide(aStateWith(job, resumed), after(3601), northHasRoomAt(after(3601)));
    expect(toMembers(verdict)).toEqual([]);
    expect(verdict.nextDecisionAt).toBe(after(3720));
  });
});

describe('a stopped member whose pod does not end (J-16.10)', () => {
  const stopped = (pods?: PlacementGrant['pods'], status: JobStatus = { active: 1 }) =>
    aGrant({
      member: aMember(status, { spec: { suspend: true } }),
      stopping: 'drain',
      stoppedAt: START,
      ...(pods !== undefined && { pods }),
    });
  const decided = (grant: PlacementGrant, seconds: number) =>
    decide(aStateWith(aPlacedJob(), grant), after(seconds), DRAINED);
  const open = { open: 2, first: 'pi-abc' };

  it('has its pods listed after half a minute, and its Job waits until then', () => {
    const early = decided(stopped(), 29);
    expect(toMembers(early)).toEqual([]);
    expect(early.nextDecisionAt).toBe(after(30));
    expect(toMembers(decided(stopped(), 30))).toMatchObject([{ kind: 'LookUpMember', uid: 'member-uid' }]);
  });

  it('has a reason to wait that names the pod, and its pods are listed less often with time', () => {
    const held = decided(stopped({ ...open, at: after(30), times: 1 }), 30);
    expect(held.waiting?.message).toContain('2 have not ended, the first is pi-abc');
    expect(
      [1, 2, 3, 7, 9].map((times) => decided(stopped({ ...open, at: after(30), times }), 30).nextDecisionAt),
    ).toEqual([31, 32, 34, 90, 90].map(after));
    expect(toMembers(decided(stopped({ ...open, at: after(30), times: 3 }), 34))).toMatchObject([
      { kind: 'LookUpMember' },
    ]);
  });

  it('has its pods listed again after it showed its suspension, although an earlier list showed no pod', () => {
    const member = aMember(
      { active: 0, conditions: [{ type: 'Suspended', status: 'True' }] },
      {
        resourceVersion: '201',
        spec: { suspend: true },
      },
    );
    const listed = stopped({ open: 0, at: after(30), times: 1 });
    const fact = { id: 'm', digest: 'd', type: 'member.observed' as const, member };
    const state = fold(aStateWith(aPlacedJob(), listed), [fact]);
    expect(state.grants[0]?.pods).toBeUndefined();
    expect(toMembers(decide(state, after(40), DRAINED))).toMatchObject([{ kind: 'LookUpMember' }]);
  });

  it('has its pods listed again when it is deleted, because an earlier list is no proof (J-16.19)', () => {
    const before = aStateWith(aPlacedJob(), aGrant({ pods: { open: 0, at: START, times: 1 } }));
    const verdict = decide(before, after(1), DRAINED);
    const { decided: record } = decisionRecord(DECIDER, before, verdict, after(1), DRAINED);
    const gone = anOutcome(record, { kind: 'ChangeMember', result: 'gone', at: after(1) });
    const state = fold(before, [record, gone]);
    expect(state.grants[0]).toMatchObject({ gone: true });
    expect(toMembers(decide(state, after(2), DRAINED))).toMatchObject([{ kind: 'LookUpMember' }]);
  });
});

describe('a placed Job whose author changes its completions', () => {
  it('gets a member with the new completions and an equal parallelism, as the API server demands, and then with its parallelism (J-1.18)', () => {
    const job = aPlacedJob({ spec: { parallelism: 2, completions: 6, completionMode: 'Indexed' } });
    expect(toMembers(decide(aStateWith(job, aGrant()), after(1), {}))).toMatchObject([
      { kind: 'ChangeMember', spec: { completions: 6, parallelism: 6 } },
    ]);
    const member = aMember({ active: 2 }, { spec: { parallelism: 6, completions: 6 } });
    const [next] = toMembers(decide(aStateWith(job, aGrant({ member })), after(2), {}));
    expect(next).toHaveProperty('spec', { parallelism: 2 });
  });
});

describe('a cluster whose override or silence became known after the worker had read its room', () => {
  const bothHaveRoomAt = (readAt: number) => ({
    candidates: {
      readAt,
      clusters: [
        { cluster: 'west', room: 9 },
        { cluster: 'north', room: 9 },
      ],
    },
  });
  const ended = aGrant({ stopping: 'drain', ended: { at: START, reason: 'stopped' } });
  const orders = { annotations: { clusters: 'west, north' } };

  it.each([
    ['drained', { cordoned: { by: 'anna', at: START, drain: true } }, 'drained by anna'],
    ['cordoned', { cordoned: { by: 'anna', at: START } }, 'cordoned by anna'],
    ['lost', { lost: { by: 'anna', at: START } }, 'declared lost by anna'],
    ['silent', { silentSince: START }, 'it does not answer'],
  ] as const)('is not chosen when it is %s (J-16.4)', (_what, word, why) => {
    const settings = { ...bothHaveRoomAt(after(1)), clusters: { west: word } };
    const [next] = toMembers(decide(aStateWith(aPlacedJob(orders), ended), after(1), settings));
    expect(next).toMatchObject({ kind: 'CreateMember', cluster: 'north' });
    expect(next?.why.message).toContain(`not west: ${why}`);
  });

  it('does not get a Job whose pods find no node in its present cluster (J-16.11)', () => {
    const job = aPlacedJob({ annotations: { 'spill-after': '2m' } });
    const member = aMember({ active: 2, startTime: time(0) });
    const pods = { open: 2, unscheduledSince: START, at: after(120), times: 1 };
    const settings = {
      ...northHasRoomAt(after(121)),
      clusters: { north: { cordoned: { by: 'anna', at: START } } },
    };
    const verdict = decide(aStateWith(job, aGrant({ member, pods })), after(121), settings);
    expect(toMembers(verdict)).toEqual([]);
    expect(verdict.waiting?.message).toContain('no other cluster has room');
  });
});

describe('a placed Job whose home does not answer', () => {
  const silent = { east: { silentSince: START } };

  it('has a member that runs on even in a drained cluster, and is stopped only when the home answers (J-16.12)', () => {
    const state = aStateWith(aPlacedJob(), aGrant());
    const waits = decide(state, after(60), { clusters: { ...DRAINED.clusters, ...silent } });
    expect(toMembers(waits)).toEqual([]);
    expect(waits.waiting?.message).toMatch(
      /^the cluster east has not answered since .* when its home answers$/,
    );
    expect(toMembers(decide(state, after(61), DRAINED))).toMatchObject([
      { kind: 'ChangeMember', stop: 'drain' },
    ]);
  });

  it('has a member that is not stopped although its pods find no node (J-16.11)', () => {
    const job = aPlacedJob({ annotations: { 'spill-after': '2m' } });
    const pods = { open: 2, unscheduledSince: START, at: after(120), times: 1 };
    const state = aStateWith(job, aGrant({ member: aMember({ active: 2, startTime: time(0) }), pods }));
    const settings = northHasRoomAt(after(121));
    expect(toMembers(decide(state, after(121), settings))).toMatchObject([{ stop: 'spill' }]);
    expect(toMembers(decide(state, after(121), { ...settings, clusters: silent }))).toEqual([]);
  });
});

describe('a cluster of a placed Job that does not answer', () => {
  it('lets the Job wait without further decisions, even if its deadline has passed (J-16.13)', () => {
    const job = aPlacedJob();
    job.spec = { ...job.spec, activeDeadlineSeconds: 60 };
    job.status = {
      conditions: [
        {
          type: 'jobledger.dev/Placed',
          status: 'Unknown',
          reason: 'ClusterSilent',
          message: `the cluster west has not answered since ${time(0)}; what runs there as team/pi is not known`,
        },
      ],
    };
    const member = aMember({ active: 2, ready: 2 });
    const state = { ...aStateWith(job, aGrant({ member })), startedAt: time(0) };
    const { nextDecisionAt, waiting } = decide(state, after(100), {
      clusters: { west: { silentSince: START } },
    });
    expect(nextDecisionAt).toBeNull();
    expect(waiting?.rule).toBe('J-16.13');
  });

  it('is queried, once it answers again, about a member whose creation had no answer (J-16.6, J-16.18)', () => {
    const given = aGrant({ member: null, ended: { at: after(60), reason: 'time' } });
    const next = aGrant({
      number: 2,
      cluster: 'north',
      name: 'pi-m2',
      member: aMember({ active: 2, ready: 2 }, { cluster: 'north', name: 'pi-m2', uid: 'second-uid' }),
    });
    const state = aStateWith(aPlacedJob(), given, next);
    const asked = decide(state, after(90), {}).commands.filter(({ kind }) => kind === 'LookUpMember');
    expect(asked).toMatchObject([{ cluster: 'west', name: 'pi', mark: 'decision-1' }]);
    const silent = decide(state, after(90), { clusters: { west: { silentSince: START } } });
    expect(silent.commands.filter(({ kind }) => kind === 'LookUpMember')).toEqual([]);
    const absent = aStateWith(aPlacedJob(), { ...given, absentAt: after(91) }, next);
    const commands = decide(absent, after(92), {}).commands;
    expect(commands.filter(({ kind }) => kind === 'LookUpMember')).toEqual([]);
  });
});

describe('the creation of a member that has had no answer', () => {
  const finished = aMember({ conditions: [{ type: 'Complete', status: 'True' }] });
  const lost = aGrant({ member: finished, ended: { at: START, reason: 'lost' } });

  it('is requested again before the Job ends, when an earlier, lost member turns out to be complete (J-16.18)', () => {
    const asked = aGrant({ number: 2, cluster: 'north', name: 'pi-m2', member: null });
    const verdict = decide(aStateWith(aPlacedJob(), lost, asked), after(5), {});
    expect(toMembers(verdict)).toMatchObject([{ kind: 'CreateMember', grant: 2, cluster: 'north' }]);
  });

  it('may still arrive while the Job is being deleted, so that the member is looked up once more before the finalizer is removed (J-16.17)', () => {
    const job = { ...aPlacedJob(), deleting: true, held: true };
    const absent = (at: number) => aGrant({ member: null, absentAt: after(at) });
    const early = decide(aStateWith(job, absent(1)), after(2), {});
    expect([early.commands, early.nextDecisionAt]).toEqual([[], after(15)]);
    const again = decide(aStateWith(job, absent(1)), after(15), {});
    expect(again.commands).toMatchObject([{ kind: 'LookUpMember' }]);
    expect(decide(aStateWith(job, absent(15)), after(16), {}).commands).toMatchObject([
      { kind: 'RemoveFinalizer' },
    ]);
  });
});

describe('a member that is deleted before the outcome of its creation is recorded (J-16.19)', () => {
  const decided = decisionRecord(
    DECIDER,
    aStateWith(aPlacedJob()),
    decide(aStateWith(aPlacedJob()), START, northHasRoomAt(START)),
    START,
    northHasRoomAt(START),
  );
  const member = aMember({}, { cluster: 'north' });
  const created = anOutcome(decided.decided, {
    kind: 'CreateMember',
    result: 'created',
    at: after(14),
    member,
  });
  const deleted = (uid: string, resourceVersion: string): CompactedPlacement => ({
    id: `gone-${uid}`,
    digest: 'd',
    type: 'member.deleted',
    cluster: 'north',
    uid,
    name: 'pi',
    resourceVersion,
  });

  it('counts as deleted when the outcome shows that it was the member, and its pods are looked up', () => {
    const state = fold(aStateWith(aPlacedJob()), [decided.decided, deleted('member-uid', '201'), created]);
    expect(state.grants).toMatchObject([{ gone: true, member: { uid: 'member-uid' } }]);
    expect(toMembers(decide(state, after(15), {}))).toMatchObject([
      { kind: 'LookUpMember', uid: 'member-uid' },
    ]);
  });

  it('has its pods looked up, because a list from before its creation is no proof', () => {
    const given = fold(aStateWith(aPlacedJob()), [decided.decided]);
    const grants = given.grants.map((grant) => ({ ...grant, pods: { open: 0, at: after(5), times: 1 } }));
    const state = fold({ ...given, grants }, [deleted('member-uid', '201'), created]);
    expect(toMembers(decide(state, after(15), {}))).toMatchObject([{ kind: 'LookUpMember' }]);
  });

  it('counts as existing when the deleted Job of its name had another UID', () => {
    const state = fold(aStateWith(aPlacedJob()), [decided.decided, deleted('forged', '201'), created]);
    expect(state.grants[0]?.gone).toBeUndefined();
    expect(state.grants[0]).not.toHaveProperty('seenGone');
  });

  it('counts as deleted also when the outcome comes first and the deletion comes twice', () => {
    const gone = deleted('member-uid', '201');
    const state = fold(aStateWith(aPlacedJob()), [decided.decided, created, gone, gone]);
    expect(state.grants).toMatchObject([{ gone: true }]);
  });
});
