import type { ReactElement } from 'react';
import { localInstant } from '../words/instants.ts';

/** Says that what follows is as it was seen at an instant; nothing for now. */
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
