import { describe, expect, it } from '@jest/globals';
import { withDigest } from '../../services/adapters/events/event-codec.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import {
  beginAssignment,
  countFactsInFlight,
  type Assignment,
} from '../../services/dispatcher/assignments/assignment.ts';
import { askDueRuns } from '../../services/dispatcher/sending/ask.ts';
import { sortIntoMailboxes, type Dispatch } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { sendDueMailboxes } from '../../services/dispatcher/sending/send.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJob, translatePod } from '../../services/ingester/translate/translate.ts';
import type { OutcomeRecorded, JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, JOB_NAME, JOB_UID, jobObject, podObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

const SCOPE = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
const MINUTE = 60_000;

/** The outcome of the creation of these pods. */
function created(...uids: string[]): OutcomeRecorded {
  return withDigest<OutcomeRecorded>({
    id: `answer/${uids.join()}`,
    source: `jobledger/${CLUSTER}`,
    subject: `default/${JOB_NAME}`,
    time: at(1),
    type: 'outcome.recorded',
    data: {
      cluster: CLUSTER,
      jobUid: JOB_UID,
      decision: 'd',
      command: 0,
      attempt: 1,
      outcome: {
        kind: 'CreatePods',
        generation: 1,
        at: 0,
        pods: [
          ...uids.map((uid, ordinal) => ({
            ordinal,
            name: uid,
            result: 'created' as const,
            uid,
            resourceVersion: '7',
          })),
          { ordinal: uids.length, name: 'other', result: 'taken' },
        ],
      },
    },
  });
}

/** A dispatcher that has read a Job and what follows it; Temporal answers its signals. */
async function aDispatcher(): Promise<{
  read: (...events: JobEvent[]) => Promise<void>;
  /** The signals without facts that are sent now, of these Jobs. */
  asked: () => Promise<string[]>;
  /** Where a new owner of the partition would begin, from the first event after the Job on. */
  behind: () => number;
  aPod: (uid: string) => JobEvent;
  inFlight: () => number;
  failNext: () => void;
  passTo: (now: number) => void;
}> {
  const assignments: Dispatch['assignments'] = new Map();
  const assignment: Assignment = beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
  assignments.set(0, assignment);
  let [now, fails] = [0, false];
  const signals: string[] = [];
  const log = silentLog();
  const signal = (job: { uid: string }, facts: unknown[]): Promise<void> => {
    if (fails) return Promise.reject(new Error('Temporal is down'));
    if (facts.length === 0) signals.push(job.uid);
    return Promise.resolve();
  };
  const dispatch: Dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job'],
    countRead: () => undefined,
    now: () => now,
    periodMs: 0,
  };
  const read = async (...events: JobEvent[]): Promise<void> => {
    sortIntoMailboxes(dispatch, assignment, { records: toRecords(events, assignment.position.next()) });
    await sendDueMailboxes({
      assignments,
      mostWaiting: 40,
      signal,
      log,
      now: () => now,
      onEnded: () => undefined,
    });
  };
  const job = translateJob(SCOPE, jobObject(), at(0));
  await read(...job.events);
  const begin = assignment.position.next();
  const live = emptyLiveSet();
  for (const change of job.changes) applyChange(live, change);
  return {
    read,
    async asked() {
      signals.length = 0;
      await askDueRuns({ assignments, signal, log, now: () => now });
      fails = false;
      return [...signals];
    },
    behind: () => Number((assignment.position.due() ?? assignment.position.next()) - begin),
    aPod: (uid) => translatePod(SCOPE, live, podObject({ uid, name: uid }), at(2)).events[0] as JobEvent,
    inFlight: () => countFactsInFlight(assignments),
    failNext: () => (fails = true),
    passTo: (to) => (now = to),
  };
}

describe('a created pod that was not observed (J-3.21)', () => {
  it('is queried once, a minute after the creation', async () => {
    const { read, asked, behind, passTo } = await aDispatcher();
    await read(created('a', 'b'));
    passTo(MINUTE - 1);
    expect(await asked()).toEqual([]);
    expect(behind()).toBe(0);
    passTo(MINUTE);
    expect(await asked()).toEqual([JOB_UID]);
    expect(behind()).toBe(1);
    expect(await asked()).toEqual([]);
  });

  it('is not queried when all pods of its command were observed, before or after the outcome', async () => {
    const { read, asked, behind, aPod, passTo } = await aDispatcher();
    await read(aPod('a'), created('a', 'b'));
    expect(behind()).toBe(1);
    await read(aPod('b'));
    expect(behind()).toBe(3);
    passTo(MINUTE);
    expect(await asked()).toEqual([]);
  });

  it('is queried when only other pods of its command were observed', async () => {
    const { read, asked, aPod, passTo } = await aDispatcher();
    await read(created('a', 'b'), aPod('b'));
    passTo(MINUTE);
    expect(await asked()).toEqual([JOB_UID]);
  });

  it('is queried after a wait when Temporal does not answer, also by a new owner of the partition', async () => {
    const { read, asked, behind, failNext, passTo } = await aDispatcher();
    await read(created('a'));
    passTo(MINUTE);
    failNext();
    expect(await asked()).toEqual([]);
    expect(behind()).toBe(0);
    expect(await asked()).toEqual([JOB_UID]);
  });

  it('does not count as an unsent fact, and reading continues', async () => {
    const { read, inFlight } = await aDispatcher();
    await read(created('a'));
    expect(inFlight()).toBe(0);
  });
});
