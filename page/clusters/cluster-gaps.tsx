import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { api, requireBody } from '../api/client.ts';
import { Gaps } from '../fleet/gaps.tsx';

/** The gaps of a cluster, which the page reads when the user opens them. */
export function ClusterGaps({ cluster }: { cluster: string }): ReactElement {
  const [isWanted, setWanted] = useState(false);
  const { data } = useQuery({
    queryKey: ['gaps', cluster],
    enabled: isWanted,
    queryFn: ({ signal }) =>
      requireBody(api.GET('/v1/gaps', { params: { query: { cluster, limit: 100 } }, signal })),
  });
  if (!isWanted)
    return (
      <button type="button" className="link small" onClick={() => setWanted(true)}>
        Show what was not seen
      </button>
    );
  return <Gaps gaps={data?.items ?? []} isWhole={data?.next === null} />;
}
