import { describe, expect, it } from '@jest/globals';
import { UnavailableError } from '../../services/adapters/errors.ts';
import type { ApiRequest } from '../../services/adapters/kubernetes/client.ts';
import { NO_PROGRESS, type Progress } from '../../services/worker/activities/attempt/progress.ts';
import type { Unstamped } from '../../workflows/ledger/recorded-event.ts';
import type { PlacementOutcomeRecorded } from '../../workflows/placement/events.ts';
import { eventually } from '../support/eventually.ts';
import { aPlacedWorld, type PlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

const RUNS = { active: 4, ready: 4, startTime: '2026-03-01T12:00:00Z' };

/** A Job that runs in west, under a guard of 5 minutes. */
async function aGuardedJob() {
  const world = aPlacedWorld({
    annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
    podSpec: { activeDeadlineSeconds: 3600 },
    clusters: ['west'],
  });
  await world.work();
  startGuard(world, 'west', 'pi-guard');
  world.pass(1);
  await world.work();
  world.shows('west', 'pi', RUNS);
  await world.work();
  return world;
}

/** The cluster's own Job controller starts it. */
function startGuard(world: PlacedWorld, cluster: string, name: string): void {
  const guard = world.job(cluster, name);
  guard.status = { startTime: new Date(world.now).toISOString() };
  Object.assign(guard.metadata, { managedFields: [{ manager: 'kcm', subresource: 'status' }] });
}

describe('a placed Job whose home does not answer (J-16.13)', () => {
  it('has its guard renewed in the healthy cluster, although its status cannot be written', async () => {
    const world = await aGuardedJob();
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    world.pass(20);
    world.shows('west', 'pi', { ...RUNS, succeeded: 1, completedIndexes: '0' });
    const sent = await world.workFor(20 * 60);
    expect(sent.filter((each) => each === 'RenewGuard west/pi').length).toBeGreaterThanOrEqual(11);
    const { startTime = '' } = world.job('west', 'pi-guard').status ?? {};
    const { activeDeadlineSeconds = 0 } = world.job('west', 'pi-guard').spec;
    expect(Date.parse(startTime) + activeDeadlineSeconds * 1000).toBeGreaterThan(world.now + 190_000);
    // Doubled with each error, up to a minute.
    expect(sent.filter((each) => each === 'WriteStatus').length).toBeLessThan(30);
    world.api('east').before = () => {};
    world.pass(60);
    expect(await world.work()).toContain('WriteStatus');
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });

  it('is not recorded as refused by the chosen cluster while the worker cannot read the Job in its home', async () => {
    const world = aPlacedWorld();
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    expect(await world.workFor(10)).not.toContain('EndGrant west/pi (refused)');
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });

  it('gets no member before it has the finalizer of Jobledger, without which a deletion would leave its member', async () => {
    const world = aPlacedWorld();
    world.api('east').before = ({ method }) => {
      if (method === 'PATCH') throw new UnavailableError('no answer within 3 s');
    };
    await world.workFor(10 * 60);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
  });

  it('is suspended on request of a user when its home answers again', async () => {
    const world = await aGuardedJob();
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    world.fold({ type: 'request.received', action: 'suspend', by: 'ann' });
    expect(await world.work()).toEqual(['SetSuspend']);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.job('east', 'pi').spec.suspend).toBe(true);
  });

  it('has its guard renewed while a request of a user waits for the home', async () => {
    const world = await aGuardedJob();
    world.api('east').before = () => {
      throw new UnavailableError('connection refused');
    };
    world.fold({ type: 'request.received', action: 'suspend', by: 'ann' });
    await world.workFor(20 * 60);
    const { startTime = '' } = world.job('west', 'pi-guard').status ?? {};
    const { activeDeadlineSeconds = 0 } = world.job('west', 'pi-guard').spec;
    expect(Date.parse(startTime) + activeDeadlineSeconds * 1000).toBeGreaterThan(world.now + 190_000);
  });

  it('has its member stopped in a drained cluster while a request of a user waits for an answer', async () => {
    const world = await aGuardedJob();
    world.api('east').before = ({ method }) => {
      if (method === 'PATCH') throw new UnavailableError('no answer within 3 s');
    };
    world.fold({ type: 'request.received', action: 'suspend', by: 'ann' });
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    expect(await world.workFor(2)).toContain('ChangeMember west/pi (suspend)');
  });

  it('retains the shares of its clusters while their room cannot be read', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' } });
    await world.work();
    const { shares } = world.state();
    world.pass(40);
    world.unread = 'the home does not answer';
    expect(await world.work()).toEqual([]);
    expect(world.state().shares).toEqual(shares);
    expect(world.nextDecisionAt).toBe(world.now + 10_000);
  });
});

