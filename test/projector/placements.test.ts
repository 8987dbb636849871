import { describe, expect, it } from '@jest/globals';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import { at } from '../support/builders.ts';
import { ABOUT, aPlacedJobStream, member } from './placed-job-stream.ts';

const ends = (reason: 'refused' | 'stopped' | 'time', message: string): PlacementCommand => ({
  kind: 'EndGrant',
  ...ABOUT,
  reason,
  why: { rule: 'J-16.10', message },
});

describe('the row of a grant (J-16.10)', () => {
  it('shows the cluster that got the grant, the time, the reason, and the counters of the member', () => {
    const stream = aPlacedJobStream();
    expect(stream.rows()).toMatchObject([
      {
        cluster: 'east',
        grant_number: 1,
        namespace: 'default',
        job_name: 'pi',
        placed_in: 'west',
        member_uid: null,
        given_at: '2026-03-01T12:00:01.000Z',
        rule: 'J-16.5',
        message: 'west is the best',
        ended_at: null,
      },
    ]);
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.member(5, { succeeded: 2, failed: 1, completedIndexes: '0-1' });
    expect(stream.rows()).toMatchObject([
      { member_uid: 'member-uid', succeeded: 2, failed: 1, indexes: '0-1', ended_at: null },
    ]);
  });

  it('takes no counters from a Job that names the placed Job as its home but is not the member of the grant (J-16.1)', () => {
    const stream = aPlacedJobStream();
    stream.member(2, { succeeded: 9 }, 'forged');
    stream.answers(3, { kind: 'CreateMember', result: 'created', member });
    stream.member(4, { succeeded: 9 }, 'forged');
    expect(stream.rows()).toMatchObject([{ member_uid: 'member-uid', succeeded: 0 }]);
  });

  it('shows the end of the member, with the time and the condition of the member', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    stream.member(9, { completionTime: at(8), succeeded: 4, conditions: [done] });
    expect(stream.rows()).toMatchObject([
      {
        end_reason: 'finished',
        ended_at: '2026-03-01T12:00:08.000Z',
        end_message: 'Complete: CompletionsReached: Reached',
      },
    ]);
  });

  it('shows the end of a member that had ended before the outcome of its creation was recorded', () => {
    const stream = aPlacedJobStream();
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    const status = { completionTime: at(8), succeeded: 4, conditions: [done] };
    stream.member(9, status);
    stream.answers(12, {
      kind: 'CreateMember',
      result: 'created',
      existing: true,
      member: { ...member, status },
    });
    expect(stream.rows()).toMatchObject([
      {
        member_uid: 'member-uid',
        succeeded: 4,
        end_reason: 'finished',
        ended_at: '2026-03-01T12:00:08.000Z',
      },
    ]);
  });

  it('takes as member the Job with the annotation of its grant when the creation had no answer', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'unanswered', message: 'no answer' });
    stream.job(3, { uid: 'forged', status: { succeeded: 9 } }, 'decision-2');
    stream.job(4, { uid: 'copied', namespace: 'other', status: { succeeded: 9 } }, 'decision-1');
    expect(stream.rows()).toMatchObject([{ member_uid: null, succeeded: 0 }]);
    stream.job(5, { status: { succeeded: 1 } }, 'decision-1');
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    stream.member(9, { completionTime: at(8), succeeded: 4, conditions: [done] });
    expect(stream.rows()).toMatchObject([
      {
        member_uid: 'member-uid',
        succeeded: 4,
        end_reason: 'finished',
        ended_at: '2026-03-01T12:00:08.000Z',
      },
    ]);
  });

  it('shows the end of the Job that has replaced its member', () => {
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    const end = { completionTime: at(8), succeeded: 4, conditions: [done] };
    const ended = [{ member_uid: 'second', succeeded: 4, end_reason: 'finished' }];
    const byOutcome = aPlacedJobStream();
    byOutcome.answers(2, { kind: 'CreateMember', result: 'created', member });
    byOutcome.decides(4, {
      kind: 'CreateMember',
      ...ABOUT,
      spec: {},
      why: { rule: 'J-16.20', message: 'gone' },
    });
    byOutcome.answers(5, {
      kind: 'CreateMember',
      result: 'created',
      member: { ...member, uid: 'second', resourceVersion: '301' },
    });
    byOutcome.member(9, end, 'second');
    expect(byOutcome.rows()).toMatchObject(ended);
    const byMark = aPlacedJobStream();
    byMark.answers(2, { kind: 'CreateMember', result: 'created', member });
    byMark.job(9, { uid: 'second', status: end }, 'decision-1');
    expect(byMark.rows()).toMatchObject(ended);
  });

  it('is not changed by late facts about a Job that was replaced', () => {
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    const end = { completionTime: at(8), succeeded: 4, conditions: [done] };
    const second = { ...member, uid: 'second', resourceVersion: '900' };
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.answers(5, { kind: 'CreateMember', result: 'created', member: second });
    stream.job(9, { status: end }, 'decision-1');
    stream.job(10, { uid: 'second', resourceVersion: '901', status: { active: 4 } }, 'decision-1');
    stream.answers(11, { kind: 'CreateMember', result: 'created', member });
    expect(stream.rows()).toMatchObject([{ member_uid: 'second', succeeded: 0, ended_at: null }]);
  });

  it('is open again when its cluster is restored from a copy in which the member runs', () => {
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.member(9, { completionTime: at(8), succeeded: 4, conditions: [done] });
    stream.job(20, { resourceVersion: '250', status: { active: 4 }, epoch: 1 });
    expect(stream.rows()).toMatchObject([{ ended_at: null, end_reason: null, end_message: null }]);
    stream.member(21, { completionTime: at(8), succeeded: 4, conditions: [done] });
    expect(stream.rows()).toMatchObject([{ ended_at: null }]);
  });

  it('shows the decision that ended the grant, with its reason and, for a refusal, the message', () => {
    const stream = aPlacedJobStream();
    stream.decides(20, ends('stopped', 'it is drained'));
    expect(stream.rows()).toMatchObject([
      { end_reason: 'stopped', end_decision: 'decision-2', end_message: 'it is drained', refused: null },
    ]);
    const other = aPlacedJobStream();
    other.decides(20, ends('refused', 'exceeded quota'));
    expect(other.rows()).toMatchObject([{ end_reason: 'refused', refused: 'exceeded quota' }]);
  });

  it('is marked as overlapped when the cluster answers again and still runs the member (J-16.18)', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.decides(20, ends('time', 'no answer'));
    const why = { rule: 'J-16.18', message: 'it is back' } as const;
    const from = { resourceVersion: '1', generation: 1 };
    const stop = {
      kind: 'ChangeMember',
      ...ABOUT,
      uid: 'member-uid',
      from,
      spec: { suspend: true },
    } as const;
    stream.decides(30, { ...stop, stop: 'returned', why });
    expect(stream.rows()).toMatchObject([{ end_reason: 'time', stopping: 'returned', overlapped: true }]);
  });

  it('ends with the deletion of its member only when the placed Job is being deleted, and is open again when a restored cluster has the member (J-16.17)', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.memberGone(5);
    expect(stream.rows()).toMatchObject([{ ended_at: null }]);
    const other = aPlacedJobStream();
    other.answers(2, { kind: 'CreateMember', result: 'created', member });
    other.seen(4, { isDeleting: true });
    other.memberGone(5);
    expect(other.rows()).toMatchObject([{ end_reason: 'deleted', ended_at: '2026-03-01T12:00:05.000Z' }]);
    other.job(20, { resourceVersion: '250', status: { active: 4 }, epoch: 1 });
    expect(other.rows()).toMatchObject([{ end_reason: null, ended_at: null, end_message: null }]);
  });

  it('is not changed by a look-up of its member (J-16.10)', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    const why = { rule: 'J-16.11', message: 'do they have nodes?' } as const;
    stream.decides(5, { kind: 'LookUpMember', ...ABOUT, uid: 'member-uid', why });
    stream.answers(6, { kind: 'LookUpMember', result: 'done', member, pods: { open: 2 } });
    expect(stream.rows()).toMatchObject([{ member_uid: 'member-uid', ended_at: null }]);
  });
});

