import type { ReactElement } from 'react';
import type { ApiInstallation, ListedCluster } from '../api/rows.ts';
import { TimeAgo } from '../components/ago.tsx';
import { CopyableText } from '../components/copied.tsx';
import { listVersions } from './versions.ts';

/** The recorded versions of the parts of Jobledger, and the number of records that could not be used. */
export function Versions(props: {
  installation: ApiInstallation;
  clusters: readonly ListedCluster[];
}): ReactElement {
  const { installation, clusters } = props;
  const { version, feature_level: level, schema, dead_letter_count: letters } = installation;
  const ingesters = listVersions(clusters);
  return (
    <section className="panel cluster" aria-labelledby="versions">
      <h2 id="versions">Versions</h2>
      <dl>
        <div>
          <dt>API and page</dt>
          <dd>{version}</dd>
        </div>
        <div>
          <dt>Ingesters that lead</dt>
          <dd>{ingesters.length === 0 ? 'unknown' : ingesters.join(', ')}</dd>
        </div>
        <div>
          <dt>Feature level</dt>
          <dd>{level ?? 'unknown'}</dd>
        </div>
        <div>
          <dt>Tables</dt>
          <dd>{schema?.replace(/\.sql$/, '') ?? 'unknown'}</dd>
        </div>
        {letters !== null && (
          <div>
            <dt>Dead letters in all</dt>
            <dd>
              {letters.toLocaleString('en')}
              {letters > 0 && (
                <span className="muted">
                  {' '}
                  since <TimeAgo at={installation.first_dead_letter_at} />
                </span>
              )}
            </dd>
          </div>
        )}
      </dl>
      <p className="muted small">
        {ingesters.some((each) => each !== version) && 'The versions differ, so an upgrade is not finished. '}
        Dispatcher, worker and projector do not report theirs; in a cluster their pods have a label:
      </p>
      <CopyableText text="kubectl --namespace jobledger get pods --label-columns app.kubernetes.io/version" />
    </section>
  );
}
