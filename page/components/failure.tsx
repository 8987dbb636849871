import type { ReactElement } from 'react';
import { ApiError } from '../api/problem.ts';

/** The message of an error; empty if the API does not respond, because the frame reports this. */
export function Failure({ error }: { error: unknown }): ReactElement | null {
  if (error instanceof ApiError && error.status === 0) return null;
  return (
    <p role="alert" className="failure">
      {error instanceof ApiError ? error.message : 'the page has failed; reload the page'}
    </p>
  );
}
