import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import { api, bodyOf } from '../api/client.ts';
import type { ApiReadiness, ListedCluster } from '../api/rows.ts';
import { useLiveQueries } from '../api/use-live.ts';
import { Ago } from '../words/ago.tsx';
import { Empty } from '../words/empty.tsx';
import { Failure } from '../words/failure.tsx';
import { Loading } from '../words/loading.tsx';
import { Name } from '../words/name.tsx';
import { useTitle } from '../words/use-title.ts';
import { ClusterGaps } from './cluster-gaps.tsx';
import { countWords } from '../words/count-words.ts';
import { adviceFor, healthOf, partsOf, type Health } from './health.ts';

const REFRESH_MS = 10_000;

/** The clusters: whether each is reached, what was not seen of it, and what to do when one is red. */
export function Clusters({ change }: { change: ChangeAddress }): ReactElement {
  const { data: clusters, error } = useQuery({
    queryKey: ['cluster-list'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => (await bodyOf(api.GET('/v1/clusters', { signal }))).items,
  });
  const { data: ready } = useQuery({
    queryKey: ['readiness'],
    refetchInterval: REFRESH_MS,
    queryFn: async ({ signal }) => {
      const { data, error: unready } = await api.GET('/readyz', { signal });
      return (data ?? unready) as ApiReadiness;
    },
  });
  useTitle('Clusters');
  useLiveQueries({ type: 'cluster.gap,cluster.connected' }, [['cluster-list']]);
  return (
    <main className="view">
      <div className="heading">
        <h1>Clusters</h1>
      </div>
      {error !== null && <Failure error={error} />}
      {ready !== undefined && <Parts ready={ready} />}
      {clusters === undefined && error === null && <Loading rows={3} height={80} />}
      {clusters?.length === 0 && <Empty words="No cluster was ever connected." />}
      <ul className="clusters">
        {(clusters ?? []).map((cluster) => (
          <li key={cluster.name}>
            <Cluster cluster={cluster} health={healthOf(cluster, ready)} change={change} />
          </li>
        ))}
      </ul>
    </main>
  );
}

function Cluster(props: { cluster: ListedCluster; health: Health; change: ChangeAddress }): ReactElement {
  const { cluster, health, change } = props;
  const { name } = cluster;
  const advice = adviceFor(health);
  return (
    <section className="panel cluster" aria-label={`Cluster ${name.slice(0, 100)}`}>
      <div className="cluster-name">
        <h2>
          <Name text={name} />
        </h2>
        <span className={`word tone-${health.tone}`}>{health.words}</span>
      </div>
      <dl>
        <div>
          <dt>Kubernetes</dt>
          <dd>{cluster.version ?? 'unknown'}</dd>
        </div>
        <div>
          <dt>Connected</dt>
          <dd>
            <Ago at={cluster.last_connected_at} />
          </dd>
        </div>
        <div>
          <dt>Open Jobs</dt>
          <dd>
            <a {...linkTo({ view: 'fleet', filters: { cluster: name } }, change)}>
              {cluster.unfinished.toLocaleString('en')}
            </a>{' '}
            <span className="muted">of {cluster.jobs.toLocaleString('en')}</span>
          </dd>
        </div>
        <div>
          <dt>Not seen</dt>
          <dd>
            {cluster.gaps === 0 ? 'never' : `${countWords(cluster.gaps, 'time')}, last `}
            <Ago at={cluster.last_gap_to} />
          </dd>
        </div>
      </dl>
      {advice !== null && <p className="advice">{advice}</p>}
      {cluster.gaps > 0 && <ClusterGaps cluster={name} />}
    </section>
  );
}

/** The parts of the installation that all clusters share. */
function Parts({ ready }: { ready: ApiReadiness }): ReactElement {
  return (
    <ul className="parts" aria-label="Parts of Jobledger">
      {partsOf(ready).map(({ name, tone, words, detail }) => (
        <li key={name} className="panel part">
          <strong>{name}</strong> <span className={`word tone-${tone}`}>{words}</span>
          {detail !== null && <span className="muted small">{detail}</span>}
        </li>
      ))}
    </ul>
  );
}
