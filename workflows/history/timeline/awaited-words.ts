import type { AwaitedJob } from '../../job/events.ts';
import { few } from './few.ts';

/** The observed state of an awaited Job, in words. */
export function awaitedWords({ uid, waitsFor, end, gone }: AwaitedJob): string {
  if (uid === undefined) return 'waited for, does not exist';
  const how = end === undefined ? null : end.type === 'Complete' ? 'succeeded' : 'failed';
  const ended = how === null ? null : `${how} at ${end?.at}${end?.reason === '' ? '' : ` (${end?.reason})`}`;
  if (gone === true) return `waited for, deleted${ended === null ? ' before it ended' : `; it ${ended}`}`;
  if (ended !== null) return `waited for, ${ended}`;
  return waitsFor === undefined
    ? 'waited for, has not ended'
    : `waited for, waits for ${few(waitsFor)} itself`;
}
