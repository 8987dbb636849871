import { describe, expect, it } from '@jest/globals';
import { beginAssignment, type Assignment } from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes, type Dispatch } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import type { DeadLetter } from '../../services/consumers/dead-letters.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import type { KindName } from '../../workflows/kind.ts';
import { ALL_KINDS, streamIdOfKey } from '../../workflows/kinds.ts';
import type { LedgerEvent } from '../../workflows/ledger-event.ts';
import { CLUSTER, JOB_UID } from '../support/builders.ts';
import { foreignRecords, createObservation } from '../support/poisoned-streams.ts';
import { toRecords } from './to-records.ts';

const KEY = `${CLUSTER}/${JOB_UID}`;

function anAssignment(): Assignment {
  return beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
}

function sorted(assignment: Assignment, events: readonly LedgerEvent[]): DeadLetter[] {
  const dispatch: Dispatch = {
    assignments: new Map([[0, assignment]]),
    settings: DEFAULT_SETTINGS,
    kinds: ['PlacedJob', 'Job', 'CronJob'],
    countRead: () => undefined,
    now: () => 0,
    periodMs: 1000,
  };
  return sortIntoMailboxes(dispatch, assignment, { records: toRecords(events) });
}

describe('a stream under whose key another client has written records of another kind', () => {
  const kinds = ALL_KINDS.map(({ name }) => name);

  it.each(kinds)('continues as if these records did not exist: the stream of a %s', (kind: KindName) => {
    const own = createObservation(kind, JOB_UID);
    const foreign = foreignRecords(kind, JOB_UID);
    expect(foreign.map(({ type }) => type)).toHaveLength(4);
    const [poisoned, clean] = [anAssignment(), anAssignment()];
    expect(sorted(poisoned, [...foreign, own, ...foreign, own])).toEqual([]);
    sorted(clean, [own, own]);
    const factsIn = ({ mailboxes }: Assignment): string[] | undefined =>
      mailboxes.get(streamIdOfKey(KEY, kind))?.pending.map(({ fact }) => fact.id);
    expect(factsIn(poisoned)).toEqual([own.id, own.id]);
    expect(factsIn(poisoned)).toEqual(factsIn(clean));
    expect(poisoned.position.next()).toBe(10n);
    // A pod that says it is of a Job of this UID has a run of its own at most, with another id.
    const others = [...poisoned.mailboxes.keys()].filter((id) => id !== streamIdOfKey(KEY, kind));
    expect(others.filter((id) => id !== KEY)).toEqual([]);
  });
});

describe('a record that the dispatcher cannot assign to a mailbox', () => {
  it('becomes a dead letter, and the records after it are assigned', () => {
    const own = createObservation('Job', JOB_UID);
    // Without a spec, which no API server leaves out.
    const [pod] = foreignRecords('CronJob', 'other').filter(({ type }) => type === 'pod.observed');
    const object = { metadata: (pod as { data: { object: { metadata: object } } }).data.object.metadata };
    const broken = { ...pod, data: { ...pod?.data, object } } as LedgerEvent;
    const assignment = anAssignment();
    const letters = sorted(assignment, [broken, own]);
    expect(letters.map(({ record, reason }) => [record.offset, reason])).toEqual([
      [0n, "the record cannot be dispatched: Cannot read properties of undefined (reading 'nodeName')"],
    ]);
    expect([...assignment.mailboxes.keys()]).toEqual([KEY]);
    expect(assignment.position.next()).toBe(2n);
  });
});

describe('CronJobs that only Jobs name', () => {
  it('take bounded memory, and CronJobs of one namespace displace no CronJobs of another namespace', () => {
    const assignment = anAssignment();
    const mention = (uid: string, namespace: string): LedgerEvent[] =>
      foreignRecords('Job', uid)
        .filter(({ type, data }) => type === 'job.observed' && 'cronJobUid' in data)
        .map((event) => ({ ...event, subject: `${namespace}/victim` }));
    sorted(assignment, mention('first', 'quiet'));
    for (let at = 0; at < 2000; at += 1) sorted(assignment, mention(`invented-${at}`, 'noisy'));
    expect(assignment.early.size()).toBe(501);
    const named = { cluster: CLUSTER, namespace: 'quiet', name: 'victim', kind: 'CronJob' as const };
    expect(assignment.early.take({ ...named, uid: 'first' })).toBe(true);
  });
});