describe('the indexes that a member of a spread Job had (J-17.3, J-17.4, J-17.7)', () => {
  const why = { rule: 'J-17.3', message: 'its share' } as const;
  const changes = (number: number, indexes: string): PlacementCommand => ({
    kind: 'ChangeMember',
    ...ABOUT,
    uid: 'member-uid',
    from: { resourceVersion: '1', generation: 1 },
    spec: {},
    indexes: { number, indexes },
    why,
  });
  const lists = (givenUp: string, epoch = 0): PlacementCommand => ({
    kind: 'LookUpMember',
    ...ABOUT,
    uid: 'member-uid',
    from: { resourceVersion: '1', generation: 1, ...(epoch > 0 && { epoch }) },
    givenUp,
    why: { rule: 'J-17.4', message: 'are they free?' },
  });
  /** As the table shows them. */
  const heldIn = (stream: ReturnType<typeof aPlacedJobStream>) =>
    stream
      .rows()[0]
      ?.granted?.map(({ indexes, since, until, decision }) => ({ indexes, since, until, decision }));

  it('include the indexes that are taken back until a list shows that no pod of these indexes remains', () => {
    const stream = aPlacedJobStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.decides(3, changes(1, '0-4'));
    stream.decides(10, changes(2, '0-6'));
    stream.decides(20, changes(3, '0,1'));
    const [before] = stream.rows();
    expect(before?.granted).toEqual([
      { indexes: '0-4', since: '2026-03-01T12:00:03.000Z', until: null, decision: 'decision-2' },
      { indexes: '5,6', since: '2026-03-01T12:00:10.000Z', until: null, decision: 'decision-3' },
    ]);
    const lookUp = { kind: 'LookUpMember', result: 'done', member, givenUp: '3-6' };
    stream.decides(29, lists('3-6'));
    stream.answers(30, { ...lookUp, pods: { open: 1 } });
    expect(heldIn(stream)).toEqual(before?.granted);
    stream.decides(39, lists('3-6'));
    stream.answers(40, { ...lookUp, pods: { open: 0 } });
    expect(heldIn(stream)).toEqual([
      { indexes: '0-2', since: '2026-03-01T12:00:03.000Z', until: null, decision: 'decision-2' },
      {
        indexes: '3,4',
        since: '2026-03-01T12:00:03.000Z',
        until: '2026-03-01T12:00:40.000Z',
        decision: 'decision-2',
      },
      {
        indexes: '5,6',
        since: '2026-03-01T12:00:10.000Z',
        until: '2026-03-01T12:00:40.000Z',
        decision: 'decision-3',
      },
    ]);
  });

  it.each<[string, (stream: ReturnType<typeof aPlacedJobStream>) => object]>([
    [
      'an older copy of the member is seen',
      (stream) => {
        stream.member(35, {}, member.uid, 1);
        return { member };
      },
    ],
    [
      'the copy is seen to have no member',
      (stream) => {
        stream.memberGone(35, 1);
        return { member };
      },
    ],
    ['the list itself is of the restored cluster', () => ({ member: { ...member, epoch: 1 }, epoch: 1 })],
  ])(
    'include the indexes that are taken back until a list requested after a restore shows no pod: %s',
    (_how, restores) => {
      const stream = aPlacedJobStream();
      stream.answers(2, { kind: 'CreateMember', result: 'created', member });
      stream.decides(3, changes(1, '0-4'));
      stream.decides(20, changes(2, '0-2'));
      stream.decides(30, lists('3,4'));
      const lookUp = { kind: 'LookUpMember', result: 'done', givenUp: '3,4', pods: { open: 0 } };
      stream.answers(40, { ...lookUp, ...restores(stream) });
      expect(heldIn(stream)).toMatchObject([{ indexes: '0-4', until: null }]);
      stream.decides(130, lists('3,4', 1));
      stream.answers(131, { ...lookUp, member: { ...member, epoch: 1 }, epoch: 1 });
      expect(heldIn(stream)).toMatchObject([
        { indexes: '0-2', until: null },
        { indexes: '3,4', until: '2026-03-01T12:02:11.000Z' },
      ]);
    },
  );
});

describe('the granted indexes in the row of a grant', () => {
  it('are null when the placed Job is not spread', () => {
    expect(aPlacedJobStream().rows()[0]?.granted).toBeNull();
  });
});
