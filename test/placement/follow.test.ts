import { describe, expect, it } from '@jest/globals';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { decide } from '../../workflows/placement/decide/decide.ts';
import type { PlacementVerdict } from '../../workflows/placement/decide/situation.ts';
import type { PlacementSettings } from '../../workflows/placement/settings.ts';
import { START } from '../support/builders.ts';
import { after, aGrant, aMember, aPlacedJob, aStateOf } from './a-placed-job.ts';

function northHasRoomAt(readAt: number): PlacementSettings {
  return { candidates: { readAt, clusters: [{ cluster: 'north', room: 9 }] } };
}

function toMembers({ commands }: PlacementVerdict): PlacementCommand[] {
  return commands.filter((command) => 'cluster' in command);
}

/** As the API writes it. */
function time(seconds: number): string {
  return new Date(after(seconds)).toISOString();
}

describe('pods that find no node (J-16.11)', () => {
  const job = aPlacedJob({ annotations: { 'spill-after': '2m' } });

  it('are looked at when none is ready for that long, and leave when another cluster has room', () => {
    const member = aMember({ active: 2, startTime: time(0) });
    const asked = decide(aStateOf(job, aGrant({ member })), after(120), {});
    expect(toMembers(asked)).toMatchObject([{ kind: 'LookUpMember', uid: 'member-uid' }]);
    const pods = { open: 2, unscheduledSince: START, at: after(120) };
    const left = decide(aStateOf(job, aGrant({ member, pods })), after(121), northHasRoomAt(after(121)));
    expect(toMembers(left)).toMatchObject([{ kind: 'ChangeMember', stop: 'spill', spec: { suspend: true } }]);
  });

  it('wait again after a resumption: what was listed before says nothing of them', () => {
    const suspended = [{ type: 'Suspended', status: 'True' }];
    const pods = { open: 0, at: after(3599) };
    const begins = aGrant({ member: aMember({ conditions: suspended }), pods });
    expect(toMembers(decide(aStateOf(job, begins), after(3600), northHasRoomAt(after(3600))))).toEqual([]);
    const resumed = aGrant({ member: aMember({ startTime: time(3600) }), pods });
    const verdict = decide(aStateOf(job, resumed), after(3601), northHasRoomAt(after(3601)));
    expect(toMembers(verdict)).toEqual([]);
    expect(verdict.lookAgainAt).toBe(after(3720));
  });
});

describe('a cluster that does not answer', () => {
  it('is waited for without a look at a deadline that has passed (J-16.13)', () => {
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
    const state = { ...aStateOf(job, aGrant({ member })), startedAt: time(0) };
    const { lookAgainAt, waiting } = decide(state, after(100), {
      clusters: { west: { silentSince: START } },
    });
    expect(lookAgainAt).toBeNull();
    expect(waiting?.rule).toBe('J-16.13');
  });

  it('is asked, when it is back, for a member whose creation had no answer (J-16.6, J-16.18)', () => {
    const given = aGrant({ member: null, ended: { at: after(60), basis: 'time' } });
    const next = aGrant({
      number: 2,
      cluster: 'north',
      name: 'pi-m2',
      member: aMember({ active: 2, ready: 2 }, { cluster: 'north', name: 'pi-m2', uid: 'second-uid' }),
    });
    const state = aStateOf(aPlacedJob(), given, next);
    const asked = decide(state, after(90), {}).commands.filter(({ kind }) => kind === 'LookUpMember');
    expect(asked).toMatchObject([{ cluster: 'west', name: 'pi', mark: 'decision-1' }]);
    const silent = decide(state, after(90), { clusters: { west: { silentSince: START } } });
    expect(silent.commands.filter(({ kind }) => kind === 'LookUpMember')).toEqual([]);
    const absent = aStateOf(aPlacedJob(), { ...given, absentAt: after(91) }, next);
    const commands = decide(absent, after(92), {}).commands;
    expect(commands.filter(({ kind }) => kind === 'LookUpMember')).toEqual([]);
  });
});

describe('a creation that had no answer', () => {
  const finished = aMember({ conditions: [{ type: 'Complete', status: 'True' }] });
  const lost = aGrant({ member: finished, ended: { at: START, basis: 'lost' } });

  it('has taken the place of a lost member that turns out to be finished: it is resolved first (J-16.18)', () => {
    const asked = aGrant({ number: 2, cluster: 'north', name: 'pi-m2', member: null });
    const verdict = decide(aStateOf(aPlacedJob(), lost, asked), after(5), {});
    expect(toMembers(verdict)).toMatchObject([{ kind: 'CreateMember', grant: 2, cluster: 'north' }]);
  });

  it('may still arrive while the Job is being deleted, so it is looked for again before the Job goes (J-16.17)', () => {
    const job = { ...aPlacedJob(), deleting: true, held: true };
    const absent = (at: number) => aGrant({ member: null, absentAt: after(at) });
    const early = decide(aStateOf(job, absent(1)), after(2), {});
    expect([early.commands, early.lookAgainAt]).toEqual([[], after(15)]);
    const again = decide(aStateOf(job, absent(1)), after(15), {});
    expect(again.commands).toMatchObject([{ kind: 'LookUpMember' }]);
    expect(decide(aStateOf(job, absent(15)), after(16), {}).commands).toMatchObject([{ kind: 'ReleaseJob' }]);
  });
});
