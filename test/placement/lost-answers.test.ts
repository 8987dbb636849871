import { describe, expect, it } from '@jest/globals';
import { decide } from '../../workflows/placement/decide/decide.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type { Guard, PlacementState } from '../../workflows/placement/state.ts';
import { START } from '../support/builders.ts';
import { after, aGrant, aMember, anOutcome, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';
import { aPlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';
import { aLostAnswer, answersAgain, podOfFirst } from './lost-creation.ts';

const RUNS = { active: 2, ready: 2, startTime: '2026-03-01T12:00:00Z' };

describe('a member whose creation had no answer (J-16.6)', () => {
  it('is known by its annotation when it is first observed, so that its work counts although another client deletes it', async () => {
    const world = await aLostAnswer();
    world.shows('west', 'pi', { ...RUNS, succeeded: 2, completedIndexes: '0,1' });
    world.removes('west', 'pi');
    answersAgain(world);
    const sent = await world.workFor(60);
    expect(sent).toContain('EndGrant west/pi (gone)');
    expect(sent).not.toContain('EndGrant west/pi (refused)');
    expect(world.grants().at(-1)).toMatchObject({
      number: 2,
      member: { status: { succeeded: 2, completedIndexes: '0,1' } },
    });
  });

  it('is not created again after its deletion while its first pods run', async () => {
    const world = await aLostAnswer();
    const west = world.api('west');
    west.pods.push(podOfFirst());
    world.removes('west', 'pi');
    answersAgain(world);
    const early = await world.workFor(10);
    expect(early).toContain('LookUpMember west/pi');
    expect(early).not.toContain('CreateMember west/pi');
    west.pods.length = 0;
    expect(await world.workFor(60)).toContain('CreateMember west/pi');
  });

  it('is not created again while its first pods may run, when its cluster was restored from a copy without it', async () => {
    const world = await aLostAnswer();
    world.removes('west', 'pi');
    answersAgain(world);
    world.epochs = { west: 1 };
    expect(await world.workFor(80)).not.toContain('CreateMember west/pi');
    expect(await world.workFor(120)).toContain('CreateMember west/pi');
  });

  it('is not deleted with the placed Job while a request that creates it again may still arrive (J-16.17)', async () => {
    const world = await aLostAnswer();
    await world.workFor(1);
    world.observe('west', 'pi');
    answersAgain(world);
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    expect(await world.workFor(14)).not.toContain('DeleteMember west/pi');
    expect(await world.workFor(2)).toContain('DeleteMember west/pi');
  });

  it('is looked up at once when a late request has created it again, although earlier look-ups were delayed (J-16.20)', async () => {
    const world = await aLostAnswer();
    const west = world.api('west');
    const late = structuredClone(world.job('west', 'pi'));
    west.pods.push(podOfFirst());
    world.removes('west', 'pi');
    answersAgain(world);
    const asked = await world.workFor(100);
    expect(asked.filter((each) => each === 'LookUpMember west/pi').length).toBeLessThan(9);
    late.metadata.uid = 'west-2';
    west.jobs.set('pi', late);
    world.shows('west', 'pi', RUNS);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.shows('west', 'pi', { conditions: [{ type: 'Suspended', status: 'True' }] });
    expect(await world.work()).toContain('LookUpMember west/pi');
    expect(world.grants()).toMatchObject([{ pods: { open: 0 }, replaced: ['west-1'] }]);
    west.pods.length = 0;
    expect(await world.workFor(70)).toContain('EndGrant west/pi (stopped)');
  });

  it('retains its grant after an error of the server while look-ups are refused, because it may exist', async () => {
    const world = aPlacedWorld();
    const west = world.api('west');
    west.before = ({ method, path }) => {
      if (method === 'GET') throw refusalError(403, 'Forbidden', 'no right to get Jobs', path);
    };
    west.after = ({ path }) => {
      throw refusalError(500, 'InternalError', 'etcdserver: request timed out', path);
    };
    const sent = await world.workFor(120);
    expect(west.jobs.has('pi')).toBe(true);
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(world.api('north').jobs.size).toBe(0);
    answersAgain(world);
    await world.workFor(60);
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });

  it('counts as existing when it is observed before the response to an earlier look-up that had found no Job', () => {
    const grant = aGrant({ member: null, requests: 1, isDoubtful: true, refused: 'a policy' });
    const asked = recordDecision(aStateWith(aPlacedJob(), grant), after(20));
    const outcome = {
      kind: 'LookUpMember',
      result: 'done',
      member: null,
      pods: { open: 0 },
      listedAt: '900',
      at: after(21),
    } as const;
    const seen = {
      id: 'seen',
      digest: 'd',
      type: 'member.observed',
      member: aMember(RUNS),
      mark: grant.mark,
    } as const;
    const { grants } = fold(asked.state, [seen, anOutcome(asked.decided, outcome)]);
    expect(grants).toMatchObject([{ member: { uid: 'member-uid' } }]);
    expect(grants[0]?.gone).toBeUndefined();
  });

  it('is stopped when it appears under a new UID, although no watch has shown the first Job as deleted (J-16.19)', async () => {
    const world = aPlacedWorld();
    await world.work();
    const [first] = world.grants();
    expect(first?.member?.uid).toBe('west-1');
    // The cluster was restored, and a late request has created the member again: one name is that of one Job.
    const again = structuredClone(world.job('west', 'pi'));
    Object.assign(again.metadata, { uid: 'west-2', resourceVersion: '90' });
    world.api('west').jobs.set('pi', again);
    world.observe('west', 'pi', 1);
    expect(world.grants()).toMatchObject([{ member: { uid: 'west-2' }, isAgain: true }]);
    expect(await world.work()).toContain('ChangeMember west/pi (suspend)');
    const old = { ...aMember(RUNS), uid: 'west-0', resourceVersion: '2' };
    world.fold({ type: 'member.observed', member: old, mark: first?.mark ?? '' });
    expect(world.grants()).toMatchObject([{ member: { uid: 'west-2' } }]);
  });

  it('is not recognised in a Job with the annotation of another grant, or in another namespace', () => {
    const state = aStateWith(aPlacedJob(), aGrant({ member: null }));
    const [fact, member] = [{ id: 'seen', digest: 'd', type: 'member.observed' } as const, aMember(RUNS)];
    for (const mark of [undefined, 'decision-2', '']) {
      const seen = { ...fact, member, ...(mark !== undefined && { mark }) };
      expect(fold(state, [seen]).grants).toMatchObject([{ member: null }]);
    }
    const elsewhere = { ...fact, member: { ...member, namespace: 'other' }, mark: 'decision-1' };
    expect(fold(state, [elsewhere]).grants).toMatchObject([{ member: null }]);
  });

  it('is requested again with the counters of the earlier member when it is found without counters', () => {
    const before = aGrant({
      member: aMember({ succeeded: 3, completedIndexes: '0-2' }),
      ended: { at: START, reason: 'gone' },
      gone: true,
    });
    const continues = { succeeded: 3, completedIndexes: '0-2' };
    const member = aMember(
      {},
      { uid: 'next', name: 'pi-m2', spec: { parallelism: 2, completions: 4, suspend: true } },
    );
    const next = aGrant({ number: 2, name: 'pi-m2', mark: 'decision-2', member, continues });
    const job = aPlacedJob();
    const spec = { ...job.spec, completionMode: 'Indexed' } as const;
    const status = { succeeded: 1, completedIndexes: '0' };
    const verdict = decide(aStateWith({ ...job, spec, status }, before, next), after(5), {});
    expect(verdict.commands).toMatchObject([{ kind: 'CreateMember', continues }]);
  });
});

const GUARD: Guard = { uid: 'guard-uid', isStarted: true, leaseSeconds: 300, renewedAt: START };

describe('the guard of a member whose creation had no answer (J-16.16)', () => {
  const job = aPlacedJob({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
    podDeadlineSeconds: 600,
  });
  const grant = aGrant({ member: null, requests: 2, isDoubtful: true, guard: GUARD, askedAt: after(100) });

  it('is renewed, because the member may run', () => {
    expect(decide(aStateWith(job, grant), after(101), {}).commands).toMatchObject([
      { kind: 'CreateMember' },
      { kind: 'RenewGuard', uid: 'guard-uid' },
    ]);
  });

  it('lets the grant end when it is deleted, but only after no member is found and no request can create one', () => {
    const guardless = { ...grant, guard: { ...GUARD, gone: true as const } };
    const early = decide(aStateWith(job, guardless), after(101), {});
    expect(early.commands).toMatchObject([{ kind: 'LookUpMember', mark: 'decision-1' }]);
    const late = decide(aStateWith(job, { ...guardless, absentAt: after(116) }), after(117), {});
    expect(late.commands).toMatchObject([{ kind: 'EndGrant', reason: 'refused' }]);
  });
});

describe('a response about an earlier Job that a newer Job has replaced as the member', () => {
  it('does not mark the newer Job as deleted', () => {
    const gone = aGrant({ gone: true, member: aMember({}, { uid: 'first' }) });
    const asked = recordDecision(aStateWith(aPlacedJob(), gone), after(5));
    expect(asked.decided.data.commands).toMatchObject([{ kind: 'LookUpMember', uid: 'first' }]);
    const again = aMember(RUNS, { uid: 'second', resourceVersion: '300' });
    const seen = {
      id: 's',
      digest: 'd',
      type: 'member.observed',
      member: again,
      mark: 'decision-1',
    } as const;
    const outcome = {
      kind: 'LookUpMember',
      result: 'done',
      member: null,
      pods: { open: 0 },
      listedAt: '900',
      at: after(6),
    } as const;
    const { grants } = fold(asked.state, [seen, anOutcome(asked.decided, outcome)]);
    expect(grants).toMatchObject([{ member: { uid: 'second' }, isAgain: true }]);
    expect(grants[0]).not.toHaveProperty('gone');
    expect(grants[0]).not.toHaveProperty('pods');
  });
});

describe('a late response about an earlier Job with the grant annotation of the member (J-16.19)', () => {
  const first = aMember({}, { uid: 'first', resourceVersion: '250' });
  const second = aMember({ ...RUNS, succeeded: 1 }, { uid: 'second', resourceVersion: '300' });
  const seen = { id: 's', digest: 'd', type: 'member.observed', member: second, mark: 'decision-1' } as const;

  it('leaves the newer Job as the member, and records the earlier Job as replaced, when it answers a creation', () => {
    const asked = recordDecision(aStateWith(aPlacedJob(), aGrant({ member: null })), after(5));
    expect(asked.decided.data.commands).toMatchObject([{ kind: 'CreateMember' }]);
    const outcome = { kind: 'CreateMember', result: 'created', member: first, at: after(6) } as const;
    const { grants } = fold(asked.state, [seen, anOutcome(asked.decided, outcome)]);
    expect(grants).toMatchObject([{ member: { uid: 'second' }, replaced: ['first'] }]);
    expect(grants[0]).not.toHaveProperty('earlier');
    const later = { ...seen, id: 't', member: { ...second, resourceVersion: '301' } };
    const [grant] = fold(asked.state, [seen, anOutcome(asked.decided, outcome), later]).grants;
    expect(grant).not.toHaveProperty('isAgain');
  });

  it('leaves the newer Job as the member, and records the earlier Job as replaced, when it answers a look-up', () => {
    const unknown = aGrant({ member: null, requests: 1, isDoubtful: true, refused: 'a policy' });
    const asked = recordDecision(aStateWith(aPlacedJob(), unknown), after(20));
    const found = {
      kind: 'LookUpMember',
      result: 'done',
      member: first,
      pods: { open: 0 },
      listedAt: '900',
    } as const;
    const { grants } = fold(asked.state, [seen, anOutcome(asked.decided, { ...found, at: after(21) })]);
    expect(grants).toMatchObject([{ member: { uid: 'second' }, replaced: ['first'] }]);
    expect(grants[0]).not.toHaveProperty('isAgain');
    expect(grants[0]).not.toHaveProperty('pods');
  });

  it('records the earlier Job as replaced when it answers a creation of a superseded decision', () => {
    const state = aStateWith(aPlacedJob(), aGrant({ member: second }));
    const { decided } = recordDecision(aStateWith(aPlacedJob(), aGrant({ member: null })), after(5));
    const outcome = { kind: 'CreateMember', result: 'created', member: first, at: after(6) } as const;
    expect(fold(state, [anOutcome(decided, outcome)]).grants).toMatchObject([
      { member: { uid: 'second' }, replaced: ['first'] },
    ]);
  });
});

describe('a response from before the restore of an API server (J-16.19)', () => {
  const member = aMember(RUNS);
  const again = { id: 's', digest: 'd', type: 'member.observed', member: { ...member, epoch: 1 } } as const;
  const at = after(6);

  it('does not mark the member of the copy as deleted when it answers a look-up', () => {
    const asked = recordDecision(aStateWith(aPlacedJob(), aGrant({ gone: true })), after(5));
    const outcome = {
      kind: 'LookUpMember',
      result: 'done',
      member: null,
      pods: { open: 0 },
      listedAt: '900',
      at,
    } as const;
    const { grants } = fold(asked.state, [again, anOutcome(asked.decided, outcome)]);
    expect(grants[0]).not.toHaveProperty('gone');
    expect(grants[0]).not.toHaveProperty('missingAt');
  });

  it('does not mark the member of the copy as deleted when it answers a change', () => {
    const job = aPlacedJob();
    const asked = recordDecision(
      aStateWith({ ...job, spec: { ...job.spec, parallelism: 3 } }, aGrant()),
      after(5),
    );
    expect(asked.decided.data.commands).toContainEqual(expect.objectContaining({ kind: 'ChangeMember' }));
    const outcome = { kind: 'ChangeMember', result: 'gone', at } as const;
    expect(fold(asked.state, [again, anOutcome(asked.decided, outcome)]).grants[0]).not.toHaveProperty(
      'gone',
    );
  });

  it.each(['done', 'gone'] as const)(
    'leads to another deletion when it reports a deletion that the restore has undone: %s',
    (result) => {
      const asked = recordDecision(aStateWith(aPlacedJob({ deleting: true }), aGrant()), after(5));
      expect(asked.decided.data.commands).toMatchObject([{ kind: 'DeleteMember' }]);
      const state = fold(asked.state, [
        again,
        anOutcome(asked.decided, { kind: 'DeleteMember', result, at }),
      ]);
      expect(decide(state, after(7), {}).commands).toMatchObject([{ kind: 'DeleteMember' }]);
      const later = recordDecision(state, after(7));
      const sent = fold(later.state, [
        anOutcome(later.decided, { kind: 'DeleteMember', result: 'done', at }),
      ]);
      expect(decide(sent, after(8), {}).commands).toEqual([]);
    },
  );
});

describe('a response from before a restore about indexes that a member has given back (J-17.4)', () => {
  const kept = {
    type: 'jobledger.dev/Indexes',
    status: 'True' as const,
    reason: 'Granted',
    message: '2:0,1',
  };
  const status = { active: 2, conditions: [kept] };
  const grant = aGrant({
    part: { number: 2, indexes: '0-3', keeps: '0,1', parallelism: 2 },
    member: aMember(status, { grant: { number: 2, indexes: '0,1' } }),
  });
  const job = aPlacedJob({ annotations: { spread: 'even' } });
  const spec = { ...job.spec, completionMode: 'Indexed' } as const;

  it('leaves the indexes granted to the member, because the member of the copy may run them again', () => {
    const state = { ...aStateWith({ ...job, spec }, grant), shares: { at: after(5), pods: { west: 2 } } };
    const asked = recordDecision(state, after(5));
    expect(asked.decided.data.commands).toContainEqual(
      expect.objectContaining({ kind: 'LookUpMember', givenUp: '2,3' }),
    );
    const older = aMember({ active: 2 }, { resourceVersion: '50', epoch: 1 });
    const again = { id: 's', digest: 'd', type: 'member.observed', member: older } as const;
    const outcome = {
      kind: 'LookUpMember',
      result: 'done',
      member: grant.member,
      pods: { open: 0 },
      listedAt: '900',
      givenUp: '2,3',
      at: after(6),
    } as const;
    expect(fold(asked.state, [anOutcome(asked.decided, outcome)]).grants[0]?.part?.indexes).toBe('0,1');
    expect(fold(asked.state, [again, anOutcome(asked.decided, outcome)]).grants).toMatchObject([
      { part: { indexes: '0-3', keeps: '0,1' } },
    ]);
  });

  it('leaves the indexes granted to the member also when the copy has no member, whose pods may still run', () => {
    const state = { ...aStateWith({ ...job, spec }, grant), shares: { at: after(5), pods: { west: 2 } } };
    const asked = recordDecision(state, after(5));
    const outcome = {
      kind: 'LookUpMember',
      result: 'done',
      member: null,
      pods: { open: 0 },
      listedAt: '900',
      givenUp: '2,3',
      epoch: 1,
      at: after(6),
    } as const;
    expect(fold(asked.state, [anOutcome(asked.decided, outcome)]).grants).toMatchObject([
      { gone: true, part: { indexes: '0-3', keeps: '0,1' } },
    ]);
  });
});

describe('two deleted Jobs with the name of a member (J-16.19)', () => {
  it('are both looked up for pods before the grant ends', () => {
    const unknown = aGrant({ member: null, requests: 2, isDoubtful: true, refused: 'a policy' });
    const deleted = { id: 'd', digest: 'd', type: 'member.deleted', cluster: 'west', name: 'pi' } as const;
    const state = fold(aStateWith(aPlacedJob(), unknown), [
      { ...deleted, uid: 'first', resourceVersion: '250' },
      { ...deleted, id: 'e', uid: 'second', resourceVersion: '300' },
    ]);
    const asked: unknown[] = [];
    let now: PlacementState = {
      ...state,
      grants: state.grants.map((each) => ({ ...each, absentAt: after(60) })),
    };
    for (let at = 61; at < 64; at += 1) {
      const { decided, state: next } = recordDecision(now, after(at));
      const [command] = decided.data.commands;
      if (command?.kind !== 'LookUpMember') break;
      asked.push(command.gone);
      const gone = command.gone === undefined ? {} : { gone: command.gone };
      const outcome = {
        kind: 'LookUpMember',
        result: 'done',
        member: null,
        pods: { open: 0 },
        listedAt: '900',
        ...gone,
      } as const;
      now = fold(next, [anOutcome(decided, { ...outcome, at: after(at) })]);
    }
    expect(asked).toEqual(['second', 'first']);
    expect(decide(now, after(64), {}).commands).toMatchObject([{ kind: 'EndGrant', reason: 'refused' }]);
  });
});

describe('a placed Job whose home was restored from an older copy', () => {
  const job = aPlacedJob();
  const again = {
    id: 's',
    digest: 'd',
    type: 'job.observed',
    epoch: 1,
    job: { ...job, resourceVersion: '50' },
  } as const;

  it('exists again, although an older response reported it as deleted', () => {
    const asked = recordDecision(aStateWith(job, aGrant()), after(5));
    const outcome = { kind: 'WriteStatus', result: 'gone', at: after(6) } as const;
    expect(fold(asked.state, [anOutcome(asked.decided, outcome)]).gone).toBe(true);
    expect(fold(asked.state, [again, anOutcome(asked.decided, outcome)]).gone).toBe(false);
  });

  it('is suspended again as a user requested, although the suspension was answered before the restore', () => {
    const asking = fold(aStateWith(job, aGrant()), [
      { id: 'r', digest: 'd', type: 'request.received', action: 'suspend', by: 'ann' },
    ]);
    const asked = recordDecision(asking, after(5));
    const suspended = { ...job, resourceVersion: '130', spec: { ...job.spec, suspend: true } };
    const outcome = {
      kind: 'SetSuspend',
      result: 'done',
      request: 'r',
      job: suspended,
      at: after(6),
    } as const;
    const state = fold(asked.state, [again, anOutcome(asked.decided, outcome)]);
    expect(decide(state, after(7), {}).commands).toMatchObject([{ kind: 'SetSuspend', suspend: true }]);
  });

  it('exists again when it was deleted after the copy was made', () => {
    const deleted = { id: 'd', digest: 'd', type: 'job.deleted', resourceVersion: '120' } as const;
    const gone = fold(aStateWith(job, aGrant()), [deleted]);
    expect(gone.gone).toBe(true);
    const back = fold(gone, [again]);
    expect(back.gone).toBe(false);
    expect(fold(back, [{ ...deleted, id: 'e', epoch: 1, resourceVersion: '51' }]).gone).toBe(true);
    const repeated = { ...again, id: 'r', epoch: 0, job: { ...job, resourceVersion: '130' } };
    expect(fold(gone, [repeated]).gone).toBe(true);
  });
});

function recordDecision(state: PlacementState, now: number) {
  const { decided } = decisionRecord(DECIDER, state, decide(state, now, {}), now, {});
  return { decided, state: fold(state, [decided]) };
}
