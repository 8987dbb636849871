import type { JobRef } from '../../../workflows/activities.ts';
import type { CronJobEvent } from '../../../workflows/cron-job/events.ts';
import type { CronFact } from '../../../workflows/cron-job/facts.ts';
import { compact } from '../../../workflows/cron-job/observe/compact.ts';
import type { Assignment, KnownJob } from '../assignments/assignment.ts';
import { deliver, deliverOutcome } from './deliver.ts';
import { use } from './idle.ts';
import { openMailbox, type Mailbox } from './mailbox.ts';

interface Sorting {
  now: () => number;
  periodMs: number;
}

/** Sorts an event of a CronJob into its mailbox. */
export function sortCronJobEvent(
  sorting: Sorting,
  assignment: Assignment,
  event: CronJobEvent,
  offset: bigint,
): void {
  const { cluster, cronJobUid } = event.data;
  const key = `${cluster}/${cronJobUid}`;
  if (event.type === 'command.answered') {
    const { answer } = event.data;
    if (answer.kind !== 'WriteStatus' || answer.result !== 'written') return;
    return deliverOutcome(sorting, assignment, key, answer.cronJob.resourceVersion);
  }
  const fact = compact(event);
  if (fact === null || fact.type === 'cronjob.decided' || fact.type === 'command.answered') return;
  const mailbox = mailboxFor(assignment, event, fact, { key, offset });
  if (mailbox === null) return;
  use(assignment, key, mailbox, sorting.now());
  deliver(sorting, assignment, mailbox, { fact, offset });
}

/**
 * Null for a Job of a CronJob that is not known: it is gone, or will be observed, and its workflow then recalls this Job from
 * the ledger.
 */
function mailboxFor(
  assignment: Assignment,
  event: CronJobEvent,
  fact: CronFact,
  { key, offset }: { key: string; offset: bigint },
): Mailbox | null {
  const { jobs, mailboxes, early, gone } = assignment;
  const known = jobs.get(key);
  if (fact.type === 'cronjob.deleted') {
    jobs.delete(key);
    early.delete(key);
  } else if (fact.type === 'cronjob.observed') {
    if (known === undefined) jobs.set(key, knownFrom(assignment, event, { key, offset }));
  } else if (known === undefined) {
    if (fact.type === 'job.observed') early.add(key);
    return null;
  }
  const existing = mailboxes.get(key);
  if (existing !== undefined) return existing;
  const now = jobs.get(key) ?? known;
  return openMailbox(now?.ref ?? refOf(event), {
    needsRecall: now?.wasThere ?? true,
    mayStart: now !== undefined && fact.type !== 'cronjob.deleted' && !gone.has(key),
  });
}

function knownFrom(
  { early, liveUpTo }: Assignment,
  event: CronJobEvent,
  { key, offset }: { key: string; offset: bigint },
): KnownJob {
  const wasThere = offset < liveUpTo || early.delete(key);
  return { ref: refOf(event), isOurs: true, expires: false, isFinished: false, wasThere };
}

function refOf({ data, subject }: CronJobEvent): JobRef {
  const [namespace = '', name = ''] = subject.split('/');
  return { cluster: data.cluster, uid: data.cronJobUid, namespace, name, kind: 'CronJob' };
}
