import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { api, requireBody } from '../api/client.ts';
import type { ApiReadiness } from '../api/rows.ts';
import { useLiveQueries } from '../api/use-live.ts';
import { useNow } from '../components/ago.tsx';
import { EmptyNote } from '../components/empty.tsx';
import { Failure } from '../components/failure.tsx';
import { Loading } from '../components/loading.tsx';
import { useTitle } from '../components/use-title.ts';
import { AdviceBox } from './advice.tsx';
import { Cluster } from './cluster.tsx';
import { clusterHealth, shownParts } from './health.ts';
import { Versions } from './versions.tsx';

const REFRESH_MS = 10_000;

/** The clusters, each with its ingester, its gaps and advice when it is red, and the servers that they share. */
export function Clusters({ change }: { change: ChangeAddress }): ReactElement {
  const { data: clusters, error } = useQuery({
    queryKey: ['cluster-list'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await requireBody(api.GET('/v1/clusters', { signal }))).items,
  });
  const { data: installation } = useQuery({
    queryKey: ['installation'],
    refetchInterval: REFRESH_MS,
    queryFn: ({ signal }) => requireBody(api.GET('/v1/installation', { signal })),
  });
  const { data: ready } = useQuery({
    queryKey: ['readiness'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const { data, error: unready } = await api.GET('/readyz', { signal });
      return (data ?? unready) as ApiReadiness;
    },
  });
  const now = useNow();
  useTitle('Clusters');
  useLiveQueries({ type: 'cluster.gap,cluster.connected' }, [['cluster-list']]);
  return (
    <main className="view">
      <div className="heading">
        <h1>Clusters</h1>
      </div>
      {error !== null && <Failure error={error} />}
      {ready !== undefined && <SharedParts ready={ready} />}
      {clusters === undefined && error === null && <Loading rows={3} height={80} />}
      {clusters?.length === 0 && <EmptyNote message="No cluster was ever connected." />}
      <ul className="clusters">
        {(clusters ?? []).map((cluster) => (
          <li key={cluster.name}>
            <Cluster cluster={cluster} health={clusterHealth(cluster, ready, now)} change={change} />
          </li>
        ))}
      </ul>
      {installation !== undefined && <Versions installation={installation} clusters={clusters ?? []} />}
      <p className="muted small">
        Free capacity is not shown, because Jobledger has no right to read nodes: the active pods of its Jobs
        are all that it knows.
      </p>
    </main>
  );
}

/** The parts of the installation that all clusters share. */
function SharedParts({ ready }: { ready: ApiReadiness }): ReactElement {
  return (
    <ul className="parts" aria-label="Parts of Jobledger">
      {shownParts(ready).map(({ name, tone, message, detail, advice }) => (
        <li key={name} className="panel part">
          <strong>{name}</strong> <span className={`word tone-${tone}`}>{message}</span>
          {detail !== null && <span className="muted small">{detail}</span>}
          <AdviceBox advice={advice} tone={tone} />
        </li>
      ))}
    </ul>
  );
}
