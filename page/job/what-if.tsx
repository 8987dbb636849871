import { useState, type ReactElement } from 'react';
import type { JobDetails, WhatIfResponse } from '../api/rows.ts';
import { Failure } from '../words/failure.tsx';
import { Instant } from '../words/instant.tsx';
import { Name } from '../words/name.tsx';
import { changesOf, POLICY_INPUTS, valuesOf } from './policy-form.ts';
import { useWhatIf } from './use-job.ts';

/** A form with another policy; what happened, and what would have happened, side by side. */
export function WhatIf(props: {
  job: JobDetails;
  set: readonly string[];
  onSet: (set: readonly string[]) => void;
}): ReactElement {
  const { job, set, onSet } = props;
  const { data: answer, error } = useWhatIf(job, set);
  return (
    <details className="what-if" open={set.length > 0}>
      <summary>
        <h2>What if</h2>
      </summary>
      {/* The address may change without the form: the browser's Back. */}
      <PolicyForm key={set.join('\n')} set={set} onSet={onSet} />
      {error !== null && <Failure error={error} />}
      {set.length > 0 && error === null && answer !== undefined && <Comparison answer={answer} />}
    </details>
  );
}

function PolicyForm(props: {
  set: readonly string[];
  onSet: (set: readonly string[]) => void;
}): ReactElement {
  const { set, onSet } = props;
  const [values, setValues] = useState(() => valuesOf(set));
  const change = (field: string, value: string): void => setValues(new Map(values).set(field, value));
  return (
    <form
      className="filters"
      onSubmit={(event) => {
        event.preventDefault();
        onSet(changesOf(values));
      }}
    >
      {POLICY_INPUTS.map((input) => (
        <PolicyInput key={input.field} {...input} value={values.get(input.field) ?? ''} onChange={change} />
      ))}
      <div className="buttons">
        <button type="submit">Compare</button>
        <button type="button" disabled={set.length === 0} onClick={() => onSet([])}>
          Clear
        </button>
      </div>
    </form>
  );
}

function PolicyInput(props: {
  field: string;
  choices?: readonly string[];
  isJson?: boolean;
  value: string;
  onChange: (field: string, value: string) => void;
}): ReactElement {
  const { field, choices, isJson = false, value, onChange } = props;
  const changed = ({ target }: { target: { value: string } }): void => onChange(field, target.value);
  if (choices !== undefined)
    return (
      <label>
        {field}
        <select value={value} onChange={changed}>
          <option value="">as it was</option>
          {choices.map((choice) => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      </label>
    );
  return (
    <label>
      {isJson ? `${field} (JSON)` : field}
      <input
        value={value}
        inputMode={isJson ? 'text' : 'numeric'}
        placeholder="as it was"
        onChange={changed}
      />
    </label>
  );
}

const COMPARED: Record<WhatIfResponse['comparison'], string> = {
  same: 'It would have ended in the same way.',
  different: 'It would have ended differently.',
  unknown: 'Unknown: the record does not show what other pods would have done.',
};

function Comparison({ answer }: { answer: WhatIfResponse }): ReactElement {
  const { comparison, words, actual, counterfactual, unknown_since: since, pod_hours: hours } = answer;
  return (
    <>
      <p role="status">
        <strong>{COMPARED[comparison]}</strong> <Name text={words} />
      </p>
      <table>
        <thead>
          <tr>
            <td />
            <th scope="col">what happened</th>
            <th scope="col">what would have happened</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">end</th>
            <td>{actual === null ? 'not ended' : <End end={actual} />}</td>
            <td>
              {since !== null && (
                <>
                  unknown from <Instant at={since} /> on
                </>
              )}
              {since === null && (counterfactual === null ? 'not ended' : <End end={counterfactual} />)}
            </td>
          </tr>
          <tr>
            <th scope="row">pod hours</th>
            <td>{hours.actual.toFixed(4)}</td>
            <td>{hours.saved === null ? 'unknown' : `${hours.saved.toFixed(4)} fewer`}</td>
          </tr>
        </tbody>
      </table>
    </>
  );
}

function End({ end }: { end: NonNullable<WhatIfResponse['actual']> }): ReactElement {
  return (
    <>
      {end.type} at <Instant at={end.at} /> <Name text={`${end.reason}: ${end.message}`} />
    </>
  );
}
