import { startsWorkflow } from '../../services/dispatcher/mailboxes/mailbox.ts';
import { sortIntoMailboxes, type Dispatch } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import {
  beginAssignment,
  type Assignment,
  type KnownJob,
  type LivePartition,
} from '../../services/dispatcher/assignments/assignment.ts';
import { ensureWorkflows } from '../../services/dispatcher/runs/ensure-workflows.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { REQUESTS_SOURCE, withDigest } from '../../services/adapters/events/event-codec.ts';
import type { LedgerRecord } from '../../services/adapters/kafka/subscription.ts';
import type { RequestReceived, JobEvent } from '../../workflows/job/events.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import {
  translateJobDeletion,
  translateJob,
  translatePod,
  type Translated,
} from '../../services/ingester/translate/translate.ts';
import type { ObjectRef } from '../../workflows/activities.ts';
import { DEFAULT_SETTINGS, type Settings } from '../../workflows/job/settings.ts';
import { at, CLUSTER, JOB_NAME, JOB_UID, jobObject, podObject, type JobFields } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const WITH_TTL: Settings = { ...DEFAULT_SETTINGS, controllers: ['job', 'ttl'] };
const FOREIGN = { managedBy: 'example.com/other', ttlSecondsAfterFinished: 60 };
const ENDED = { conditions: [{ type: 'Complete', status: 'True', lastTransitionTime: at(0) }] };

/** A partition after reading these records of the live topic. */
function anAssignment(live: Partial<LivePartition> = {}, committed = 0n): Assignment {
  return beginAssignment(0, committed, { jobs: new Map(), gone: new Set(), end: 0n, ...live });
}

function dispatchUnder(settings: Settings): Dispatch {
  return {
    assignments: new Map(),
    settings,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now: () => 0,
    periodMs: 1000,
  };
}

/** The mailboxes after these events of the ledger, from offset 0 on. */
function deliver(
  settings: Settings,
  observations: Translated[],
  live: Partial<LivePartition> = {},
): { types: string[]; assignment: Assignment } {
  const assignment = anAssignment(live);
  sortIntoMailboxes(dispatchUnder(settings), assignment, {
    records: toRecords(observations.flatMap(({ events }) => events)),
  });
  return { types: pendingIn(assignment), assignment };
}

function pendingIn({ mailboxes }: Assignment): string[] {
  return [...mailboxes.values()].flatMap(({ pending }) => pending.map(({ fact }) => fact.type));
}

function seen(fields: JobFields = {}): Translated {
  return translateJob(SCOPE, jobObject(fields), at(0));
}

function deleted(fields: JobFields = {}): Translated {
  const job = jobObject(fields);
  const { uid, resourceVersion } = job.metadata;
  return translateJobDeletion(SCOPE, emptyLiveSet(), uid, { job, resourceVersion, time: at(0) });
}

function aPodSeen(job: Translated): Translated {
  const live = emptyLiveSet();
  for (const change of job.changes) applyChange(live, change);
  return translatePod(SCOPE, live, podObject(), at(0));
}

describe('a Job that another controller controls', () => {
  it('is recorded and never signalled (J-15.9)', () => {
    const job = seen({ ...FOREIGN, status: ENDED });
    expect(deliver(DEFAULT_SETTINGS, [seen(FOREIGN), aPodSeen(job), job]).types).toEqual([]);
  });

  it('is signalled from its end on when Jobledger deletes it, but facts of its pods are not signalled (J-10.4)', () => {
    const ended = seen({ ...FOREIGN, status: ENDED });
    expect(deliver(WITH_TTL, [seen(FOREIGN), aPodSeen(ended)]).types).toEqual([]);
    expect(deliver(WITH_TTL, [seen(FOREIGN), ended, aPodSeen(ended)]).types).toEqual(['job.observed']);
  });

  it('receives the signal that its ttl was removed, and no later signal (J-10.4)', () => {
    const { managedBy } = FOREIGN;
    const story = [
      seen({ ...FOREIGN, status: ENDED }),
      seen({ managedBy, status: ENDED, generation: 2 }),
      deleted({ managedBy, status: ENDED }),
    ];
    expect(deliver(WITH_TTL, story).types).toEqual(['job.observed', 'job.observed']);
  });

  it('is read again from the ledger only when the ledger may have earlier facts about the Job (J-10.4)', () => {
    const recalls = (end: bigint): boolean[] => {
      const { assignment } = deliver(WITH_TTL, [seen(FOREIGN), seen({ ...FOREIGN, status: ENDED })], { end });
      return [...assignment.mailboxes.values()].map(({ needsRecall }) => needsRecall);
    };
    expect(recalls(0n)).toEqual([false]);
    expect(recalls(1n)).toEqual([true]);
  });
});

