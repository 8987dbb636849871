import { describe, expect, it } from '@jest/globals';
import {
  beginAssignment,
  type Assignment,
  type Assignments,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { openMailbox, addFact, type Mailbox } from '../../services/dispatcher/mailboxes/mailbox.ts';
import { countCrowd } from '../../services/dispatcher/assignments/crowded.ts';
import { sendTime } from '../../services/dispatcher/mailboxes/new-jobs-first.ts';
import { emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJobDeletion, translateJob } from '../../services/ingester/translate/translate.ts';
import type { ObjectRef } from '../../workflows/activities.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { aRecordedJob } from '../history/a-stream.ts';
import {
  aPendingPod,
  aSucceededPod,
  at,
  CLUSTER,
  jobDeleted as jobGone,
  jobObject,
  type JobFields,
} from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const HELD_MS = 20_000;
const MOST = 40;
const FIVE_MINUTES = 300_000;

function anAssignment(end = 0n): Assignment {
  return beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end });
}

function read(assignment: Assignment, ...events: JobEvent[]): Assignment {
  const records = toRecords(events, assignment.position.next());
  const dispatch = {
    assignments: new Map(),
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
  };
  sortIntoMailboxes({ ...dispatch, now: () => 0, periodMs: 1000 }, assignment, { records });
  return assignment;
}

function aRef(uid: string, { cluster = CLUSTER, namespace = 'default' } = {}): ObjectRef {
  return { cluster, uid, namespace, name: uid, kind: 'Job' };
}

function countIn({ newJobs }: Assignment, cluster: string, now: number): number {
  return [...newJobs.byNamespace(cluster, now).values()].reduce((sum, each) => sum + each, 0);
}

/** Two partitions that together have this number of new Jobs of one cluster. */
function assignmentsWith(newJobs: number, cluster: string): Assignments {
  const assignments = new Map([anAssignment(), anAssignment()].map((each, partition) => [partition, each]));
  for (let job = 0; job < newJobs; job += 1)
    assignments.get(job % 2)?.newJobs.add(aRef(`job-${job}`, { cluster }), 0);
  return assignments;
}

/** A Job whose pod has ended at 1000 ms. */
function withEndedPod(namespace = 'default'): Mailbox {
  const job = aRef('old', { namespace });
  const mailbox = openMailbox(job, { needsRecall: false, mayStart: true });
  addFact(mailbox, { fact: aPendingPod({ uid: 'pod' }), offset: 0n, length: 100 }, 0);
  addFact(mailbox, { fact: aSucceededPod({ uid: 'pod' }), offset: 1n, length: 100 }, 1000);
  return mailbox;
}

describe('a Job in the dispatcher', () => {
  const [observed, ...later] = aRecordedJob();
  const decision = later.find(({ type }) => type === 'job.decided');

  it('counts as new until the dispatcher reads its first decision', () => {
    if (observed === undefined || decision === undefined) throw new Error('not recorded');
    const { cluster } = observed.data;
    const assignment = read(anAssignment(), observed);
    expect(countIn(assignment, cluster, 0)).toBe(1);
    expect(countIn(read(assignment, decision), cluster, 0)).toBe(0);
  });

  it('counts as new until it is deleted', () => {
    if (observed?.type !== 'job.observed') throw new Error('not recorded');
    const { cluster, jobUid } = observed.data;
    const job = jobObject({ uid: jobUid });
    const last = { job, resourceVersion: job.metadata.resourceVersion, time: at(9) };
    const scope = { cluster, claim: 'managed' as const, redaction: REDACTION };
    const assignment = read(anAssignment(), observed);
    const { events } = translateJobDeletion(scope, emptyLiveSet(), jobUid, last);
    expect(countIn(read(assignment, ...events), cluster, 0)).toBe(0);
  });

  const CONDITION = { status: 'True', lastTransitionTime: at(0) };
  it.each<[string, JobFields]>([
    ['that has finished', { status: { conditions: [{ type: 'Complete', ...CONDITION }] } }],
    ['that has started', { status: { startTime: at(0), active: 1 } }],
    ['that is suspended', { suspend: true }],
    ['that is being deleted', { deleting: true }],
  ])(
    'does not count as new when it is a Job %s, because such a Job may never get a first decision',
    (_which, fields) => {
      const ofJob = (given: JobFields): JobEvent[] => {
        const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
        return translateJob(scope, jobObject({ uid: 'seen', ...given }), at(1)).events;
      };
      const assignment = read(anAssignment(), ...ofJob(fields));
      expect(countIn(assignment, CLUSTER, 0)).toBe(0);
      const known = read(anAssignment(), ...ofJob({}));
      expect(countIn(known, CLUSTER, 0)).toBe(1);
      expect(countIn(read(known, ...ofJob(fields)), CLUSTER, 0)).toBe(0);
    },
  );

  it('counts as new for five minutes at most, and never when it existed before this dispatcher', () => {
    if (observed === undefined) throw new Error('not recorded');
    const { cluster } = observed.data;
    expect(countIn(read(anAssignment(100n), observed), cluster, 0)).toBe(0);
    const known = read(anAssignment(), observed);
    expect([countIn(known, cluster, FIVE_MINUTES - 1), countIn(known, cluster, FIVE_MINUTES)]).toEqual([
      1, 0,
    ]);
  });
});

