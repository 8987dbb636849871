import type { ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { useManifest } from '../life/use-job.ts';
import { toYaml } from './yaml.ts';

/** Shows the Job as it was first recorded; values that were not recorded are marked. */
export function Manifest({ job }: { job: JobDetails }): ReactElement {
  const { data: manifest, error } = useManifest(job);
  return (
    <section className="panel" aria-label="Manifest">
      {error !== null && <Failure error={error} />}
      {manifest === undefined && error === null && <Loading />}
      {manifest === null && <p className="muted">The Job itself was never observed.</p>}
      {manifest !== null && manifest !== undefined && (
        <>
          <p className="muted small">As recorded first; what is not recorded says [redacted].</p>
          <pre className="manifest" tabIndex={0}>
            {toYaml(manifest)}
          </pre>
        </>
      )}
    </section>
  );
}
