import { useMemo, type ReactElement } from 'react';
import type { JobDetails } from '../../api/rows.ts';
import { Failure } from '../../components/failure.tsx';
import { localInstant } from '../../components/instants.ts';
import { Name } from '../../components/name.tsx';
import { TableHead } from '../../components/table-head.tsx';
import { podDifferences, statusDifferences, type Difference } from './differences.ts';
import type { Lane } from '../pods/lanes.ts';
import { useJobAt } from '../life/use-job.ts';

/** The largest number of listed pods. */
const MOST = 200;

/** The differences between a kept instant and the chosen instant (now, if `at` is null); the earlier instant comes first. */
export function Comparison(props: {
  job: JobDetails;
  lanes: readonly Lane[];
  kept: number;
  at: number | null;
  onEnd: () => void;
}): ReactElement {
  const { job, lanes, kept, at, onEnd } = props;
  const [first, second] = at === null || kept <= at ? [kept, at] : [at, kept];
  const [before, after] = [useJobAt(job, first), useJobAt(job, second)];
  const pods = useMemo(
    () => podDifferences(lanes, first, second ?? Number.POSITIVE_INFINITY),
    [lanes, first, second],
  );
  const [then, later] = [before.data, second === null ? job : after.data];
  const error = before.error ?? (second === null ? null : after.error);
  return (
    <section className="panel comparison" aria-labelledby="comparison">
      <h2 id="comparison">Compared</h2>
      <p>
        {localInstant(first)} and {second === null ? 'now' : localInstant(second)}{' '}
        <button type="button" className="link" onClick={onEnd}>
          end the comparison
        </button>
      </p>
      {error !== null && <Failure error={error} />}
      {error === null && then !== undefined && later !== undefined && (
        <Differences differences={[...statusDifferences(then, later), ...pods.slice(0, MOST)]} />
      )}
      {pods.length > MOST && (
        <p>
          The first {MOST} of {pods.length} pods that differ.
        </p>
      )}
    </section>
  );
}

/** A table of the differences; a sentence if there are none. */
function Differences({ differences }: { differences: readonly Difference[] }): ReactElement {
  if (differences.length === 0) return <p>Nothing is different.</p>;
  return (
    <table className="table">
      <TableHead columns={['what', 'at first', 'afterwards']} />
      <tbody>
        {differences.map(({ what, first, second }) => (
          <tr key={what}>
            <th scope="row">
              <Name text={what} />
            </th>
            <td>
              <Name text={first} />
            </td>
            <td>
              <Name text={second} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
