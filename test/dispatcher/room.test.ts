import { describe, expect, it } from '@jest/globals';
import { silentLog } from '../../services/adapters/process/log.ts';
import {
  beginAssignment,
  type Assignment,
  type Assignments,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { hasRoom } from '../../services/dispatcher/reading/room.ts';
import { sendDueMailboxes } from '../../services/dispatcher/sending/send.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJob, translatePod, type Translated } from '../../services/ingester/translate/translate.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, JOB_NAME, jobObject, podObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

/** As many as a worker decides about at once, and one. */
const A_CROWD = 41;
/** As many unsent facts as are read at most, and one. */
const TOO_MANY = 5001;
/** Even held facts. */
const FAR_TOO_MANY = 20_001;

/** A dispatcher with one partition, at an instant that the test sets. `isDown`: each signal fails. */
function aDispatcher({ isDown = false } = {}): {
  read(...translated: Translated[]): void;
  send(): Promise<void>;
  /** Ends of pods of one Job. */
  readEnds(count: number): void;
  /** The same of pods whose status has a message of this length. */
  readLongEnds(count: number, length: number): void;
  hasRoom(): boolean;
  /** By cluster and name of the Job. */
  sent: Map<string, number>;
  clock: { now: number };
} {
  const assignment: Assignment = beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
  const assignments: Assignments = new Map([[0, assignment]]);
  const clock = { now: 0 };
  const sent = new Map<string, number>();
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    periodMs: 1000,
  };
  const now = (): number => clock.now;
  const signal = async (job: { cluster: string; name: string }, facts: unknown[]): Promise<void> => {
    if (isDown) throw new Error('Temporal is down');
    const key = `${job.cluster}/${job.name}`;
    sent.set(key, (sent.get(key) ?? 0) + facts.length);
  };
  const readEvents = (events: readonly JobEvent[]): void =>
    void sortIntoMailboxes({ ...dispatch, now }, assignment, {
      records: toRecords(events, assignment.position.next()),
    });
  return {
    clock,
    sent,
    read: (...translated) => readEvents(translated.flatMap(({ events }) => events)),
    send: () =>
      sendDueMailboxes({
        assignments,
        mostWaiting: 40,
        signal,
        log: silentLog(),
        now,
        onEnded: () => undefined,
      }),
    readEnds(count) {
      const live = emptyLiveSet();
      for (const change of theBigJob().changes) applyChange(live, change);
      const ends = Array.from({ length: count }, (_none, each) =>
        translatePod(
          translationScope(CLUSTER),
          live,
          podObject({ uid: `pod-${each}`, phase: 'Succeeded' }),
          at(0),
        ),
      );
      readEvents(ends.flatMap(({ events }) => events));
    },
    readLongEnds(count, length) {
      const live = emptyLiveSet();
      for (const change of theBigJob().changes) applyChange(live, change);
      for (let each = 0; each < count; each += 1) {
        const pod = podObject({ phase: 'Succeeded' });
        const long = { ...pod, status: { ...pod.status, message: 'x'.repeat(length) } };
        readEvents(translatePod(translationScope(CLUSTER), live, long, at(0)).events);
      }
    },
    hasRoom: () => hasRoom(assignments, 40, clock.now),
  };
}

const translationScope = (cluster: string) => ({ cluster, claim: 'managed' as const, redaction: REDACTION });

/** The Job whose pods end. */
const theBigJob = (): Translated => translateJob(translationScope(CLUSTER), jobObject(), at(0));
const BIG = `${CLUSTER}/${JOB_NAME}`;

function aJob(uid: string, cluster = CLUSTER): Translated {
  return translateJob(translationScope(cluster), jobObject({ uid, name: uid }), at(0));
}

describe('while the dispatcher delays facts in favour of new Jobs,', () => {
  const crowded = async (given = {}): Promise<ReturnType<typeof aDispatcher>> => {
    const dispatcher = aDispatcher(given);
    dispatcher.read(theBigJob());
    await dispatcher.send();
    dispatcher.read(...Array.from({ length: A_CROWD }, (_none, each) => aJob(`new-${each}`)));
    await dispatcher.send();
    return dispatcher;
  };

  it('the dispatcher continues to read, however many pods of a Job have ended', async () => {
    const dispatcher = await crowded();
    dispatcher.readEnds(TOO_MANY);
    dispatcher.clock.now = 2000;
    await dispatcher.send();
    expect(dispatcher.sent.get(BIG)).toBe(1);
    expect(dispatcher.hasRoom()).toBe(true);
    dispatcher.read(aJob('elsewhere', 'west'));
    await dispatcher.send();
    expect(dispatcher.sent.get('west/elsewhere')).toBe(1);
  });

  it('the dispatcher first sends the facts that stop its reading, and then continues to read', async () => {
    const dispatcher = await crowded();
    dispatcher.readEnds(FAR_TOO_MANY);
    expect(dispatcher.hasRoom()).toBe(false);
    dispatcher.clock.now = 2000;
    await dispatcher.send();
    expect(dispatcher.sent.get(BIG)).toBe(FAR_TOO_MANY + 1);
    expect(dispatcher.hasRoom()).toBe(true);
  });

  it('the memory for delayed facts is bounded, however long the objects are', async () => {
    const dispatcher = await crowded();
    dispatcher.readLongEnds(100, 600_000);
    expect(dispatcher.hasRoom()).toBe(true);
    dispatcher.readLongEnds(20, 600_000);
    expect(dispatcher.hasRoom()).toBe(false);
    dispatcher.clock.now = 2000;
    await dispatcher.send();
    expect(dispatcher.hasRoom()).toBe(true);
    expect(dispatcher.sent.get(BIG)).toBe(121);
  });

  it('the dispatcher stops its reading when Temporal does not accept facts', async () => {
    const dispatcher = await crowded({ isDown: true });
    dispatcher.readEnds(TOO_MANY);
    expect(dispatcher.hasRoom()).toBe(false);
  });
});

describe('while the dispatcher delays no facts,', () => {
  it('the dispatcher stops its reading until the unsent facts are sent', async () => {
    const dispatcher = aDispatcher();
    dispatcher.read(theBigJob());
    dispatcher.readEnds(TOO_MANY);
    expect(dispatcher.hasRoom()).toBe(false);
    dispatcher.clock.now = 2000;
    await dispatcher.send();
    expect(dispatcher.hasRoom()).toBe(true);
  });
});
