import { Skeleton } from '@mantine/core';
import type { ReactElement } from 'react';

/** The placeholder for rows that the page is reading. */
export function Loading({ rows = 4, height = 20 }: { rows?: number; height?: number }): ReactElement {
  return (
    <div role="status" className="loading">
      <span className="unseen">loading</span>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} radius="sm" />
      ))}
    </div>
  );
}
