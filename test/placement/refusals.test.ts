import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { excludedNow } from '../../workflows/placement/decide/excluded.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { START } from '../support/builders.ts';
import { aGrant, anOutcome, aPlacedJob, aStateWith } from './a-placed-job.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

const REFUSALS = {
  'a quota that the member itself has used up': [403, 'Forbidden', 'exceeded quota: one'],
  'a webhook that does not answer in time': [500, 'InternalError', 'failed calling webhook: time-out'],
  'a policy that came in between': [422, 'Invalid', 'denied request'],
} as const;

/** West carries out the first creation, whose answer is lost, and refuses each one after it. */
function answerIsLost(
  world: PlacedWorld,
  [status, reason, message]: readonly [number, string, string],
): void {
  const west = world.api('west');
  let posts = 0;
  west.before = ({ method, path }) => {
    if (method === 'POST' && path.endsWith('/jobs') && posts > 0)
      throw refusalError(status, reason, message, path);
  };
  west.after = ({ method }) => {
    if (method !== 'POST') return;
    posts += 1;
    throw new UnavailableError('no answer within 3 s');
  };
}

describe('a placed Job that loses the finalizer of Jobledger before its member is created (J-16.3)', () => {
  it('gets the finalizer again, and only then a member', async () => {
    const world = aPlacedWorld();
    const east = world.api('east');
    let isTaken = false;
    east.after = ({ method }) => {
      if (method !== 'PATCH' || isTaken) return;
      isTaken = true;
      delete world.job('east', 'pi').metadata.finalizers;
    };
    const west = world.api('west');
    west.before = ({ method }) => {
      if (method === 'POST') expect(world.job('east', 'pi').metadata.finalizers).toHaveLength(1);
    };
    expect(await world.workFor(5)).toEqual(
      expect.arrayContaining(['AddFinalizer', 'CreateMember west/pi', 'EndGrant west/pi (refused)']),
    );
    expect(world.grants().at(-1)).toMatchObject({ member: { cluster: 'west' } });
  });
});

