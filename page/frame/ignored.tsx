import type { ReactElement } from 'react';
import { useIgnoredParts } from '../address/use-page-address.ts';
import { Name } from '../words/name.tsx';

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
