import {
  beginAssignment,
  type Assignment,
  type Assignments,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { createNotifier } from '../../services/adapters/waiting/notifier.ts';
import { keepSending, type Signal } from '../../services/dispatcher/sending/send.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { translateJob } from '../../services/ingester/translate/translate.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, jobObject } from '../support/builders.ts';
import { eventually } from '../support/eventually.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };

const stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A dispatcher with one partition, that sends with `signal`. */
function aSender(signal: Signal): { read(...uids: string[]): Assignment } {
  const assignments: Assignments = new Map();
  const assignment = beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
  assignments.set(0, assignment);
  const [due, ending] = [createNotifier(), new AbortController()];
  const sending = {
    assignments,
    mostWaiting: 40,
    signal,
    log: silentLog(),
    now: Date.now,
    onEnded: due.notify,
  };
  const ended = keepSending(sending, due, ending.signal);
  stops.push(() => {
    ending.abort();
    due.notify();
    return ended;
  });
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now: Date.now,
    periodMs: 0,
  };
  return {
    read(...uids) {
      const events = uids.flatMap((uid) => translateJob(SCOPE, jobObject({ uid }), at(0)).events);
      sortIntoMailboxes(dispatch, assignment, { records: toRecords(events, assignment.position.next()) });
      due.notify();
      return assignment;
    },
  };
}

describe('a signal that gets no answer', () => {
  it('delays no other Job, whether the other Job is read together with the first Job or afterwards', async () => {
    const signalled: string[] = [];
    const sender = aSender(({ uid }) => {
      if (uid === 'hangs') return new Promise(() => undefined);
      signalled.push(uid);
      return Promise.resolve();
    });
    sender.read('hangs', 'beside');
    await eventually('the Job beside it is signalled', 5, async () => signalled.length === 1 || undefined);
    sender.read('later');
    await eventually('the later Job is signalled', 5, async () => signalled.length === 2 || undefined);
    expect(signalled).toEqual(['beside', 'later']);
  });
});

describe('a mailbox that is due at a future time', () => {
  it('is sent at its time without another record', async () => {
    const signalled: number[] = [];
    const sender = aSender(() => Promise.resolve(void signalled.push(Date.now())));
    const dueAt = Date.now() + 80;
    // In the same turn, so before it is looked at.
    for (const mailbox of sender.read('pi').mailboxes.values()) mailbox.dueAt = dueAt;
    await eventually('it is signalled', 5, async () => signalled.length === 1 || undefined);
    expect(signalled[0]).toBeGreaterThanOrEqual(dueAt);
  });

  it('is sent again when the signal failed', async () => {
    let asked = 0;
    const sender = aSender(() => {
      asked += 1;
      return asked < 3 ? Promise.reject(new Error('Temporal is away')) : Promise.resolve();
    });
    const assignment = sender.read('pi');
    await eventually('it is acknowledged', 5, async () => assignment.position.inFlight() === 0 || undefined);
    expect(asked).toBe(3);
  });
});
