import { useQueryClient } from '@tanstack/react-query';
import { useEffect, type ReactElement } from 'react';
import { API, authorizedFetch } from '../api/client.ts';
import { useUnreachable } from '../api/reachability.ts';
import { shortInstant } from '../components/instants.ts';
import { useIgnoredParts } from '../address/use-page-address.ts';
import { Name } from '../components/name.tsx';

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

/** Names the ignored parts of the address with the expected values; empty if the page uses the whole address. */
export function IgnoredNotice(): ReactElement | null {
  const parts = useIgnoredParts();
  if (parts.length === 0) return null;
  return (
    <div className="ignored" role="note" aria-label="Ignored parts of the address">
      <p>The address has parts that are ignored:</p>
      <ul>
        {parts.map(({ name, value, expected }, place) => (
          <li key={`${place} ${name}`}>
            <strong>
              <Name text={`${name}=${value}`.slice(0, 200)} />
            </strong>
            : {expected === null ? 'this view has no part of this name' : `expected is ${expected}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