const REFUSALS = [
  [401, 'Unauthorized'],
  [403, 'Forbidden'],
  [500, 'InternalError'],
] as const;

/** A value of the Job that the server's text repeats. */
const SECRET = 'MyPassword';

/** The cluster refuses each request about Jobs, reads included. */
function refuses(world: PlacedWorld, cluster: string, [status, reason]: readonly [number, string]): void {
  world.api(cluster).before = ({ path }) => {
    throw refusalError(status, reason, `admission webhook denied the request: ${SECRET}`, path);
  };
}

/** For how much longer the guard lets its member run, in milliseconds. */
function guardedFor(world: PlacedWorld, cluster: string, name: string): number {
  const { status, spec } = world.job(cluster, name);
  return Date.parse(status?.startTime ?? '') + (spec.activeDeadlineSeconds ?? 0) * 1000 - world.now;
}

describe.each(REFUSALS)('a placed Job whose home refuses every request with %i (J-16.13)', (...refusal) => {
  it('has its guard renewed, and its status is written when the home accepts requests again', async () => {
    const world = await aGuardedJob();
    refuses(world, 'east', refusal);
    world.pass(20);
    world.shows('west', 'pi', { ...RUNS, succeeded: 1, completedIndexes: '0' });
    const sent = await world.workFor(20 * 60);
    expect(guardedFor(world, 'west', 'pi-guard')).toBeGreaterThan(190_000);
    // Doubled with each error, up to a minute.
    expect(sent.filter((each) => each === 'WriteStatus').length).toBeLessThan(30);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.job('east', 'pi').status).toMatchObject({ succeeded: 1, completedIndexes: '0' });
  });

  it('has its member stopped when the cluster of the member is drained', async () => {
    const world = await aGuardedJob();
    refuses(world, 'east', refusal);
    world.availability = { west: { cordoned: { by: 'ann', at: world.now, drain: true } } };
    expect(await world.workFor(2)).toContain('ChangeMember west/pi (suspend)');
  });

  it('gets no member before it has the finalizer of Jobledger, and then a member in the chosen cluster', async () => {
    const world = aPlacedWorld();
    refuses(world, 'east', refusal);
    await world.workFor(10 * 60);
    expect([...world.api('west').jobs.keys()]).toEqual([]);
    expect([...world.api('north').jobs.keys()]).toEqual([]);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.job('east', 'pi').metadata.finalizers).toEqual(['jobledger.dev/placement']);
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });

  it('is not recorded as refused by the chosen cluster while the worker cannot read the Job in its home', async () => {
    const world = aPlacedWorld();
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    refuses(world, 'east', refusal);
    expect(await world.workFor(10 * 60)).not.toContain('EndGrant west/pi (refused)');
    expect(JSON.stringify(world.ledger)).toContain('the placed Job cannot be read');
    expect(JSON.stringify(world.ledger)).not.toContain(SECRET);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.grants()).toMatchObject([{ cluster: 'west', member: { uid: 'west-1' } }]);
  });

  it('is deleted after its TTL when the home accepts requests again', async () => {
    const world = aPlacedWorld({ spec: { ttlSecondsAfterFinished: 10 } });
    world.ttl = true;
    await world.work();
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2026-03-01T12:00:00Z' }];
    world.shows('west', 'pi', { succeeded: 4, completedIndexes: '0-3', conditions });
    await world.work();
    refuses(world, 'east', refusal);
    const sent = await world.workFor(20 * 60);
    expect(sent.filter((each) => each === 'DeleteJob').length).toBeLessThan(30);
    world.api('east').before = () => {};
    world.pass(60);
    await world.work();
    expect(world.api('east').jobs.has('pi')).toBe(false);
  });
});

