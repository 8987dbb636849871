import type { ReactElement } from 'react';
import { localInstant, shortInstant } from './instants.ts';

/** An instant in the reader's time zone, with UTC when pointed at. `isShort`: to the second, without the day if it is today. */
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
