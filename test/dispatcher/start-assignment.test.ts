import { describe, expect, it } from '@jest/globals';
import {
  dueOffset,
  type Assignment,
  type Assignments,
} from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { sendDueMailboxes } from '../../services/dispatcher/sending/send.ts';
import { createStartAssignment } from '../../services/dispatcher/assignments/start-assignment.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJobDeletion, translateJob } from '../../services/ingester/translate/translate.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { at, CLUSTER, jobObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';
import { toRecords } from './to-records.ts';

/** Jobs that ran and were deleted long ago; the live topic knows nothing of them any more. */
function longAgo(jobs: number): JobEvent[] {
  const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };
  return Array.from({ length: jobs }, (_none, each) => {
    const job = jobObject({ uid: `old-${each}`, name: `old-${each}` });
    const [live, { events, changes }] = [emptyLiveSet(), translateJob(scope, job, at(0))];
    for (const change of changes) applyChange(live, change);
    const last = { job, resourceVersion: job.metadata.resourceVersion, time: at(9) };
    return [...events, ...translateJobDeletion(scope, live, job.metadata.uid, last).events];
  }).flat();
}

/** Takes partition 0 of this ledger. `committed`: absent when the group has no offset. */
async function take(
  ledger: readonly JobEvent[],
  { committed, writtenUpTo = ledger.length }: { committed?: bigint; writtenUpTo?: number } = {},
): Promise<{ assignment: Assignment; from: bigint | null; assignments: Assignments }> {
  const assignments: Assignments = new Map();
  const end = BigInt(ledger.length);
  const start = createStartAssignment({
    assignments,
    committed: () => Promise.resolve(new Map(committed === undefined ? [] : [[0, committed]])),
    writtenUpTo: () => Promise.resolve(new Map([[0, BigInt(writtenUpTo)]])),
    readLiveJobs: () => Promise.resolve(new Map([[0, { jobs: new Map(), gone: new Set<string>(), end }]])),
    onTaken: () => undefined,
  });
  const from = await start(0, () => false);
  const assignment = assignments.get(0);
  if (assignment === undefined) throw new Error('the partition was not taken');
  return { assignment, from, assignments };
}

/** The Jobs for which a workflow is started when the ledger is read from there. */
async function startedFrom(
  ledger: readonly JobEvent[],
  taken: Awaited<ReturnType<typeof take>>,
): Promise<number> {
  const { assignment, assignments, from } = taken;
  const started = new Set<string>();
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    periodMs: 0,
  };
  const records = toRecords(ledger).slice(Number(from));
  for (let each = 0; each < records.length; each += 2)
    sortIntoMailboxes({ ...dispatch, now: () => 0 }, assignment, { records: records.slice(each, each + 2) });
  await sendDueMailboxes({
    mostWaiting: 40,
    assignments,
    signal: async ({ uid }, _facts, { start }) => void (start && started.add(uid)),
    log: silentLog(),
    now: () => 1,
    onEnded: () => undefined,
  });
  return started.size;
}

describe('a partition that a dispatcher begins to read', () => {
  it('is read from the offset to which the live topic was read when no offset is committed, and no earlier Job gets a run', async () => {
    const ledger = longAgo(100);
    const taken = await take(ledger);
    expect(taken.from).toBe(200n);
    expect(await startedFrom(ledger, taken)).toBe(0);
  });

  it('is read from before the events that the live topic may lack when no offset is committed', async () => {
    expect((await take(longAgo(100), { writtenUpTo: 190 })).from).toBe(190n);
  });

  it('gets a committed offset after its runs have read the skipped events', async () => {
    const { assignment } = await take(longAgo(100));
    expect(dueOffset(assignment)).toBeNull();
    assignment.isRecallDue = false;
    expect(dueOffset(assignment)).toBe(200n);
  });

  it('is read from its beginning while the ledger is empty', async () => {
    const { assignment, from } = await take([]);
    expect([from, assignment.isRecallDue]).toEqual([0n, false]);
  });

  it('is read from the committed offset of the consumer group, also when that is the first offset', async () => {
    const { assignment, from } = await take(longAgo(100), { committed: 0n });
    expect([from, assignment.isRecallDue, dueOffset(assignment)]).toEqual([0n, false, null]);
  });
});