describe('while more new Jobs wait than a worker can decide about at a time', () => {
  const crowd = countCrowd(assignmentsWith(41, CLUSTER), MOST, 1000);

  it('the end of a pod of another Job waits, for a limited time', () => {
    expect(sendTime(withEndedPod(), crowd)).toBe(1000 + HELD_MS);
  });

  it('the dispatcher delays neither urgent facts nor facts that are sent again after a failure', () => {
    const urgent = withEndedPod();
    addFact(urgent, { fact: jobGone(), offset: 2n, length: 100 }, 1500);
    expect(sendTime(urgent, crowd)).toBe(1500);
    expect(sendTime({ ...withEndedPod(), failures: 1 }, crowd)).toBe(1000);
  });

  it('each signalled Job counts as waiting, and a new Job counts only once', () => {
    const joined = countCrowd(assignmentsWith(MOST, CLUSTER), MOST, 1000);
    joined.join(aRef('job-1'));
    expect(joined.isCrowded(aRef('any'))).toBe(false);
    joined.join(aRef('other'));
    expect(joined.isCrowded(aRef('any'))).toBe(true);
  });

  it('the due times of mailboxes are never earlier than without new Jobs', () => {
    const mailbox = openMailbox(withEndedPod().job, { needsRecall: false, mayStart: true });
    expect(sendTime(mailbox, crowd)).toBe(Infinity);
  });
});

describe('while Jobs of one namespace are signalled all the time', () => {
  const LOUD = 'loud';
  const waitingIn = (namespace: string, count: number): JobEvent[] =>
    Array.from({ length: count }, (_none, each) => {
      const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
      const uid = `${namespace}-${each}`;
      const object = jobObject({ uid, name: uid });
      return translateJob(scope, { ...object, metadata: { ...object.metadata, namespace } }, at(0)).events;
    }).flat();
  const crowdAfter = (...events: JobEvent[]): ReturnType<typeof countCrowd> =>
    countCrowd(new Map([[0, read(anAssignment(), ...events)]]), MOST, 1000);

  it('only the facts of that namespace wait', () => {
    const crowd = crowdAfter(...waitingIn(LOUD, 48));
    expect(sendTime(withEndedPod(), crowd)).toBe(1000);
    expect(sendTime(withEndedPod(LOUD), crowd)).toBe(1000 + HELD_MS);
  });

  it('another namespace gets its equal share before its facts wait too', () => {
    expect(sendTime(withEndedPod(), crowdAfter(...waitingIn(LOUD, 48), ...waitingIn('default', 20)))).toBe(
      1000,
    );
    expect(sendTime(withEndedPod(), crowdAfter(...waitingIn(LOUD, 48), ...waitingIn('default', 21)))).toBe(
      1000 + HELD_MS,
    );
  });

  it('a namespace whose Jobs have ended is removed from memory', () => {
    const assignment = read(anAssignment(), ...waitingIn(LOUD, 2));
    for (const uid of ['loud-0', 'loud-1']) assignment.newJobs.remove(aRef(uid, { namespace: LOUD }));
    expect([...assignment.newJobs.byNamespace(CLUSTER, 0)]).toEqual([]);
  });
});

describe('a mailbox that is due', () => {
  it.each([
    ['with as many new Jobs as a worker decides about at once', assignmentsWith(40, CLUSTER)],
    ['when the new Jobs are of another cluster', assignmentsWith(1000, 'elsewhere')],
  ])('is sent at once: %s', (_when, assignments) => {
    expect(sendTime(withEndedPod(), countCrowd(assignments, MOST, 1000))).toBe(1000);
  });
});
