import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { toChanges, POLICY_INPUTS, toValues } from './policy-inputs.ts';

/**
 * A form for other values in the spec of a Job. `set` has the values in the notation of the API, such as `backoffLimit=3`.
 * An empty field keeps the recorded value. `set` is read once: give the form a `key` that changes with `set`. `onSet` gets the new values.
 */
export function PolicyForm(props: {
  set: readonly string[];
  onSet: (set: readonly string[]) => void;
}): ReactElement {
  const { set, onSet } = props;
  const [values, setValues] = useState(() => toValues(set));
  // Sets the value of a field of the form.
  const change = (field: string, value: string): void => setValues(new Map(values).set(field, value));
  return (
    <form
      className="policy-form"
      onSubmit={(event) => {
        event.preventDefault();
        onSet(toChanges(values));
      }}
    >
      {POLICY_INPUTS.map((input) => (
        <PolicyInput key={input.field} {...input} value={values.get(input.field) ?? ''} onChange={change} />
      ))}
      <div className="buttons">
        <Button type="submit">Compare</Button>
        <Button variant="default" disabled={set.length === 0} onClick={() => onSet([])}>
          Clear
        </Button>
      </div>
    </form>
  );
}

/** The input for a field: a list of choices, or a text field. */
function PolicyInput(props: {
  field: string;
  choices?: readonly string[];
  isJson?: boolean;
  value: string;
  onChange: (field: string, value: string) => void;
}): ReactElement {
  const { field, choices, isJson = false, value, onChange } = props;
  // Passes the value of the input to the form.
  const changed = ({ target }: { target: { value: string } }): void => onChange(field, target.value);
  if (choices !== undefined)
    return (
      <NativeSelect
        label={field}
        value={value}
        onChange={changed}
        data={[{ value: '', label: 'as it was' }, ...choices]}
      />
    );
  return (
    <TextInput
      label={isJson ? `${field} (JSON)` : field}
      value={value}
      inputMode={isJson ? 'text' : 'numeric'}
      placeholder="as it was"
      onChange={changed}
    />
  );
}
