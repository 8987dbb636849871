import type { ReactElement } from 'react';
import type { ListedGap } from '../api/rows.ts';
import { countText } from './count-text.ts';
import { Instant } from './instant.tsx';
import { Name } from './name.tsx';

/** The gaps of the clusters, as a list that the user can open. `isWhole` is true if the list has all gaps of the period. */
export function Gaps({
  gaps,
  isWhole,
}: {
  gaps: readonly ListedGap[];
  isWhole: boolean;
}): ReactElement | null {
  if (gaps.length === 0) return null;
  return (
    <details className="gaps">
      <summary>
        {countText(gaps.length, 'gap')}
        {!isWhole && ', the newest'}
      </summary>
      <ul>
        {gaps.map(({ id, cluster, resource, since: from, until: to, reason }) => (
          <li key={id}>
            <Name text={cluster} /> {resource}, <Instant at={from} /> to <Instant at={to} />
            {reason !== null && (
              <>
                : <Name text={reason} />
              </>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