describe('a member about which requests are refused or have no answer (J-16.6)', () => {
  it.each(Object.entries(REFUSALS))(
    'is found by its annotation when its creation had no answer and its next creation is refused: %s',
    async (_what, refusal) => {
      const world = aPlacedWorld();
      answerIsLost(world, refusal);
      const sent = await world.workFor(60);
      expect(sent).not.toContain('EndGrant west/pi (refused)');
      expect([...world.api('north').jobs.keys()]).toEqual([]);
      expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
    },
  );

  it('is created in another cluster after a creation without an answer, once no request can arrive any more and it does not exist', async () => {
    const world = aPlacedWorld();
    const west = world.api('west');
    let posts = 0;
    west.before = ({ method, path }) => {
      if (method !== 'POST') return;
      posts += 1;
      if (posts === 1) throw new UnavailableError('connection refused');
      throw refusalError(403, 'Forbidden', 'exceeded quota: one', path);
    };
    const early = await world.workFor(14);
    expect(early).not.toContain('EndGrant west/pi (refused)');
    expect(early).toContain('LookUpMember west/pi');
    expect(await world.workFor(10)).toEqual(
      expect.arrayContaining([
        'LookUpMember west/pi',
        'EndGrant west/pi (refused)',
        'CreateMember north/pi-m2',
      ]),
    );
  });

  it('is created in another cluster at once when the only request for it was refused', async () => {
    const world = aPlacedWorld();
    world.api('west').before = ({ method, path }) => {
      if (method === 'POST') throw refusalError(403, 'Forbidden', 'exceeded quota: one', path);
    };
    expect(await world.work()).toEqual([
      'AddFinalizer',
      'CreateMember west/pi',
      'EndGrant west/pi (refused)',
      'CreateMember north/pi-m2',
    ]);
  });

  it('is found and deleted when the worker died after the request, and the placed Job is deleted before the next attempt', async () => {
    const world = aPlacedWorld();
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    world.api('west').after = () => {
      throw new Error('the worker dies');
    };
    await expect(world.carryOut(decision)).rejects.toThrow('the worker dies');
    world.api('west').after = () => {};
    world.edit(({ metadata }) => {
      metadata.deletionTimestamp = new Date(world.now).toISOString();
    });
    const [answered] = await world.carryOut(decision, 2, { isRecorded: true, answered: [], appended: 0 });
    expect(answered?.data.outcome).toMatchObject({ kind: 'CreateMember', result: 'stale' });
    expect(await world.work()).toEqual(['LookUpMember west/pi']);
    // The request of the first attempt could create it again.
    const sent = await world.workFor(16);
    expect(sent).toEqual([
      'DeleteMember west/pi',
      'LookUpMember west/pi',
      'LookUpMember west/pi',
      'RemoveFinalizer',
    ]);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
  });

  it('gets the counters of the earlier member again before it is resumed, when its cluster is restored from a copy without them', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 3, ready: 3, succeeded: 1, completedIndexes: '0' });
    await world.work();
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    const suspended = [{ type: 'Suspended', status: 'True' }];
    world.shows('west', 'pi', { succeeded: 1, completedIndexes: '0', conditions: suspended });
    await world.workFor(5);
    const member = world.job('north', 'pi-m2');
    expect(member).toMatchObject({ spec: { suspend: false }, status: { succeeded: 1 } });
    const patches: string[] = [];
    world.api('north').after = ({ method, path }) => {
      if (method === 'PATCH') patches.push(path.endsWith('/status') ? 'its counters' : 'its spec');
    };
    world.epochs = { north: 1 };
    member.spec.suspend = true;
    world.shows('north', 'pi-m2', {}, 1);
    await world.workFor(5);
    expect(patches).toEqual(['its counters', 'its spec']);
    expect(world.job('north', 'pi-m2')).toMatchObject({
      spec: { suspend: false },
      status: { succeeded: 1, completedIndexes: '0' },
    });
  });

  it('is not resumed without the counters of the earlier member when the restore happens between decision and request', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 3, ready: 3, succeeded: 1, completedIndexes: '0' });
    await world.work();
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    const suspended = [{ type: 'Suspended', status: 'True' }];
    world.shows('west', 'pi', { succeeded: 1, completedIndexes: '0', conditions: suspended });
    const north = world.api('north');
    north.before = ({ method, path }) => {
      if (method === 'PATCH' && !path.endsWith('/status')) throw new UnavailableError('north is away');
    };
    await world.work();
    const member = world.job('north', 'pi-m2');
    expect(member).toMatchObject({ spec: { suspend: true }, status: { succeeded: 1 } });
    member.status = {};
    member.metadata.resourceVersion = '1';
    north.before = () => {};
    await world.workFor(30);
    expect(world.job('north', 'pi-m2').spec.suspend).toBe(true);
    world.observe('north', 'pi-m2', 1);
    await world.workFor(30);
    expect(world.job('north', 'pi-m2')).toMatchObject({
      spec: { suspend: false },
      status: { succeeded: 1, completedIndexes: '0' },
    });
  });

  it('gets the counters of the earlier member before it is resumed, when its cluster refused them at first', async () => {
    const world = aPlacedWorld();
    await world.work();
    world.shows('west', 'pi', { active: 3, ready: 3, succeeded: 1, completedIndexes: '0' });
    await world.work();
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    await world.work();
    world.api('north').after = ({ method, path }) => {
      if (method === 'PATCH' && path.endsWith('/status'))
        throw refusalError(422, 'Invalid', 'denied by a policy', path);
    };
    world.api('north').before = world.api('north').after;
    const suspended = [{ type: 'Suspended', status: 'True' }];
    world.shows('west', 'pi', { succeeded: 1, completedIndexes: '0', conditions: suspended });
    await world.workFor(30);
    expect(world.grants().at(-1)).toMatchObject({ cluster: 'north', name: 'pi-m2' });
    expect([...world.api('north').jobs.keys()]).toEqual(['pi-m2']);
    expect(world.job('north', 'pi-m2').spec.suspend).toBe(true);
    world.observe('north', 'pi-m2');
    world.api('north').before = () => {};
    world.api('north').after = () => {};
    await world.workFor(60);
    expect(world.job('north', 'pi-m2')).toMatchObject({ status: { succeeded: 1, completedIndexes: '0' } });
    world.observe('north', 'pi-m2');
    await world.work();
    expect(world.job('north', 'pi-m2').spec.suspend).not.toBe(true);
  });
});