describe('a Job of Jobledger that was deleted while the dispatcher was down', () => {
  it('is still signalled, so that its workflow ends', () => {
    expect(deliver(DEFAULT_SETTINGS, [deleted()]).types).toEqual(['job.deleted']);
    expect(deliver(DEFAULT_SETTINGS, [deleted(FOREIGN)]).types).toEqual([]);
  });
});

describe('a user request in the ledger', () => {
  const userRequest = (source: string): JobEvent =>
    withDigest<RequestReceived>({
      id: `${source}/wish`,
      type: 'request.received',
      source,
      subject: `default/${JOB_NAME}`,
      time: at(1),
      data: { cluster: CLUSTER, jobUid: JOB_UID, action: 'suspend', by: 'someone' },
    });
  const requested = (source: string, before: Translated[]): Assignment => {
    const events = [...before.flatMap((each) => each.events), userRequest(source)];
    const assignment = anAssignment();
    sortIntoMailboxes(dispatchUnder(DEFAULT_SETTINGS), assignment, { records: toRecords(events) });
    return assignment;
  };

  it("is signalled to the workflow of its Job at once when a user's tool appended it", () => {
    const assignment = requested(REQUESTS_SOURCE, [seen()]);
    expect(pendingIn(assignment)).toEqual(['job.observed', 'request.received']);
    expect([...assignment.mailboxes.values()].map(({ pending }) => pending.at(-1)?.urgency)).toEqual(['now']);
    expect(assignment.position.inFlight()).toBe(2);
  });

  it('is not signalled when the workflow recorded the request itself', () => {
    expect(pendingIn(requested(`jobledger/${CLUSTER}`, [seen()]))).toEqual(['job.observed']);
  });

  it('starts no workflow for an unknown Job', () => {
    const { mailboxes } = requested(REQUESTS_SOURCE, []);
    expect([...mailboxes.values()].map(({ mayStart }) => mayStart)).toEqual([false]);
  });
});

describe('a ledger record of a newer version', () => {
  const newer = (record: LedgerRecord): LedgerRecord => ({
    ...record,
    value: Buffer.from(record.value?.toString().replace('job.observed.v1', 'job.observed.v2') ?? ''),
  });

  it('is not skipped: the dispatcher signals events before the record, and no events after the record', () => {
    const assignment = anAssignment({}, 7n);
    const [first, second, third] = toRecords([...seen().events, ...seen().events, ...seen().events], 7n);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three are needed');
    expect(() =>
      sortIntoMailboxes(dispatchUnder(DEFAULT_SETTINGS), assignment, {
        records: [first, newer(second), third],
      }),
    ).toThrow(
      /^partition \d, offset 8 of the ledger: dev\.jobledger\.job\.observed\.v2 is newer than this version of Jobledger/,
    );
    expect(pendingIn(assignment)).toEqual(['job.observed']);
    expect(assignment.position.next()).toBe(8n);
  });

  it('is not treated like a broken record, which is skipped', () => {
    const assignment = anAssignment();
    const [first, second] = toRecords([...seen().events, ...seen().events]);
    if (first === undefined || second === undefined) throw new Error('two are needed');
    const broken = { ...first, value: Buffer.from('{') };
    sortIntoMailboxes(dispatchUnder(DEFAULT_SETTINGS), assignment, { records: [broken, second] });
    expect(pendingIn(assignment)).toEqual(['job.observed']);
    expect(assignment.position.next()).toBe(2n);
  });
});

describe('a Job that is deleted according to the live topic', () => {
  const gone = (): Set<string> => new Set([`${CLUSTER}/${JOB_UID}`]);
  const starts = ({ mailboxes }: Assignment): boolean[] =>
    [...mailboxes.values()].map(({ mayStart }) => mayStart);

  it('gets no workflow for earlier facts in the ledger, but a running workflow receives these facts', () => {
    const { types, assignment } = deliver(DEFAULT_SETTINGS, [seen(), deleted()], { gone: gone(), end: 3n });
    expect(types).toEqual(['job.observed', 'job.deleted']);
    expect(starts(assignment)).toEqual([false]);
  });

  it('is removed from memory when the dispatcher has read the partition up to its end', () => {
    const { assignment } = deliver(DEFAULT_SETTINGS, [seen({ uid: 'another' })], { gone: gone(), end: 1n });
    expect([...assignment.gone]).toEqual([]);
    expect(starts(assignment)).toEqual([true]);
  });
});

