import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { API, authorizedFetch } from '../api/client.ts';
import { useUnreachable } from '../api/reachability.ts';
import { shortInstant } from '../words/instants.ts';

/** The time between two attempts to reach the API, in milliseconds. */
const AGAIN_MS = 2000;

/** Shows how long the API has not answered, and reads all data again once the API answers. */
export function UnreachableNotice(): ReactElement | null {
  const since = useUnreachable();
  const queries = useQueryClient();
  useEffect(() => {
    if (since === null) return undefined;
    const timer = setInterval(() => void authorizedFetch(`${API}/healthz`).catch(() => undefined), AGAIN_MS);
    return () => {
      clearInterval(timer);
      void queries.invalidateQueries();
    };
  }, [since, queries]);
  if (since === null) return null;
  return (
    <p role="alert" className="away">
      The API cannot be reached since {shortInstant(since, Date.now())}. What you see is from before; this
      page goes on trying.
    </p>
  );
}
