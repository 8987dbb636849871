import type { ReactElement } from 'react';
import { ApiError } from '../api/problem.ts';

/** An error as text of the API; empty for an API that does not respond, which the frame reports. */
export function Failure({ error }: { error: unknown }): ReactElement | null {
  if (error instanceof ApiError && error.status === 0) return null;
  return (
    <p role="alert" className="failure">
      {error instanceof ApiError ? error.message : 'the page failed; reload it'}
    </p>
  );
}
