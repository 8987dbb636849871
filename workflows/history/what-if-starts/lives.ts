import type { ChildFacts } from '../../cron-job/facts.ts';
import { childFacts } from '../../cron-job/observe/compact.ts';
import type { StartRecord } from '../why-start/start-record.ts';

/** The part of a child's life that the record shows. Instants in milliseconds. */
export interface ChildLife {
  name: string;
  /** The time when the Job ended, or another client deleted it; null without such a record. */
  end: number | null;
  /** The Job at its end; null while it runs. */
  finished: ChildFacts | null;
  /**
   * The last instant at which the Job certainly ran: just after the end of the record, or when the controller deleted
   * the Job.
   */
  knownUntil: number;
}

/** The lives of all observed children by UID, up to the end of the record. */
export function livesIn({ events, effective }: StartRecord, end: number): Map<string, ChildLife> {
  const deleted = new Map<string, number>();
  for (const { data } of effective)
    for (const command of data.commands)
      if (command.kind === 'ReplaceJobs' || command.kind === 'DeleteJobs')
        for (const { uid } of command.jobs) if (!deleted.has(uid)) deleted.set(uid, data.now);
  const lives = new Map<string, ChildLife>();
  for (const event of events) {
    if (event.type === 'job.observed') {
      const { uid, name } = event.data.object.metadata;
      const life = lives.get(uid) ?? { name, end: null, finished: null, knownUntil: end + 1 };
      lives.set(uid, life);
      const facts = childFacts(event.data.object, event.data.cronJobUid);
      if (facts.finished === undefined || life.end !== null) continue;
      life.end = Date.parse(event.time);
      life.finished = facts;
    }
    if (event.type !== 'job.deleted') continue;
    const life = lives.get(event.data.childUid);
    if (life === undefined || life.end !== null) continue;
    const commanded = deleted.get(event.data.childUid);
    if (commanded === undefined) life.end = Date.parse(event.time);
    else life.knownUntil = commanded;
  }
  return lives;
}