describe('a member whose creation was skipped because the API refused the finalizer of its Job (J-16.3, J-16.6)', () => {
  it.each([{}, { 'if-cluster-is-lost': 'MoveWhenStopped=300s' }])(
    'is created in another cluster when its own cluster stops answering: %o',
    async (annotations: Record<string, string>) => {
      const world = aPlacedWorld({ annotations, podSpec: { activeDeadlineSeconds: 60 } });
      world.api('east').before = ({ method, path }) => {
        if (method === 'PATCH') throw refusalError(422, 'Invalid', 'denied by a policy', path);
      };
      await world.work();
      expect(world.grants()).toMatchObject([{ cluster: 'west', requests: 0, member: null }]);
      expect([...world.api('west').jobs.keys()]).toEqual([]);
      world.availability = { west: { silentSince: world.now } };
      world.candidates = world.candidates.filter(({ cluster }) => cluster !== 'west');
      world.api('west').before = () => {
        throw new UnavailableError('no answer within 3 s');
      };
      world.api('east').before = () => {};
      await world.workFor(10);
      expect(world.grants()).toMatchObject([
        { cluster: 'west', ended: { reason: 'refused' } },
        { cluster: 'north', name: 'pi-m2' },
      ]);
    },
  );

  it('counts as requested once when the skipped attempt was not the first', () => {
    const command = { kind: 'CreateMember', cluster: 'west', grant: 1, name: 'pi', spec: {} };
    const last = { number: 1, id: 'decision-2', core: '1', now: START };
    const pending = [command] as unknown as PlacementState['pending'];
    const state = { ...aStateWith(aPlacedJob(), aGrant({ member: null })), last, pending };
    const requestsAfter = (attempt: number) => {
      const skipped = { kind: 'skipped', at: START } as const;
      const record = { id: 'decision-2', data: { commands: [skipped] } };
      const outcome = anOutcome(record as unknown as Parameters<typeof anOutcome>[0], skipped);
      if (outcome.type !== 'outcome.recorded') throw new Error('it is no outcome');
      const data = { ...outcome.data, attempt };
      return fold(state, [{ ...outcome, data }]).grants.map(({ requests }) => requests);
    };
    expect([requestsAfter(1), requestsAfter(2)]).toEqual([[0], [1]]);
  });
});

describe('an outcome of a superseded decision (J-16.6)', () => {
  it('makes the created Job the member of the grant', async () => {
    const world = aPlacedWorld();
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    const before = world.state();
    const late = await world.carryOut(decision);
    const replaced = { ...before, last: { ...before.last, id: 'a later decision' }, pending: [] };
    const state = fold(replaced as PlacementState, late);
    expect(state.grants).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });
});

describe('a placed Job that has changed before its member was created (J-16.6)', () => {
  it('does not count as refused by the cluster', () => {
    const grant = aGrant({ member: null });
    const command = { kind: 'CreateMember', cluster: 'west', grant: 1, name: 'pi', spec: {} };
    const last = { number: 1, id: 'decision-2', core: '1', now: START };
    const pending = [command] as unknown as PlacementState['pending'];
    const outcome = { kind: 'CreateMember', result: 'stale', job: aPlacedJob(), at: START } as const;
    const record = { id: 'decision-2', data: { commands: pending } };
    const state = fold({ ...aStateWith(aPlacedJob(), grant), last, pending }, [
      anOutcome(record as unknown as Parameters<typeof anOutcome>[0], outcome),
    ]);
    expect([...excludedNow(state, {}, START).keys()]).toEqual([]);
  });
});
