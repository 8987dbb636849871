import { useState, type ReactElement, type ReactNode } from 'react';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { ListedCluster } from '../api/rows.ts';
import { TimeAgo } from '../components/ago.tsx';
import { countText } from '../components/count-text.ts';
import { Name } from '../components/name.tsx';
import { AdviceBox } from './advice.tsx';
import { leaderHost, type Health } from './health.ts';
import { placementAdvice } from './placement-advice.ts';
import { useQuery } from '@tanstack/react-query';
import { api, requireBody } from '../api/client.ts';
import { Gaps } from '../components/gaps.tsx';

/** One cluster with its ingester, its Jobs, its gaps, and advice when it is red. */
export function Cluster(props: {
  cluster: ListedCluster;
  health: Health;
  change: ChangeAddress;
}): ReactElement {
  const { cluster, health, change } = props;
  const { name, limits, dead_letter_count: letters, recorded_fields: fields } = cluster;
  return (
    <section className="panel cluster" aria-label={`Cluster ${name.slice(0, 100)}`}>
      <div className="cluster-name">
        <h2>
          <Name text={name} />
        </h2>
        <span className={`word tone-${health.tone}`}>{health.message}</span>
      </div>
      <AdviceBox advice={health.advice} tone={health.tone} />
      <AdviceBox advice={placementAdvice(cluster)} tone="waiting" />
      <dl>
        <ClusterFact name={(cluster.shards?.length ?? 0) > 1 ? 'Ingesters that lead' : 'Ingester that leads'}>
          <Leaders cluster={cluster} />
        </ClusterFact>
        <ClusterFact name="Jobs received">
          <ReceivedTime at={cluster.jobs_received_at} />
        </ClusterFact>
        <ClusterFact name="Pods received">
          <ReceivedTime at={cluster.pods_received_at} />
        </ClusterFact>
        <ClusterFact name="Open Jobs">
          <a {...linkTo({ view: 'fleet', filters: { cluster: name } }, change)}>
            {cluster.unfinished_count.toLocaleString('en')}
          </a>{' '}
          <span className="muted">of {cluster.job_count.toLocaleString('en')}</span>
        </ClusterFact>
        <ClusterFact name="Active pods">{cluster.active_pod_count.toLocaleString('en')}</ClusterFact>
        {cluster.placed_count > 0 && (
          <ClusterFact name="Placed Jobs there">{cluster.placed_count.toLocaleString('en')}</ClusterFact>
        )}
        <ClusterFact name="Not seen">
          {cluster.gap_count === 0 ? 'never' : `${countText(cluster.gap_count, 'time')}, last `}
          <TimeAgo at={cluster.last_gap_until} />
        </ClusterFact>
        {letters !== null && (
          <ClusterFact name="Dead letters">
            {letters.toLocaleString('en')}
            {letters > 0 && (
              <span className="muted">
                {' '}
                since <TimeAgo at={cluster.first_dead_letter_at} />
              </span>
            )}
          </ClusterFact>
        )}
        <ClusterFact name="Connected">
          <TimeAgo at={cluster.last_connected_at} />
        </ClusterFact>
        {(fields ?? []).length > 0 && <ClusterFact name="Recorded as well">{fields?.join(', ')}</ClusterFact>}
        <ClusterFact name="Kubernetes">{cluster.version ?? 'unknown'}</ClusterFact>
      </dl>
      {limits.length > 0 && (
        <details className="limits">
          <summary>What it cannot do</summary>
          <ul>
            {limits.map((limit) => (
              <li key={limit}>{limit}</li>
            ))}
          </ul>
        </details>
      )}
      {cluster.gap_count > 0 && <ClusterGaps cluster={name} />}
    </section>
  );
}

/** A named fact about a cluster. */
function ClusterFact({ name, children }: { name: string; children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The time since a watch has received its last message. */
function ReceivedTime({ at }: { at: string | null }): ReactElement {
  return at === null ? <>unknown</> : <TimeAgo at={at} />;
}

/** The ingesters, one for each shard. */
function Leaders({ cluster: { shards } }: { cluster: ListedCluster }): ReactElement {
  if (shards === null) return <>unknown while Kafka does not answer</>;
  if (shards.length === 0) return <>none</>;
  return (
    <ul>
      {shards.map(({ shard, leader, since, version }) => (
        <li key={shard}>
          {shards.length > 1 && <span className="muted">{`${shard} of ${shards.length}: `}</span>}
          {leader === null ? (
            'none'
          ) : (
            <>
              <span title={leader}>
                <Name text={leaderHost(leader)} />
              </span>{' '}
              <span className="muted">
                since <TimeAgo at={since} />
                {version !== null && `, version ${version}`}
              </span>
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

/** The gaps of a cluster, which the page reads when the user opens them. */
function ClusterGaps({ cluster }: { cluster: string }): ReactElement {
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
