import type { ReactElement } from 'react';
import { localInstant, shortInstant } from './instants.ts';

/**
 * An instant in the reader's time zone; a tooltip shows it in UTC. With `isShort`, the text ends at the second, and has no day if the day is today.
 */
export function Instant(props: { at: string | number | null; isShort?: boolean }): ReactElement | null {
  const { at, isShort = false } = props;
  if (at === null) return null;
  const utc = new Date(at).toISOString();
  return (
    <time dateTime={utc} title={utc}>
      {isShort ? shortInstant(new Date(at).getTime(), Date.now()) : localInstant(at)}
    </time>
  );
}
