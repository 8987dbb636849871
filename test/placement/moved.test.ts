import { describe, expect, it } from '@jest/globals';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import { fold } from '../../workflows/placement/evolve/evolve.ts';
import { decisionRecord } from '../../workflows/placement/record/decision-record.ts';
import type { PlacedJobFacts } from '../../workflows/placement/facts.ts';
import type { LeftFailures, PlacementSettings } from '../../workflows/placement/settings.ts';
import type { PlacementState } from '../../workflows/placement/state.ts';
import { after, aGrant, aMember, anOutcome, aPlacedJob, aStateWith, DECIDER } from './a-placed-job.ts';
import { aPlacedWorld } from './a-placed-world.ts';
import { refusalError } from './a-small-api.ts';

const LEFT: LeftFailures = { failures: { consecutive: [after(50)] }, uncountedPodCount: 1 };

/** A Job that has just left the cluster west, where a pod of it failed and two succeeded. */
function moved(job: PlacedJobFacts = aPlacedJob()): PlacementState {
  const member = aMember({ succeeded: 2, failed: 1 });
  return aStateWith(job, aGrant({ member, stopping: 'drain', ended: { at: after(60), reason: 'stopped' } }));
}

function toNorth(now: number, left?: LeftFailures): PlacementSettings {
  const clusters = [{ cluster: 'north', room: 9 }];
  return { candidates: { readAt: now, clusters, ...(left !== undefined && { left }) } };
}

function decided(state: PlacementState, now: number, settings: PlacementSettings) {
  const verdict = decide(state, now, settings);
  const { decided: record } = decisionRecord(DECIDER, state, verdict, now, settings);
  return { record, commands: verdict.commands, state: fold(state, [record]) };
}

function about<K extends PlacementCommand['kind']>(commands: readonly PlacementCommand[], kind: K) {
  return commands.find((command): command is Extract<PlacementCommand, { kind: K }> => command.kind === kind);
}

describe('the counters and failures that the next member continues (J-16.10, J-16.23)', () => {
  it('include failed pods that the status of the earlier member does not count', () => {
    const { commands } = decided(moved(), after(61), toNorth(after(61), LEFT));
    expect(about(commands, 'CreateMember')).toMatchObject({
      cluster: 'north',
      spec: { suspend: true },
      continues: { succeeded: 2, failed: 2, failures: { consecutive: [after(50)] } },
    });
  });

  it('include what the earlier member is observed to finish until the next member is created (J-16.18)', () => {
    const completed = { succeeded: 3, failed: 1, completedIndexes: '0-2' };
    const grant = aGrant({ member: aMember(completed), ended: { at: after(60), reason: 'guarded' } });
    const next = aGrant({
      number: 2,
      cluster: 'north',
      name: 'pi-m2',
      since: after(61),
      member: null,
      continues: { succeeded: 1, failed: 2, completedIndexes: '0', failures: { consecutive: [after(50)] } },
    });
    const spec = { ...aPlacedJob().spec, completionMode: 'Indexed' as const };
    const { commands } = decided(aStateWith(aPlacedJob({ spec }), grant, next), after(62), {});
    expect(about(commands, 'CreateMember')?.continues).toEqual({
      succeeded: 3,
      // One of them is not in the status of the member.
      failed: 2,
      completedIndexes: '0-2',
      failures: { consecutive: [after(50)] },
    });
  });

  it.each([undefined, { failures: {}, uncountedPodCount: 0 }])(
    'are only the counters in the status of the earlier member when no other failure is recorded (%j)',
    (left) => {
      const { commands } = decided(moved(), after(61), toNorth(after(61), left));
      expect(about(commands, 'CreateMember')?.continues).toEqual({ succeeded: 2, failed: 1 });
    },
  );

  it('are the same when a guard must exist before the next member is created', () => {
    const job = aPlacedJob({
      annotations: { 'if-cluster-is-lost': 'MoveWhenStopped=5m' },
      podDeadlineSeconds: 60,
    });
    const first = decided(moved(job), after(61), toNorth(after(61), LEFT));
    expect(about(first.commands, 'RenewGuard')?.continues).toMatchObject({ failed: 2 });
    const at = after(62);
    const outcome = { kind: 'RenewGuard', result: 'done', uid: 'g1', isStarted: true, at } as const;
    const guarded = fold(first.state, [anOutcome(first.record, outcome)]);
    const { commands } = decided(guarded, at, {});
    expect(about(commands, 'CreateMember')?.continues).toEqual({
      succeeded: 2,
      failed: 2,
      failures: { consecutive: [after(50)] },
    });
  });
});

