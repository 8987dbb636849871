import type { ReactElement } from 'react';
import { ApiError } from '../api/problem.ts';

/** An error, in the words of the API. Nothing for an API that is away: the frame says so. */
export function Failure({ error }: { error: unknown }): ReactElement | null {
  if (error instanceof ApiError && error.status === 0) return null;
  return (
    <p role="alert" className="failure">
      {error instanceof ApiError ? error.message : 'the page failed; reload it'}
    </p>
  );
}
