import { describe, expect, it } from '@jest/globals';
import { projectAll } from '../../services/projector/projections/project.ts';
import { emptyRows } from '../../services/projector/projections/rows.ts';
import type { PlacementRow } from '../../services/read-model/tables/placements.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import type { PlacementCommand } from '../../workflows/placement/commands.ts';
import type { PlacementOutcome } from '../../workflows/placement/outcomes.ts';
import type { JobStatus } from '../../workflows/kubernetes/objects.ts';
import { aMember } from '../placement/a-placed-job.ts';
import { at, jobObject, START } from '../support/builders.ts';

const OF = { cluster: 'east', jobUid: 'home-uid', placedJobUid: 'home-uid' };
const ABOUT = { cluster: 'west', grant: 1, name: 'pi' };
const CREATE: PlacementCommand = {
  kind: 'CreateMember',
  ...ABOUT,
  spec: {},
  why: { rule: 'J-16.5', words: 'west is the best' },
};
const member = aMember({}, { namespace: 'default' });

/** The stream of a placed Job, event by event. */
function aStream() {
  let decisions = 0;
  let versions = 300;
  const events: LedgerEvent[] = [];
  const add = (after: number, type: string, id: string, data: object): void =>
    void events.push({
      id,
      type,
      source: 'east',
      subject: 'default/pi',
      time: at(after),
      digest: '',
      data: { ...OF, ...data },
    } as unknown as LedgerEvent);
  const stream = {
    seen(after: number, isDeleting = false) {
      versions += 1;
      const object = jobObject({
        uid: 'home-uid',
        version: String(versions),
        managedBy: 'jobledger.dev/placement',
      });
      if (isDeleting) object.metadata.deletionTimestamp = at(after);
      add(after, 'job.observed', `job-${versions}`, { object });
    },
    decides(after: number, ...commands: PlacementCommand[]) {
      decisions += 1;
      add(after, 'placement.decided', `decision-${decisions}`, {
        number: decisions,
        predecessor: decisions === 1 ? null : `decision-${decisions - 1}`,
        chain: 'chain',
        now: START + after * 1000,
        core: '1',
        settings: {},
        folded: [],
        foldedBefore: [],
        commands,
        lookAgainAt: null,
        waiting: null,
      });
    },
    answers(after: number, answer: object) {
      const outcome = { ...answer, at: START + after * 1000 } as PlacementOutcome;
      const data = { decision: `decision-${decisions}`, command: 0, attempt: 1, answer: outcome };
      add(after, 'command.answered', `answer-${events.length}`, data);
    },
    member(after: number, status: JobStatus, uid = member.uid) {
      versions += 1;
      const resourceVersion = String(versions);
      add(after, 'member.observed', `member-${versions}`, {
        member: { ...member, uid, resourceVersion, status },
      });
    },
    memberGone(after: number) {
      const { cluster, uid, name } = member;
      add(after, 'member.deleted', `gone-${after}`, {
        member: { cluster, uid, name, resourceVersion: '999' },
      });
    },
    rows(): PlacementRow[] {
      const rows = emptyRows();
      projectAll(rows, events);
      return [...rows.placements.changed.values()];
    },
  };
  stream.seen(0);
  stream.decides(1, CREATE);
  return stream;
}

const ends = (basis: 'refused' | 'stopped' | 'time', words: string): PlacementCommand => ({
  kind: 'EndGrant',
  ...ABOUT,
  basis,
  why: { rule: 'J-16.10', words },
});

describe('the row of a grant (J-16.10)', () => {
  it('says which cluster got the Job, when and why, and what its member has done', () => {
    const stream = aStream();
    expect(stream.rows()).toMatchObject([
      {
        cluster: 'east',
        number: 1,
        namespace: 'default',
        job_name: 'pi',
        placed_in: 'west',
        member_uid: null,
        given_at: '2026-03-01T12:00:01.000Z',
        rule: 'J-16.5',
        words: 'west is the best',
        ended_at: null,
      },
    ]);
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.member(5, { succeeded: 2, failed: 1, completedIndexes: '0-1' });
    expect(stream.rows()).toMatchObject([
      { member_uid: 'member-uid', succeeded: 2, failed: 1, indexes: '0-1', ended_at: null },
    ]);
  });

  it('counts no Job that only names the home (J-16.1)', () => {
    const stream = aStream();
    stream.member(2, { succeeded: 9 }, 'forged');
    stream.answers(3, { kind: 'CreateMember', result: 'created', member });
    stream.member(4, { succeeded: 9 }, 'forged');
    expect(stream.rows()).toMatchObject([{ member_uid: 'member-uid', succeeded: 0 }]);
  });

  it('ends with the member, as its condition says', () => {
    const stream = aStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    const done = { type: 'Complete', status: 'True', reason: 'CompletionsReached', message: 'Reached' };
    stream.member(9, { completionTime: at(8), succeeded: 4, conditions: [done] });
    expect(stream.rows()).toMatchObject([
      {
        basis: 'finished',
        ended_at: '2026-03-01T12:00:08.000Z',
        end_words: 'Complete: CompletionsReached: Reached',
      },
    ]);
  });

  it('ends by a decision, with its basis; a refusal has its reason', () => {
    const stream = aStream();
    stream.decides(20, ends('stopped', 'it is drained'));
    expect(stream.rows()).toMatchObject([
      { basis: 'stopped', end_decision: 'decision-2', end_words: 'it is drained', refused: null },
    ]);
    const other = aStream();
    other.decides(20, ends('refused', 'exceeded quota'));
    expect(other.rows()).toMatchObject([{ basis: 'refused', refused: 'exceeded quota' }]);
  });

  it('is marked when the cluster comes back and still runs the member (J-16.18)', () => {
    const stream = aStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.decides(20, ends('time', 'no answer'));
    const why = { rule: 'J-16.18', words: 'it is back' } as const;
    const stop = { kind: 'ChangeMember', ...ABOUT, uid: 'member-uid', spec: { suspend: true } } as const;
    stream.decides(30, { ...stop, stop: 'returned', why });
    expect(stream.rows()).toMatchObject([{ basis: 'time', stopping: 'returned', overlapped: true }]);
  });

  it('ends with the placed Job when that is deleted, and not when only the member is (J-16.17)', () => {
    const stream = aStream();
    stream.answers(2, { kind: 'CreateMember', result: 'created', member });
    stream.memberGone(5);
    expect(stream.rows()).toMatchObject([{ ended_at: null }]);
    const other = aStream();
    other.answers(2, { kind: 'CreateMember', result: 'created', member });
    other.seen(4, true);
    other.memberGone(5);
    expect(other.rows()).toMatchObject([{ basis: 'deleted', ended_at: '2026-03-01T12:00:05.000Z' }]);
  });
});
