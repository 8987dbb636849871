import type { ListedCronJob } from '../api/rows.ts';
import { withLocalMinutes } from '../components/instants.ts';

/** The patterns of the core's wait messages, each with its sentence for the page; null if the page shows the wait elsewhere. */
const SENTENCES: readonly [RegExp, string | null][] = [
  [/^next start at \S+$/, null],
  [/^no next start$/, null],
  [/^the CronJob is suspended$/, null],
  [/^the start of (\S+) has its Job already$/, null],
  [
    /^the start of (\S+) waits for the running Job/,
    'The start of $1 waits until the previous Job has ended.',
  ],
  [
    /^the start of (\S+) is skipped: more than (\d+) s late/,
    'The start of $1 was skipped because it was more than $2 s late.',
  ],
  [
    /^the start of (\S+) is left out: another Job has the name/,
    'The start of $1 was left out because another Job already has its name.',
  ],
  [
    /^the start of (\S+) is left out: whether it created/,
    'The start of $1 was left out: the API server was restored, and it is not known whether the start had created its Job.',
  ],
  [
    /^whether the start of (\S+) has created/,
    'The start of $1 may have created its Job: the API server has not answered the request.',
  ],
  [
    /^no \S+ before (\S+): errors of the API: (\d+), the last: (.*)$/s,
    '$2 requests to the API server have failed, the last one with: $3. The next attempt is at $1.',
  ],
  [/^the schedule has changed/, 'The schedule has changed, and the next start follows the new schedule.'],
  [/^unparseable schedule: (.*)$/s, 'The schedule cannot be read: $1.'],
  [/^invalid timeZone: (.*)$/s, 'The time zone is not known: $1.'],
];

/** The reason why a CronJob waits, as a sentence; null if the CronJob only waits for the time of its next start. */
export function waitSentence({
  waiting_message: message,
}: Pick<ListedCronJob, 'waiting_message'>): string | null {
  if (message === null) return null;
  const [known, sentence] = SENTENCES.find(([pattern]) => pattern.test(message)) ?? [];
  if (sentence === null) return null;
  const text =
    known === undefined || sentence === undefined
      ? `${message.charAt(0).toUpperCase()}${message.slice(1)}.`
      : message.replace(new RegExp(`${known.source}.*`, 's'), sentence);
  return withLocalMinutes(text);
}
