import type { ReactElement } from 'react';
import { localInstant } from './instants.ts';

/** An instant in the reader's time zone, with UTC when pointed at. */
export function Instant({ at }: { at: string | number | null }): ReactElement | null {
  if (at === null) return null;
  const utc = new Date(at).toISOString();
  return (
    <time dateTime={utc} title={utc}>
      {localInstant(at)}
    </time>
  );
}