describe('a finished Job in the dispatcher', () => {
  const finished = (fields: JobFields = {}): Translated => seen({ status: ENDED, version: '5', ...fields });
  const pod = (version: string, untracked: boolean): Translated => {
    const live = emptyLiveSet();
    for (const change of seen().changes) applyChange(live, change);
    return translatePod(SCOPE, live, podObject({ phase: 'Succeeded', untracked, version }), at(0));
  };

  /** Whether what comes after the finished Job was read, and sent, starts a workflow. */
  function starts(settings: Settings, fields: JobFields, after: Translated): boolean[] {
    const { assignment } = deliver(settings, [finished(fields)]);
    for (const { pending } of assignment.mailboxes.values()) pending.length = 0;
    sortIntoMailboxes(dispatchUnder(settings), assignment, { records: toRecords(after.events, 1n) });
    return [...assignment.mailboxes.values()].map((mailbox) => startsWorkflow(mailbox, mailbox.pending));
  }

  it('gets no workflow for its own deletion or for the deletion of its pods', () => {
    expect(starts(DEFAULT_SETTINGS, {}, deleted({ status: ENDED, version: '9' }))).toEqual([false]);
    expect(starts(DEFAULT_SETTINGS, {}, pod('7', true))).toEqual([false]);
  });

  it('gets a workflow for a pod that still has the tracking finalizer, and for a change of the Job', () => {
    expect(starts(DEFAULT_SETTINGS, {}, pod('7', false))).toEqual([true]);
    const fields = { status: ENDED, ttlSecondsAfterFinished: 9, generation: 2, version: '9' };
    expect(starts(WITH_TTL, {}, seen(fields))).toEqual([true]);
  });

  it('keeps, with a ttl, its workflow until the ttl expires, and the dispatcher starts a missing workflow again', () => {
    const fields = { ttlSecondsAfterFinished: 9 };
    expect(starts(WITH_TTL, fields, deleted({ ...fields, status: ENDED, version: '9' }))).toEqual([true]);
  });
});

describe('the dispatcher, when it checks that each Job has a workflow,', () => {
  const ref = (uid: string): ObjectRef => ({
    cluster: CLUSTER,
    uid,
    namespace: 'default',
    name: uid,
    kind: 'Job',
  });
  const jobs = (): Map<string, KnownJob> =>
    new Map(
      [
        { uid: 'ours', isOurs: true, expires: false, isFinished: false },
        { uid: 'ours-ended', isOurs: true, expires: false, isFinished: true },
        { uid: 'ours-expiring', isOurs: true, expires: true, isFinished: true },
        { uid: 'foreign', isOurs: false, expires: false, isFinished: false },
        { uid: 'foreign-expiring', isOurs: false, expires: true, isFinished: true },
      ].map(({ uid, ...known }) => [uid, { ref: ref(uid), wasThere: true, ...known }]),
    );

  async function started(settings: Settings, running: string[], live = jobs()): Promise<string[]> {
    const signals: string[] = [];
    await ensureWorkflows({
      assignments: new Map([[0, anAssignment({ jobs: jobs() })]]),
      settings,
      running: () => Promise.resolve(new Set(running)),
      readLiveJobs: () => Promise.resolve(new Map([[0, { jobs: live, gone: new Set<string>(), end: 0n }]])),
      signal: ({ uid }, _facts, { start }) => Promise.resolve(void (start && signals.push(uid))),
      log: silentLog(),
    });
    return signals;
  }

  it('starts missing workflows, but for finished Jobs only when Jobledger deletes these Jobs (J-10.4)', async () => {
    expect(await started(DEFAULT_SETTINGS, ['ours'])).toEqual([]);
    expect(await started(DEFAULT_SETTINGS, [])).toEqual(['ours']);
    expect(await started(WITH_TTL, [])).toEqual(['ours', 'ours-expiring', 'foreign-expiring']);
  });

  it('starts no workflow for a Job that was deleted before the start', async () => {
    const left = jobs();
    left.delete('ours');
    expect(await started(WITH_TTL, [], left)).toEqual(['ours-expiring', 'foreign-expiring']);
  });
});

describe('a pod of another namespace that names a Job before the Job is known', () => {
  it('does not give its own namespace to the mailbox of the Job', () => {
    const pod = podObject();
    const foreign = { ...pod, metadata: { ...pod.metadata, namespace: 'attacker' } };
    const early = translatePod(SCOPE, emptyLiveSet(), foreign, at(0));
    const { assignment } = deliver(DEFAULT_SETTINGS, [early, seen()]);
    expect([...assignment.mailboxes.values()].map(({ job }) => `${job.namespace}/${job.name}`)).toEqual([
      `default/${JOB_NAME}`,
    ]);
  });
});