describe.each(REFUSALS)(
  'a spread Job of which one cluster refuses every request with %i (J-16.13)',
  (...refusal) => {
    it('has its guards renewed in the other clusters', async () => {
      const world = aPlacedWorld({
        annotations: { spread: 'even', 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
        podSpec: { activeDeadlineSeconds: 3600 },
      });
      await world.work();
      for (const [cluster, name] of MEMBERS) startGuard(world, cluster, `${name}-guard`);
      world.pass(1);
      await world.work();
      for (const [cluster, name] of MEMBERS) world.shows(cluster, name, RUNS);
      await world.work();
      refuses(world, 'west', refusal);
      const sent = await world.workFor(20 * 60);
      expect(guardedFor(world, 'north', 'pi-m2-guard')).toBeGreaterThan(190_000);
      expect(sent.filter((each) => each === 'RenewGuard west/pi').length).toBeLessThan(40);
    });

    it('sends fewer and fewer requests to delete a member that this cluster neither deletes nor shows', async () => {
      const world = await aGuardedJob();
      world.edit(({ metadata }) => {
        metadata.deletionTimestamp = new Date(world.now).toISOString();
      });
      const [status, reason] = refusal;
      world.api('west').before = ({ method, path }) => {
        if (method === 'GET') throw refusalError(status, reason, `${reason}: not now`, path);
        throw refusalError(409, 'Conflict', 'the object has been modified', path);
      };
      const sent = await world.workFor(20 * 60);
      const deletions = sent.filter((each) => each === 'DeleteMember west/pi').length;
      expect(deletions).toBeGreaterThan(20);
      expect(deletions).toBeLessThan(30);
    });
  },
);

describe('the commands of one decision about several clusters (J-16.13)', () => {
  /** Requests of this method to a cluster wait until `goOn` is called. */
  function holdsUp(world: PlacedWorld, cluster: string, held: string): { goOn(): void } {
    const { client } = world.api(cluster);
    const { request } = client;
    let goOn = (): void => {};
    const waits = new Promise<void>((resolve) => (goOn = resolve));
    client.request = async <T>(asked: ApiRequest): Promise<T> => {
      if (asked.method === held) await waits;
      return request<T>(asked);
    };
    return { goOn: () => goOn() };
  }

  it('do not wait for commands to another cluster, and their outcomes are recorded in the order of the commands', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' } });
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    const west = holdsUp(world, 'west', 'POST');
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    const carried = world.carryOut(decision);
    await eventually('the member in north', 5, () => Promise.resolve(world.api('north').jobs.get('pi-m2')));
    expect([...world.api('west').jobs.keys()]).toEqual([]);
    west.goOn();
    const answered = await carried;
    const commands = decision.decided.data.commands.map((_command, at) => at);
    expect(answered.map(({ data }) => data.command)).toEqual(commands);
    const recorded = world.ledger.filter(({ type }) => type === 'outcome.recorded');
    expect(recorded.map(({ id }) => id)).toEqual(answered.map(({ id }) => id));
    expect(world.grants()).toMatchObject([
      { cluster: 'west', member: { name: 'pi' } },
      { cluster: 'north', member: { name: 'pi-m2' } },
    ]);
  });

  it('are not sent again to the other clusters in the second attempt after a command to one cluster failed', async () => {
    const world = aPlacedWorld({ annotations: { spread: 'even' } });
    world.edit(({ metadata }) => {
      metadata.finalizers = ['jobledger.dev/placement'];
    });
    const decision = world.decide();
    if (decision === null) throw new Error('nothing is decided');
    world.api('west').before = ({ method }) => {
      if (method === 'POST') throw new Error('the worker dies');
    };
    let kept: Progress<Unstamped<PlacementOutcomeRecorded>> = NO_PROGRESS;
    await expect(world.carryOut(decision, 1, NO_PROGRESS, (each) => (kept = each))).rejects.toThrow(
      'the worker dies',
    );
    world.api('west').before = () => {};
    world.api('north').before = ({ method }) => {
      if (method === 'POST') throw new Error('asked twice');
    };
    const answered = await world.carryOut(decision, 2, kept);
    const commands = decision.decided.data.commands.map((_command, at) => at);
    expect(answered.map(({ data }) => data.command)).toEqual(commands);
    const recorded = world.ledger.filter(({ type }) => type === 'outcome.recorded');
    expect(recorded.map(({ id }) => id)).toEqual(answered.map(({ id }) => id));
  });
});

describe('a spread Job that is ending (J-17.6)', () => {
  it('has the guards of its members renewed until their pods have ended', async () => {
    const world = aPlacedWorld({
      annotations: { spread: 'even', 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
      podSpec: { activeDeadlineSeconds: 3600 },
      spec: { backoffLimit: 0 },
    });
    await world.work();
    for (const [cluster, name] of MEMBERS) startGuard(world, cluster, `${name}-guard`);
    world.pass(1);
    await world.work();
    for (const [cluster, name] of MEMBERS) world.shows(cluster, name, RUNS);
    world.shows('west', 'pi', { ...RUNS, failed: 1 });
    const sent = await world.workFor(20 * 60);
    expect(world.job('east', 'pi').status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'FailureTarget', status: 'True' }),
    );
    for (const [cluster, name] of MEMBERS)
      expect(sent.filter((each) => each === `RenewGuard ${cluster}/${name}`).length).toBeGreaterThanOrEqual(
        12,
      );
  });
});

const MEMBERS = [
  ['west', 'pi'],
  ['north', 'pi-m2'],
] as const;
