import { withDigest } from '../../services/adapters/events/event-codec.ts';
import {
  beginAssignment,
  endAssignment,
  type Assignment,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes, type Dispatch } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { sendDueMailboxes, type SendDependencies } from '../../services/dispatcher/sending/send.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJobDeletion, translateJob } from '../../services/ingester/translate/translate.ts';
import type { JobDecided, JobEvent } from '../../workflows/job/events.ts';
import { CORE_VERSION } from '../../workflows/job/record/decision-record.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, JOB_NAME, JOB_UID, jobObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const PARTITION = 3;

/** A dispatcher with one partition, committed up to 41; the test answers its signals. */
function aDispatcher(): {
  assign(): Assignment;
  revoke(): void;
  read(assignment: Assignment, ...events: JobEvent[]): void;
  /** Sends what is due; the signals wait for `answer`. */
  send(now?: number): Promise<void>;
  answer(failure?: Error): void;
  signals: string[][];
  /** The number of the last decision that each signal named. */
  decided: (number | undefined)[];
} {
  const assignments: Dispatch['assignments'] = new Map();
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now: () => 0,
    periodMs: 0,
  };
  const signals: string[][] = [];
  const numbers: (number | undefined)[] = [];
  const waiting: ((failure?: Error) => void)[] = [];
  const signal: SendDependencies['signal'] = (_job, facts, { decided: number }) => {
    signals.push(facts.map(({ type }) => type));
    numbers.push(number);
    return new Promise((resolve, reject) => {
      waiting.push((failure) => (failure === undefined ? resolve() : reject(failure)));
    });
  };
  return {
    signals,
    decided: numbers,
    assign() {
      const assignment = beginAssignment(PARTITION, 41n, { jobs: new Map(), gone: new Set(), end: 0n });
      assignments.set(PARTITION, assignment);
      return assignment;
    },
    revoke: () => endAssignment(assignments, PARTITION),
    read(assignment, ...events) {
      const records = toRecords(events, assignment.position.next(), PARTITION);
      sortIntoMailboxes(dispatch, assignment, { records });
    },
    send: (now = 1) =>
      sendDueMailboxes({
        assignments,
        mostWaiting: 40,
        signal,
        log: silentLog(),
        now: () => now,
        onEnded: () => undefined,
      }),
    answer: (failure) => waiting.shift()?.(failure),
  };
}

const observed = (): JobEvent[] => translateJob(SCOPE, jobObject(), at(0)).events;
const deleted = (): JobEvent[] => {
  const job = jobObject();
  const last = { job, resourceVersion: job.metadata.resourceVersion, time: at(0) };
  return translateJobDeletion(SCOPE, emptyLiveSet(), JOB_UID, last).events;
};

/** A decision that has folded these events. */
function decided(events: readonly JobEvent[]): JobEvent {
  return withDigest<JobDecided>({
    id: 'a decision',
    source: `jobledger/${CLUSTER}`,
    subject: `default/${JOB_NAME}`,
    time: at(2),
    type: 'job.decided',
    data: {
      cluster: CLUSTER,
      jobUid: JOB_UID,
      firstRunId: 'a',
      number: 1,
      predecessor: null,
      core: CORE_VERSION,
      now: 0,
      settings: DEFAULT_SETTINGS,
      folded: events.map(({ id, digest }) => ({ id, digest })),
      foldedBefore: [],
      commands: [],
      nextDecisionAt: null,
      waiting: null,
    },
  });
}

describe('a signal that is acknowledged after its partition was revoked', () => {
  it('changes no position, neither of the lost assignment nor of the next assignment', async () => {
    const dispatcher = aDispatcher();
    const before = dispatcher.assign();
    dispatcher.read(before, ...observed());
    const sent = dispatcher.send();
    dispatcher.revoke();
    const after = dispatcher.assign();
    dispatcher.read(after, ...observed());
    dispatcher.answer();
    await sent;
    expect(after.position.due()).toBeNull();
    expect(after.position.inFlight()).toBe(1);
    expect(after.mailboxes.size).toBe(1);
  });

  it('is the last signal, and pending events are left to the new owner of the partition', async () => {
    const dispatcher = aDispatcher();
    const assignment = dispatcher.assign();
    dispatcher.read(assignment, ...observed());
    const sent = dispatcher.send();
    dispatcher.read(assignment, ...deleted());
    dispatcher.revoke();
    dispatcher.answer();
    await sent;
    expect(dispatcher.signals).toEqual([['job.observed']]);
  });
});

