import { beginAssignment, type Assignments } from '../../services/dispatcher/assignments/assignment.ts';
import { sortIntoMailboxes } from '../../services/dispatcher/reading/sort-into-mailboxes.ts';
import { sendDueMailboxes } from '../../services/dispatcher/sending/send.ts';
import { silentLog } from '../../services/adapters/process/log.ts';
import { applyChange, emptyLiveSet } from '../../services/ingester/live-set/live-set.ts';
import { translateJob, translatePod } from '../../services/ingester/translate/translate.ts';
import type { JobEvent } from '../../workflows/job/events.ts';
import { DEFAULT_SETTINGS } from '../../workflows/job/settings.ts';
import { toRecords } from '../dispatcher/to-records.ts';
import { at, CLUSTER, jobObject, podObject } from '../support/builders.ts';
import { REDACTION } from '../support/redaction.ts';

/**
 * `npm run bench:open-jobs [-- FEW MANY]`: what 100 facts a second cost the ingester and the dispatcher beside few and many
 * open Jobs, without Kafka and Temporal, and the memory that both need for a Job. Every third fact is of a pod without
 * controller.
 */
const [few, many] = [Number(process.argv[2] ?? 10_000), Number(process.argv[3] ?? 1_000_000)];
/** Five minutes of facts: the mailboxes of the first ones are idle long before the last. */
const FACTS = 30_000;
const BETWEEN_MS = 10;

const scope = { cluster: CLUSTER, claim: 'managed' as const, redaction: REDACTION };

await measured(1000); // until it is compiled
const atFew = await measured(few);
const atMany = await measured(many);
process.stdout.write(`CPU at ${many} Jobs: ${(atMany / atFew).toFixed(2)} times that at ${few}\n`);

/** Returns the CPU time of a fact, in microseconds. */
async function measured(jobs: number): Promise<number> {
  const before = usedBytes();
  const live = emptyLiveSet();
  const assignment = beginAssignment(0, 0n, { jobs: new Map(), gone: new Set(), end: 0n });
  const assignments: Assignments = new Map([[0, assignment]]);
  const clock = { now: 0 };
  const dispatch = {
    assignments,
    settings: DEFAULT_SETTINGS,
    kinds: ['Job' as const],
    countRead: () => undefined,
    now: () => clock.now,
    periodMs: 1000,
  };
  let signals = 0;
  const signal = async (): Promise<void> => void (signals += 1);
  const sending = {
    assignments,
    mostWaiting: 40,
    signal,
    log: silentLog(),
    now: dispatch.now,
    onEnded: () => undefined,
  };
  const read = async (events: readonly JobEvent[]): Promise<void> => {
    sortIntoMailboxes(dispatch, assignment, { records: toRecords(events, assignment.position.next()) });
    await sendDueMailboxes(sending);
  };
  for (let each = 0; each < jobs; each += 1) {
    const { events, changes } = translateJob(scope, theJob(each), at(0));
    for (const change of changes) applyChange(live, change);
    clock.now += 1;
    await read(events);
  }
  clock.now += 600_000;
  await sendDueMailboxes(sending);
  const bytes = (usedBytes() - before) / jobs;
  signals = 0;
  const start = process.cpuUsage();
  for (let fact = 0; fact < FACTS; fact += 1) {
    clock.now += BETWEEN_MS;
    const { events, changes } = translatePod(scope, live, aPod(fact, jobs), at(clock.now / 1000));
    for (const change of changes) applyChange(live, change);
    await read(events);
  }
  const { user, system } = process.cpuUsage(start);
  const cost = (user + system) / FACTS;
  const memory = `${bytes.toFixed(0)} bytes a Job in both together`;
  process.stdout.write(`${jobs} open Jobs: ${cost.toFixed(0)} µs a fact, ${signals} signals, ${memory}\n`);
  return cost;
}

function theJob(each: number): ReturnType<typeof jobObject> {
  const job = jobObject({ uid: toUid(each), name: `job-${each}` });
  return { ...job, metadata: { ...job.metadata, namespace: toNamespace(each) } };
}

/** Of a Job far from the last one, or of none. */
function aPod(fact: number, jobs: number): ReturnType<typeof podObject> {
  const each = (fact * 7919) % jobs;
  const isBare = fact % 3 === 2;
  const pod = podObject({
    name: `pod-${fact}`,
    phase: fact % 3 === 0 ? 'Pending' : 'Succeeded',
    ...(isBare && { controller: 'none', untracked: true, labels: { dag: 'x' } }),
  });
  const owner = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    name: `job-${each}`,
    uid: toUid(each),
    controller: true,
  };
  const metadata = {
    ...pod.metadata,
    namespace: toNamespace(each),
    ...(!isBare && { ownerReferences: [owner] }),
  };
  return { ...pod, metadata };
}

function toUid(each: number): string {
  return `a3f0c2de-0000-4000-8000-${String(each).padStart(12, '0')}`;
}

function toNamespace(each: number): string {
  return `team-${each % 200}`;
}

function usedBytes(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
}
