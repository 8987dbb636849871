import { describe, expect, it } from '@jest/globals';
import {
  openMailbox,
  addFact,
  recordOwnWrite,
  type Mailbox,
} from '../../services/dispatcher/mailboxes/mailbox.ts';
import type { Crowd } from '../../services/dispatcher/mailboxes/new-jobs-first.ts';
import { createSchedule, type SendSchedule } from '../../services/dispatcher/mailboxes/schedule.ts';
import { aJob, aPendingPod, aSucceededPod, CLUSTER, jobDeleted } from '../support/builders.ts';

const join = (): void => undefined;
const CALM: Crowd = { isCrowded: () => false, join };
const CROWDED: Crowd = { isCrowded: ({ cluster }) => cluster === CLUSTER, join };

/** A Job whose pod has ended at this instant. */
function withEndedPod(uid: string, dueAt: number, cluster = CLUSTER): Mailbox {
  const mailbox = openMailbox(
    { cluster, uid, namespace: 'default', name: uid, kind: 'Job' },
    { needsRecall: false, mayStart: true },
  );
  addFact(mailbox, { fact: aPendingPod({ uid: 'pod' }), offset: 0n, length: 100 }, 0);
  addFact(mailbox, { fact: aSucceededPod({ uid: 'pod' }), offset: 1n, length: 100 }, dueAt);
  return mailbox;
}

function scheduled(...mailboxes: Mailbox[]): SendSchedule {
  const schedule = createSchedule();
  for (const mailbox of mailboxes) schedule.add(mailbox);
  return schedule;
}

const uids = (mailboxes: Iterable<Mailbox>): string[] => [...mailboxes].map(({ job }) => job.uid);

describe('the schedule of a partition', () => {
  it('returns each mailbox once, in the order in which the mailboxes are due', () => {
    const schedule = scheduled(withEndedPod('late', 3000), withEndedPod('early', 2000));
    expect(schedule.next()).toBe(2000);
    expect(uids(schedule.take(1999, CALM))).toEqual([]);
    expect(uids(schedule.take(2000, CALM))).toEqual(['early']);
    expect(uids(schedule.waiting())).toEqual(['late']);
    expect(uids(schedule.take(9000, CALM))).toEqual(['late']);
    expect([schedule.next(), uids(schedule.waiting())]).toEqual([Infinity, []]);
  });

  it('returns a mailbox earlier only when a more urgent fact arrived', () => {
    const mailbox = withEndedPod('job', 4000);
    const schedule = scheduled(mailbox);
    addFact(mailbox, { fact: jobDeleted(), offset: 2n, length: 100 }, 3000);
    schedule.add(mailbox);
    expect(uids(schedule.take(3000, CALM))).toEqual(['job']);
    expect(uids(schedule.take(4000, CALM))).toEqual([]);
  });

  it('returns a mailbox at a later time, or never, after Jobledger has written a status', () => {
    const mailbox = withEndedPod('later', 2000);
    const own = openMailbox(mailbox.job, { needsRecall: false, mayStart: true });
    const before = aJob({ version: '5' });
    addFact(own, { fact: before, offset: 0n, length: 100 }, 0);
    own.pending = [];
    own.dueAt = null;
    addFact(own, { fact: aJob({ version: '6', status: { active: 1 } }), offset: 1n, length: 100 }, 1000);
    const schedule = scheduled(mailbox, own);
    recordOwnWrite(mailbox, '9', 1500);
    recordOwnWrite(own, '6', 1500);
    expect(uids(schedule.take(2000, CALM))).toEqual([]);
    expect(uids(schedule.take(2500, CALM))).toEqual(['later']);
    expect(uids(schedule.waiting())).toEqual([]);
  });

  it('omits a mailbox during its signal, until the mailbox is added again', () => {
    const mailbox = withEndedPod('job', 1000);
    const schedule = scheduled(mailbox);
    mailbox.isSending = true;
    expect(uids(schedule.take(1000, CALM))).toEqual([]);
    mailbox.isSending = false;
    schedule.add(mailbox);
    expect(uids(schedule.take(1000, CALM))).toEqual(['job']);
  });
});

describe('a mailbox that the schedule delays because too many Jobs are due', () => {
  const held = (mailbox: Mailbox): SendSchedule => {
    const schedule = scheduled(mailbox, withEndedPod('elsewhere', 1000, 'west'));
    expect(uids(schedule.take(1000, CROWDED))).toEqual(['elsewhere']);
    return schedule;
  };

  it('waits for twenty seconds', () => {
    const schedule = held(withEndedPod('job', 1000));
    expect(schedule.next()).toBe(21_000);
    expect(uids(schedule.take(20_999, CROWDED))).toEqual([]);
    expect(uids(schedule.take(21_000, CROWDED))).toEqual(['job']);
  });

  it('becomes due at once when few Jobs are due', () => {
    expect(uids(held(withEndedPod('job', 1000)).take(2000, CALM))).toEqual(['job']);
  });

  it('waits until an urgent fact arrives, and another ended pod is not urgent', () => {
    const mailbox = withEndedPod('job', 1000);
    const schedule = held(mailbox);
    addFact(mailbox, { fact: aSucceededPod({ uid: 'another' }), offset: 2n, length: 100 }, 2000);
    schedule.add(mailbox);
    expect(uids(schedule.take(20_000, CROWDED))).toEqual([]);
    expect(schedule.next()).toBe(21_000);
    addFact(mailbox, { fact: jobDeleted(), offset: 3n, length: 100 }, 20_500);
    schedule.add(mailbox);
    expect(uids(schedule.take(20_500, CROWDED))).toEqual(['job']);
  });
});

describe('a schedule that can return one more mailbox', () => {
  it('returns the delayed mailbox that has waited longest before any other', () => {
    const schedule = scheduled(withEndedPod('first', 1000), withEndedPod('second', 1100));
    expect(uids(schedule.take(1200, CROWDED))).toEqual([]);
    expect(schedule.isHolding()).toBe(true);
    schedule.add(withEndedPod('third', 1200));
    let room = 1;
    const crowd = { isCrowded: () => room === 0, join: () => (room -= 1) };
    expect(uids(schedule.take(1300, crowd))).toEqual(['first']);
    room = 2;
    expect(uids(schedule.take(1300, crowd))).toEqual(['second', 'third']);
    expect(schedule.isHolding()).toBe(false);
  });
});
