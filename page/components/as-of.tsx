import type { ReactElement } from 'react';
import { localInstant } from './instants.ts';

/** The notice that the page shows the data as of an instant; empty for the present. */
export function AsOf(props: { at: number | null; onNow: () => void }): ReactElement | null {
  const { at, onNow } = props;
  if (at === null) return null;
  return (
    <p className="as-of" role="note">
      As it was seen at {localInstant(at)}.{' '}
      <button type="button" className="link" onClick={onNow}>
        Back to now
      </button>
    </p>
  );
}