describe('a placed Job that began in a cluster with a fast clock (J-16.8)', () => {
  it('has no completion time before its start time, because the API server would refuse that', () => {
    const conditions = [
      { type: 'SuccessCriteriaMet', status: 'True' },
      { type: 'Complete', status: 'True' },
    ];
    const member = aMember({ conditions, completionTime: new Date(after(50)).toISOString(), succeeded: 4 });
    const startedAt = new Date(after(52)).toISOString();
    const verdict = decide({ ...aStateWith(aPlacedJob(), aGrant({ member })), startedAt }, after(60), {});
    expect(about(verdict.commands, 'WriteStatus')?.to).toMatchObject({
      startTime: startedAt,
      completionTime: startedAt,
    });
  });
});

describe('a silent cluster of a Job with MoveAfter, when the time to move has passed (BR-52, J-16.15)', () => {
  it('is queried about the member first, and keeps its grant when it answers again after an outage of Jobledger', async () => {
    const world = aPlacedWorld({ annotations: { 'if-cluster-is-lost': 'MoveAfter=60s' } });
    await world.work();
    world.shows('west', 'pi', { active: 4, ready: 4 });
    await world.work();
    world.silences('west', true);
    world.pass(30);
    await world.work();
    const known = world.availability;
    // Nobody asks for an hour; what was recorded of the cluster stays until the ingester has asked it.
    world.pass(3600);
    world.silences('west', false);
    world.availability = known;
    const sent = await world.workFor(40);
    expect(sent).toContain('LookUpMember west/pi');
    expect(sent.filter((each) => each.startsWith('EndGrant'))).toEqual([]);
    expect(world.api('north').jobs.size).toBe(0);
    expect(world.state().waiting?.message).toBe('the cluster west answers again');
  });

  it('loses its grant when it does not answer the query about the member', async () => {
    const world = aPlacedWorld({ annotations: { 'if-cluster-is-lost': 'MoveAfter=60s' } });
    await world.work();
    world.shows('west', 'pi', { active: 4, ready: 4 });
    await world.work();
    world.silences('west', true);
    expect(await world.workFor(59)).not.toContain('EndGrant west/pi (time)');
    const sent = await world.workFor(2);
    expect(sent.slice(0, 2)).toEqual(['LookUpMember west/pi', 'EndGrant west/pi (time)']);
    expect(world.api('north').jobs.size).toBe(1);
  });

  it.each([500, 401, 403])(
    'loses its grant when it answers the query about the member with %d, and the member is stopped later',
    async (status) => {
      const world = aPlacedWorld({ annotations: { 'if-cluster-is-lost': 'MoveAfter=60s' } });
      await world.work();
      world.shows('west', 'pi', { active: 4, ready: 4 });
      await world.work();
      world.silences('west', true);
      world.api('west').before = ({ path }) => {
        throw refusalError(status, 'Forbidden', 'no', path);
      };
      expect(await world.workFor(59)).not.toContain('EndGrant west/pi (time)');
      const sent = await world.workFor(2);
      expect(sent.slice(0, 2)).toEqual(['LookUpMember west/pi', 'EndGrant west/pi (time)']);
      expect(world.grants()[0]?.gone).toBe(undefined);
      // The member is found when the cluster answers, and is stopped.
      world.silences('west', false);
      await world.work();
      expect(world.job('west', 'pi').spec.suspend).toBe(true);
    },
  );
});
