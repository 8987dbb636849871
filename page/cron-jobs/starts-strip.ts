import type { CronJobStart, ListedCronJob } from '../api/rows.ts';
import { localInstant } from '../words/instants.ts';

/** How a start of a CronJob went. */
export type ShownFate = 'succeeded' | 'failed' | 'running' | 'replaced' | 'not-started' | 'missed' | 'coming';

/** A place of the strip: a start, a time without one, or a coming one. */
export interface StripPlace {
  key: string;
  fate: ShownFate;
  isLate: boolean;
  words: string;
  start: CronJobStart | null;
}

/** The most missed times shown one by one before a start. */
const MOST_MISSED = 5;

const [MISSED, LATE] = [/about (\d+) before it were missed/, /\b(\d+) s late\b/];

/** Seconds after which a start is late for a reader. */
const LATE_S = 10;

/** The starts of a CronJob from the oldest to the next one; `starts` has the latest first. */
export function stripOf(cronJob: ListedCronJob, starts: readonly CronJobStart[]): StripPlace[] {
  const past = starts.toReversed().flatMap((start) => [...missedBefore(start), placeOf(start)]);
  const { look_again_at: next, suspend, deleted_at: deleted } = cronJob;
  if (next === null || suspend || deleted !== null) return past;
  return [
    ...past,
    { key: 'next', fate: 'coming', isLate: false, words: `next: ${shown(next)}`, start: null },
  ];
}

function missedBefore({ words, scheduled_at: at }: CronJobStart): StripPlace[] {
  const count = Number(MISSED.exec(words)?.[1] ?? 0);
  return Array.from({ length: Math.min(count, MOST_MISSED) }, (_, place) => ({
    key: `missed ${at} ${place}`,
    fate: 'missed' as const,
    isLate: false,
    words: count > MOST_MISSED ? `one of about ${count} missed starts` : 'a missed start',
    start: null,
  }));
}

function placeOf(start: CronJobStart): StripPlace {
  const { scheduled_at: at, job_name: name, words } = start;
  const fate = fateOf(start);
  const isLate = Number(LATE.exec(words)?.[1] ?? 0) >= LATE_S;
  return {
    key: `${at} ${name}`,
    fate,
    isLate,
    words: `${at === null ? '' : shown(at)}: ${FATES[fate]}${isLate ? ', late' : ''}`,
    start,
  };
}

/** What each fate is called. */
export const FATES: Record<ShownFate, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  running: 'runs',
  replaced: 'deleted before its end',
  'not-started': 'its Job was not created',
  missed: 'missed',
  coming: 'coming',
};

function fateOf({
  status,
  error,
  result,
  finished_at: finished,
  deleted_at: deleted,
}: CronJobStart): ShownFate {
  if (status === 'Complete') return 'succeeded';
  if (status === 'Failed') return 'failed';
  if (status === null && (error !== null || result === null)) return 'not-started';
  if (finished === null && deleted !== null) return 'replaced';
  return 'running';
}

function shown(instant: string): string {
  return localInstant(instant).slice(0, 16);
}

/** What is to say of a start beyond its time: that it was late, or that others were missed. Empty for most. */
export function remarkOf({ words, error }: CronJobStart): string {
  return error ?? words.replace(/^the start of \S+?Z(?:[,;] )?/, '');
}

/** What a CronJob waits for beyond the time of its next start; null: nothing else. */
export function otherWait({ waiting_words: words }: Pick<ListedCronJob, 'waiting_words'>): string | null {
  return words === null || /^next start at \S+$/.test(words) ? null : words;
}
