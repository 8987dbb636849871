import { createHash } from 'node:crypto';
import { z } from 'zod';
import { dropOldest } from '../../adapters/drop-oldest.ts';
import type { ReadEvent } from './read-event.ts';
import { textKind } from './text-kind.ts';

/** The most recorded Events of a Job, and those of one reason: a Job may have thousands of pods that cannot be scheduled. */
export const MOST_OF_JOB = 50;
export const MOST_OF_REASON = 20;
/** The most Jobs whose Events are remembered; the Jobs without an Event for the longest time are forgotten first. */
const MOST_JOBS = 50_000;
/**
 * The time without an Event after which the Events of a Job are forgotten, in milliseconds. API servers keep Events for
 * an hour by default.
 */
const FORGOTTEN_MS = 24 * 60 * 60 * 1000;

const SEEN = z.object({ digests: z.array(z.tuple([z.string(), z.string()])), at: z.number() });

/** The reasons and digests of the recorded Events of a Job, and the time of its latest Event in milliseconds. */
export type SeenOfJob = z.infer<typeof SEEN>;

/** `new` may be recorded. `last` may be recorded and uses up what the Job may have, in all or of the reason; `beyond` exceeds it. */
export type Novelty = 'new' | 'last' | 'repeated' | 'beyond';

/** The recorded Events of each Job. */
export interface SeenEvents {
  noveltyOf(jobUid: string, event: ReadEvent): Novelty;
  /** Adds a recorded Event; returns what is known of the Job from now on. */
  add(jobUid: string, event: ReadEvent): SeenOfJob;
  /** Forgets the Jobs without an Event for a day; returns their UIDs. */
  forget(): string[];
}

/** Creates the memory of recorded Events from the records of an earlier ingester, by the UID of the Job. */
export function createSeenEvents(
  records: Iterable<readonly [string, unknown]> = [],
  now: () => number = Date.now,
): SeenEvents {
  const jobs = new Map<string, SeenOfJob>();
  for (const [uid, value] of records) {
    const { data } = SEEN.safeParse(value);
    if (data !== undefined) jobs.set(uid, data);
  }
  return {
    noveltyOf(jobUid, event) {
      const seen = jobs.get(jobUid);
      const digest = digestOf(event);
      const digests = seen?.digests ?? [];
      if (seen !== undefined && digests.some(([, each]) => each === digest)) {
        seen.at = now();
        return 'repeated';
      }
      const ofReason = digests.filter(([reason]) => reason === event.reason).length;
      const left = Math.min(MOST_OF_JOB - digests.length, MOST_OF_REASON - ofReason);
      if (left <= 0) return 'beyond';
      return left === 1 ? 'last' : 'new';
    },
    add(jobUid, event) {
      const before = jobs.get(jobUid)?.digests ?? [];
      const seen: SeenOfJob = { digests: [...before, [event.reason, digestOf(event)]], at: now() };
      jobs.delete(jobUid);
      jobs.set(jobUid, seen);
      dropOldest(jobs, MOST_JOBS);
      return seen;
    },
    forget() {
      const old = [...jobs].filter(([, { at }]) => at + FORGOTTEN_MS < now()).map(([uid]) => uid);
      for (const uid of old) jobs.delete(uid);
      return old;
    },
  };
}

/** The digest that is equal for all Events with the same object, reason and kind of text. */
function digestOf({ regarding, reason, note, related }: ReadEvent): string {
  // Another preemptor is another fact, although its name is not part of the kind of the text.
  const parts = [regarding.uid, reason, textKind(note), related?.uid ?? ''];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 16);
}
