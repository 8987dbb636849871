import { describe, expect, it } from '@jest/globals';
import { concernsPlacement, membersIn } from '../../../cli/verbs/detach/recorded-members.ts';
import { OWN_MANAGER } from '../../../workflows/kubernetes/names.ts';
import { aPlacedJobStream, ABOUT, member } from '../../projector/placed-job-stream.ts';
import { aSurvey, aSurveyedJob, aSurveyedPlacedJob } from './a-survey.ts';

const HOME = { cluster: 'east', namespace: 'default', name: 'pi', uid: 'home-uid' };
const created = { kind: 'CreateMember', result: 'created', member };

/** The names of the members that the ledger of this stream shows. */
function namesIn({ events }: ReturnType<typeof aPlacedJobStream>): string[] {
  const members = membersIn(() => true);
  for (const event of events) members.add(event);
  return members.all().map(({ cluster, name }) => `${cluster}/${name}`);
}

describe('the members of placed Jobs in the ledger', () => {
  it('are the Jobs that a recorded outcome names, with their home', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, created);
    const members = membersIn(() => true);
    for (const event of stream.events) members.add(event);
    const { cluster, namespace, name, uid } = member;
    expect(members.all()).toEqual([{ cluster, namespace, name, uid, home: HOME }]);
  });

  it('include a Job that only a look-up found because the response to its creation was lost', () => {
    const stream = aPlacedJobStream();
    stream.decides(3, { kind: 'LookUpMember', ...ABOUT, why: { rule: 'J-16.19', message: 'no answer' } });
    stream.answers(3, {
      kind: 'LookUpMember',
      result: 'done',
      member,
      pods: { open: 0 },
      listedAt: '900',
    });
    expect(namesIn(stream)).toEqual(['west/pi']);
  });

  it('do not include a Job that only names a home, nor a deleted Job', () => {
    const stream = aPlacedJobStream();
    stream.member(2, { active: 1 });
    expect(namesIn(stream)).toEqual([]);
    stream.answers(3, created);
    stream.memberGone(4);
    expect(namesIn(stream)).toEqual([]);
  });

  it('include only members whose home the caller selects, so that no other members are kept in memory', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, created);
    const members = membersIn(({ home }) => home.uid !== 'home-uid');
    for (const event of stream.events) members.add(event);
    expect(members.all()).toEqual([]);
  });
});

describe('a detachment of a cluster', () => {
  it('reads the ledger when the cluster has placed Jobs, or Jobs that name a home', () => {
    expect(concernsPlacement(aSurvey({ jobs: [aSurveyedJob('pi')] }))).toBe(false);
    expect(concernsPlacement(aSurvey({ jobs: [aSurveyedPlacedJob('pi')] }))).toBe(true);
    const named = aSurveyedJob('pi', { managedBy: OWN_MANAGER, home: HOME });
    expect(concernsPlacement(aSurvey({ jobs: [named] }))).toBe(true);
  });
});
