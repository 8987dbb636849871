import { describe, expect, it } from '@jest/globals';
import { beginAssignment, type Assignment } from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { childFacts, cronJobFacts } from '../../workflows/cron-job/observe/compact.ts';
import { cronUrgency } from '../../workflows/cron-job/observe/urgency.ts';
import type { CronJobEvent } from '../../workflows/cron-job/events.ts';
import type { CronFact } from '../../workflows/cron-job/facts.ts';
import type { Job } from '../../workflows/kubernetes/objects.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { approvalEvent, findWithheld } from '../../cli/verbs/approve/approval.ts';
import { aWithheldCronJob } from '../support/withheld-streams.ts';
import { toRecords } from './to-records.ts';
import { aWorld, observeJob, putJob, setStatus, UID, vanish, work, type World } from '../cron-job/world.ts';

const KEY = `east/${UID}/CronJob`;

function anAssignment(liveUpTo = 0n): Assignment {
  return beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: liveUpTo });
}

function sorted(events: readonly CronJobEvent[], assignment = anAssignment()): Assignment {
  const dispatch = {
    assignments: new Map([[0, assignment]]),
    settings: DEFAULT_SETTINGS,
    kinds: ['Job', 'CronJob'] as const,
    countRead: () => undefined,
    now: () => 0,
    periodMs: 1000,
  };
  sortIntoMailboxes(dispatch, assignment, { records: toRecords(events) });
  return assignment;
}

function pendingIn(assignment: Assignment): string[] {
  return (assignment.mailboxes.get(KEY)?.pending ?? []).map(({ fact }) => fact.type);
}

function aTick(): World {
  return aWorld({ schedule: '0 0 1 1 *' }, '2026-03-01T12:00:00Z');
}

describe('an event in the stream of a CronJob', () => {
  it('is sent to the workflow of the CronJob, and may start this workflow', () => {
    const assignment = sorted(aTick().stream);
    expect(pendingIn(assignment)).toEqual(['cronjob.observed']);
    expect(assignment.mailboxes.get(KEY)).toMatchObject({
      mayStart: true,
      needsRecall: false,
      job: { kind: 'CronJob', namespace: 'default', name: 'tick', uid: UID },
    });
    expect(assignment.position.inFlight()).toBe(1);
  });

  it('starts no workflow when it is the deletion of the CronJob', () => {
    const world = aTick();
    world.stream = [];
    vanish(world);
    const assignment = sorted(world.stream);
    expect(pendingIn(assignment)).toEqual(['cronjob.deleted']);
    expect(assignment.mailboxes.get(KEY)?.mayStart).toBe(false);
  });

  it('is not sent when it is about a Job and the CronJob is unknown, and is read again when the CronJob is observed (J-9.12)', () => {
    const world = aTick();
    const [cronJob] = world.stream;
    observeJob(world, putJob(world, 'tick-1'));
    const [, child] = world.stream;
    if (cronJob === undefined || child === undefined) throw new Error('two are needed');
    const first = sorted([child]);
    expect(first.mailboxes.size).toBe(0);
    const both = sorted([child, cronJob]);
    expect(pendingIn(both)).toEqual(['cronjob.observed']);
    expect(both.mailboxes.get(KEY)?.needsRecall).toBe(true);
  });

  it('makes the workflow read the stream when the CronJob may be older than the read part of the ledger', () => {
    expect(sorted(aTick().stream, anAssignment(1n)).mailboxes.get(KEY)?.needsRecall).toBe(true);
  });

  it('is sent at once when it is an approval, but starts no workflow for an unknown CronJob (J-18.2)', () => {
    const events = aWithheldCronJob() as CronJobEvent[];
    const withheld = findWithheld('tick', { deletedAt: null, events }, events.at(-1)?.id);
    const approval = approvalEvent(withheld, 'ann') as CronJobEvent;
    const assignment = sorted([...events, approval]);
    expect(pendingIn(assignment)).toEqual(['cronjob.observed', 'request.received']);
    expect(assignment.mailboxes.get(KEY)?.pending.at(-1)?.urgency).toBe('now');
    expect(sorted([approval]).mailboxes.size).toBe(0);
  });

  it('is not sent when it only shows a status write of Jobledger', () => {
    const world = aWorld({ schedule: '* * * * *' }, '2026-03-01T12:00:00Z');
    world.now += 120_000;
    work(world);
    const types = new Set(world.stream.map(({ type }) => type));
    expect(types).toContain('outcome.recorded');
    const assignment = sorted(world.stream);
    const echoes = (assignment.mailboxes.get(KEY)?.pending ?? []).filter(
      ({ fact, urgency }) => fact.type === 'cronjob.observed' && urgency === 'none',
    );
    expect(echoes.length).toBeGreaterThan(0);
  });
});

describe('the urgency of a fact of a CronJob', () => {
  const cronJobFact = ({ cronJob }: World, id: string): CronFact => ({
    id,
    digest: 'd',
    type: 'cronjob.observed',
    cronJob: cronJobFacts(cronJob),
  });
  const childFact = (job: Job, id: string): CronFact => ({
    id,
    digest: 'd',
    type: 'job.observed',
    job: childFacts(job, UID),
  });

  it('is zero for a version of a CronJob without a change in the fields that decisions read (J-9.11)', () => {
    const world = aTick();
    const first = cronJobFact(world, 'a');
    expect(cronUrgency(undefined, first)).toBe('now');
    world.cronJob = { ...world.cronJob, metadata: { ...world.cronJob.metadata, resourceVersion: '900' } };
    expect(cronUrgency(first, cronJobFact(world, 'b'))).toBe('none');
    setStatus(world, { lastScheduleTime: '2026-03-01T12:00:00Z' });
    expect(cronUrgency(first, cronJobFact(world, 'c'))).toBe('now');
  });

  it('is zero for counters of a Job, and immediate for the end of the Job (J-9.12)', () => {
    const world = aTick();
    const job = putJob(world, 'tick-1');
    const first = childFact(job, 'a');
    const counting = { ...job, status: { ...job.status, active: 3 } };
    const ended = { ...job, status: { ...job.status, conditions: [{ type: 'Failed', status: 'True' }] } };
    expect(cronUrgency(first, childFact(counting, 'b'))).toBe('none');
    expect(cronUrgency(first, childFact(ended, 'c'))).toBe('now');
    expect(cronUrgency(undefined, first)).toBe('now');
  });
});
