import type { ReactElement } from 'react';
import { ApiError } from '../api/problem.ts';

/** An error, in the words of the API. */
export function Failure({ error }: { error: unknown }): ReactElement {
  return (
    <p role="alert" className="failure">
      {error instanceof ApiError ? error.message : 'the page failed; reload it'}
    </p>
  );
}
