import type { ReactElement } from 'react';
import type { JobDetails, WhatIfResponse } from '../api/rows.ts';
import { Failure } from '../components/failure.tsx';
import { Instant } from '../components/instant.tsx';
import { withLocalTimes } from '../components/instants.ts';
import { ScrollBox } from '../components/scrolled.tsx';
import { PolicyForm } from '../what-if/policy-form.tsx';
import { Name } from '../components/name.tsx';
import { TableHead } from '../components/table-head.tsx';
import { useWhatIf } from './life/use-job.ts';

/** A form for another policy, with the real and the counterfactual result side by side. */
export function WhatIf(props: {
  job: JobDetails;
  set: readonly string[];
  onSet: (set: readonly string[]) => void;
}): ReactElement {
  const { job, set, onSet } = props;
  const { data: answer, error } = useWhatIf(job, set);
  return (
    <section className="panel what-if" aria-labelledby="what-if">
      <h2 id="what-if">What if it had another policy?</h2>
      {/* The address may change without the form: the browser's Back. */}
      <PolicyForm key={set.join('\n')} set={set} onSet={onSet} />
      {error !== null && <Failure error={error} />}
      {set.length > 0 && error === null && answer !== undefined && <WhatIfComparison answer={answer} />}
    </section>
  );
}

const COMPARED: Record<WhatIfResponse['comparison'], string> = {
  same: 'The Job would have ended in the same way.',
  different: 'The Job would have ended differently.',
  unknown: 'Unknown: the record does not show what other pods would have done.',
};

/** The result of a what-if: a sentence, and a table of both ends. */
function WhatIfComparison({ answer }: { answer: WhatIfResponse }): ReactElement {
  const { comparison, message, actual, counterfactual, unknown_since: since, pod_hours: hours } = answer;
  return (
    <>
      <p role="status">
        <strong>{COMPARED[comparison]}</strong> <Name text={withLocalTimes(message, Date.now())} />
      </p>
      <ScrollBox label="Table of both ends">
        <table className="table">
          <TableHead columns={['', 'what happened', 'what would have happened']} />
          <tbody>
            <tr>
              <th scope="row">end</th>
              <td>{actual === null ? 'not ended' : <WhatIfEnd end={actual} />}</td>
              <td>
                {since !== null && (
                  <>
                    unknown from <Instant at={since} /> on
                  </>
                )}
                {since === null &&
                  (counterfactual === null ? 'not ended' : <WhatIfEnd end={counterfactual} />)}
              </td>
            </tr>
            <tr>
              <th scope="row" className="nowrap">
                pod hours
              </th>
              <td>{hours.actual.toFixed(4)}</td>
              <td>{hours.saved === null ? 'unknown' : `${hours.saved.toFixed(4)} fewer`}</td>
            </tr>
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

/** The type, the reason and the time of a Job's end. */
function WhatIfEnd({ end }: { end: NonNullable<WhatIfResponse['actual']> }): ReactElement {
  return (
    <>
      {end.type} at <Instant at={end.at} /> <Name text={`${end.reason}: ${end.message}`} />
    </>
  );
}
