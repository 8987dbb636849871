import type { ReactElement, ReactNode } from 'react';
import { runFacts } from '../../../services/read-model/shown/run-facts.ts';
import { linkTo, type ChangeAddress } from '../../address/use-page-address.ts';
import { runTime } from '../../components/run-time.ts';
import { Failure } from '../../components/failure.tsx';
import { Instant } from '../../components/instant.tsx';
import { Loading } from '../../components/loading.tsx';
import { Name } from '../../components/name.tsx';
import { ScrollBox } from '../../components/scrolled.tsx';
import { StatusWord } from '../../components/status-word.tsx';
import type { JobLife } from '../life/job-life.ts';
import { useManifest, useRun } from '../life/use-job.ts';

/** Shows two runs of one owner side by side. */
export function ComparedRuns(props: {
  known: JobLife;
  other: string;
  change: ChangeAddress;
  onEnd: () => void;
}): ReactElement {
  const { known, other, change, onEnd } = props;
  const run = useRun(known.job, other);
  return (
    <section className="panel" aria-labelledby="runs">
      <h2 id="runs">
        Compared with another run{' '}
        <button type="button" className="link small" onClick={onEnd}>
          end the comparison of runs
        </button>
      </h2>
      {run.error !== null && <Failure error={run.error} />}
      {run.data === undefined && run.error === null && <Loading />}
      {run.data === null && <p className="muted">That run is not known.</p>}
      {run.data !== undefined && run.data !== null && <RunTable one={known} two={run.data} change={change} />}
    </section>
  );
}

/** A table with a column for each run, in which differing rows are marked. */
function RunTable({ one, two, change }: { one: JobLife; two: JobLife; change: ChangeAddress }): ReactElement {
  const manifests = [useManifest(one.job).data, useManifest(two.job).data];
  const sides = [one, two].map((life, at) => ({ ...life, facts: runFacts(life, manifests[at], Date.now()) }));
  const names = sides[0]?.facts.map(({ what }) => what) ?? [];
  // A row of the table, with a cell for each run.
  const row = (
    name: string,
    cell: (side: (typeof sides)[number]) => ReactNode,
    differs = false,
  ): ReactElement => (
    <tr key={name} className={differs ? 'differs' : undefined}>
      <th scope="row">{name}</th>
      {sides.map((side) => (
        <td key={side.job.uid}>{cell(side)}</td>
      ))}
    </tr>
  );
  return (
    <ScrollBox label="Table of both runs">
      <table className="table">
        <thead>
          <tr>
            <td />
            {sides.map(({ job: { cluster, namespace, name, uid } }) => (
              <th scope="col" key={uid}>
                <a {...linkTo({ view: 'job', job: { cluster, namespace, name, uid } }, change)}>
                  <Name text={name} />
                </a>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {row('status', ({ job }) => (
            <StatusWord word={job.status} />
          ))}
          {row('started', ({ job }) => (job.started_at === null ? '–' : <Instant at={job.started_at} />))}
          {row('duration', ({ job }) => runTime(job, Date.now()))}
          {names.map((name, at) => {
            const values = sides.map(({ facts }) => facts[at]?.value ?? '');
            if (values.every((value) => value === '')) return null;
            return row(name, ({ facts }) => <Name text={facts[at]?.value || '–'} />, values[0] !== values[1]);
          })}
        </tbody>
      </table>
    </ScrollBox>
  );
}
