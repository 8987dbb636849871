import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import {
  beginAssignment,
  type Assignment,
  type Assignments,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { sendDueMailboxes } from '../../services/dispatcher/sending/send.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, jobObject, type JobFields } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const JOBS = 50;
const A_MINUTE = 60_000;

/** A dispatcher with one partition, at an instant that the test sets. */
function aDispatcher(): {
  assignment: Assignment;
  /** Reads a Job, or a later version of it. */
  read(uid: string, fields?: JobFields): void;
  send(now: number): Promise<void>;
  /** Each signal: the Job, and whether a new run recalls. */
  signals: string[];
  /** While true, signals fail. */
  down: { isDown: boolean };
} {
  const assignment = beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
  const assignments: Assignments = new Map([[0, assignment]]);
  const [signals, down]: [string[], { isDown: boolean }] = [[], { isDown: false }];
  let time = 0;
  const now = (): number => time;
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now,
    periodMs: 1000,
  };
  const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
  return {
    assignment,
    signals,
    down,
    read(uid, fields = {}) {
      const { events } = translateJob(scope, jobObject({ uid, name: uid, ...fields }), at(0));
      sortIntoMailboxes(dispatch, assignment, { records: toRecords(events, assignment.position.next()) });
    },
    async send(instant) {
      time = instant;
      await sendDueMailboxes({
        mostWaiting: 40,
        assignments,
        signal: async ({ uid }, _facts, { recall }) => {
          if (down.isDown) throw new Error('Temporal is down');
          signals.push(`${uid}${recall ? ', recalls' : ''}`);
        },
        log: silentLog(),
        now,
        onEnded: () => undefined,
      });
      // Decisions name all that was signalled.
      assignment.unfolded.take(Infinity);
    },
  };
}

/** Counts from now on how often something looks when a Job is due. */
function looksAt({ mailboxes }: Assignment): () => number {
  let looks = 0;
  for (const mailbox of mailboxes.values()) {
    let { dueAt } = mailbox;
    Object.defineProperty(mailbox, 'dueAt', {
      get: () => ((looks += 1), dueAt),
      set(value: number | null) {
        dueAt = value;
      },
    });
  }
  return () => looks;
}

describe('Jobs in the memory of the dispatcher', () => {
  it('are not examined, while they have no facts to send, when the dispatcher sends facts of another Job', async () => {
    const { assignment, read, send, signals } = aDispatcher();
    for (let each = 0; each < JOBS; each += 1) read(`job-${each}`);
    await send(1);
    const looks = looksAt(assignment);
    read('another');
    await send(2);
    expect(signals).toHaveLength(JOBS + 1);
    expect(looks()).toBe(0);
  });

  it('are removed after a minute without facts, and read again from the ledger when new facts arrive', async () => {
    const { assignment, read, send, signals } = aDispatcher();
    read('first');
    await send(A_MINUTE / 2);
    read('second');
    await send(A_MINUTE - 1);
    expect([...assignment.mailboxes.keys()]).toEqual([`${CLUSTER}/first`, `${CLUSTER}/second`]);
    await send(A_MINUTE + 1);
    expect([...assignment.mailboxes.keys()]).toEqual([`${CLUSTER}/second`]);
    read('first', { generation: 2 });
    await send(A_MINUTE + 2);
    expect(signals).toEqual(['first', 'second', 'first, recalls']);
  });

  it('are not removed while their signal fails', async () => {
    const { assignment, read, send, signals, down } = aDispatcher();
    down.isDown = true;
    read('first');
    await send(1);
    await send(2 * A_MINUTE);
    expect(assignment.mailboxes.size).toBe(1);
    down.isDown = false;
    await send(4 * A_MINUTE);
    expect(signals).toEqual(['first']);
    await send(6 * A_MINUTE);
    expect(assignment.mailboxes.size).toBe(0);
  });
});