describe('the deletion of a Job in the dispatcher', () => {
  it('removes its mailbox only after all earlier facts are sent, also when the first signal failed', async () => {
    const dispatcher = aDispatcher();
    const assignment = dispatcher.assign();
    dispatcher.read(assignment, ...deleted());
    const sent = dispatcher.send();
    dispatcher.read(assignment, ...observed());
    dispatcher.answer();
    await Promise.resolve();
    while (dispatcher.signals.length < 2) await new Promise((resolve) => setImmediate(resolve));
    dispatcher.answer(new Error('away'));
    await sent;
    expect([assignment.position.inFlight(), assignment.mailboxes.size]).toEqual([1, 1]);
    const again = dispatcher.send(10_000);
    dispatcher.answer();
    await again;
    expect(dispatcher.signals).toEqual([['job.deleted'], ['job.observed'], ['job.observed']]);
    expect([assignment.position.inFlight(), assignment.mailboxes.size]).toEqual([0, 0]);
  });
});

describe('a signal after which the dispatcher waits for a decision', () => {
  const LATER = 40_000;
  /** The Job was read and its signal acknowledged. */
  const signalled = async (
    events = observed(),
  ): Promise<{
    dispatcher: ReturnType<typeof aDispatcher>;
    assignment: Assignment;
  }> => {
    const dispatcher = aDispatcher();
    const assignment = dispatcher.assign();
    dispatcher.read(assignment, ...events);
    const sent = dispatcher.send();
    dispatcher.answer();
    await sent;
    return { dispatcher, assignment };
  };
  const sendAll = async (dispatcher: ReturnType<typeof aDispatcher>, now: number): Promise<void> => {
    const sent = dispatcher.send(now);
    dispatcher.answer();
    await sent;
  };

  it('is repeated once when no decision follows, because the run may not have received it', async () => {
    const { dispatcher, assignment } = await signalled();
    await sendAll(dispatcher, 20_000);
    expect(dispatcher.signals).toHaveLength(1);
    for (const now of [LATER, LATER + 5000, 2 * LATER]) await sendAll(dispatcher, now);
    expect(dispatcher.signals).toEqual([['job.observed'], ['job.observed']]);
    expect(assignment.position.inFlight()).toBe(0);
  });

  it('is not repeated when a decision names the facts of the signal', async () => {
    const events = observed();
    const { dispatcher, assignment } = await signalled(events);
    dispatcher.read(assignment, decided(events));
    await sendAll(dispatcher, LATER);
    expect(dispatcher.signals).toHaveLength(1);
  });

  it('names the last decision in later signals, so that a run without it recalls the ledger', async () => {
    const events = observed();
    const { dispatcher, assignment } = await signalled(events);
    dispatcher.read(assignment, decided(events), ...deleted());
    await sendAll(dispatcher, LATER);
    expect(dispatcher.signals).toEqual([['job.observed'], ['job.deleted']]);
    expect(dispatcher.decided).toEqual([undefined, 1]);
  });

  it('is repeated when the next decision does not name the facts of the signal', async () => {
    const { dispatcher, assignment } = await signalled();
    dispatcher.read(assignment, decided([]));
    await sendAll(dispatcher, LATER);
    expect(dispatcher.signals).toHaveLength(2);
  });

  it('is not repeated when the Job was deleted after the signal', async () => {
    const { dispatcher, assignment } = await signalled();
    dispatcher.read(assignment, ...deleted());
    await sendAll(dispatcher, 100);
    await sendAll(dispatcher, LATER);
    expect(dispatcher.signals).toEqual([['job.observed'], ['job.deleted']]);
  });
});
