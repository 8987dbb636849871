import { Autocomplete, Button, Checkbox, Popover } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { STATUSES, KUBECTL_STATUSES } from '../../../services/read-model/shown/statuses.ts';
import { isLabel, type FleetFilters } from '../../address/page-address.ts';
import type { ListedJob } from '../../api/rows.ts';
import { instantIn, localField } from '../../components/instants.ts';
import { frequentLabels } from './labels.ts';
import { useGroups } from '../groups/use-groups.ts';

const FIELDS = [
  'status',
  'label',
  'reason',
  'owner',
  'name',
  'created',
  'deleted',
  'Kubernetes’ status',
] as const;
type Field = (typeof FIELDS)[number];

interface Editing {
  filters: FleetFilters;
  jobs: readonly ListedJob[];
  onFilters: (filters: FleetFilters) => void;
}

/** A button that opens the fields to filter by; each field then offers its existing values. */
export function AddFilter(props: Editing): ReactElement {
  const [isOpen, setOpen] = useState(false);
  const [field, setField] = useState<Field>('status');
  // Closes the popover, and returns to the list of fields.
  const close = (): void => setOpen(false);
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-start" trapFocus shadow="md">
      <Popover.Target>
        <button type="button" className="chip add" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          + filter
        </button>
      </Popover.Target>
      <Popover.Dropdown className="add-filter">
        <div role="radiogroup" aria-label="Filter by" className="fields">
          {FIELDS.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="filter"
                className="unseen"
                checked={each === field}
                onChange={() => setField(each)}
              />
              {each}
            </label>
          ))}
        </div>
        <div className="field">
          <FieldEditor key={field} field={field} {...props} onDone={close} />
        </div>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The input for the values of a field. */
function FieldEditor(props: Editing & { field: Field; onDone: () => void }): ReactElement {
  const { field, filters, jobs, onFilters, onDone } = props;
  // Sets the filters, and closes the editor.
  const set = (next: FleetFilters): void => {
    onFilters(next);
    onDone();
  };
  switch (field) {
    case 'status':
      return <ValueChoices of={STATUSES} field="status" filters={filters} onFilters={onFilters} />;
    case 'Kubernetes’ status':
      return (
        <ValueChoices of={KUBECTL_STATUSES} field="kubectlStatus" filters={filters} onFilters={onFilters} />
      );
    case 'label':
      return (
        <TypedFilter
          label="Label"
          placeholder="key=value"
          suggestions={frequentLabels(jobs)}
          findProblem={(text) =>
            isLabel(text) ? null : 'A label has the form key=value, such as team=maths'
          }
          onTyped={(label) => set({ ...filters, labels: [...new Set([...(filters.labels ?? []), label])] })}
        />
      );
    case 'reason':
      return <FilterGroups by="reason" filters={filters} onTyped={(reason) => set({ ...filters, reason })} />;
    case 'owner':
      return <FilterGroups by="owner" filters={filters} onTyped={(owner) => set({ ...filters, owner })} />;
    case 'name':
      return (
        <TypedFilter
          label="Name contains"
          placeholder="a part of the name"
          suggestions={[]}
          findProblem={() => null}
          onTyped={(text) => set({ ...filters, text })}
        />
      );
    case 'created':
      return <PeriodInputs filters={filters} onFilters={onFilters} />;
    case 'deleted': {
      const { deleted, ...rest } = filters;
      return (
        <Checkbox
          label="Hide deleted Jobs"
          checked={deleted === 'hidden'}
          onChange={() => onFilters(deleted === 'hidden' ? rest : { ...filters, deleted: 'hidden' })}
        />
      );
    }
  }
}

/** Checkboxes for the values of a field. */
function ValueChoices(props: {
  of: readonly string[];
  field: 'status' | 'kubectlStatus';
  filters: FleetFilters;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { of: choices, field, filters, onFilters } = props;
  const chosen = filters[field] ?? [];
  // Adds a value to the filter, or removes it.
  const toggle = (word: string): void => {
    const { [field]: _, ...rest } = filters;
    const next = chosen.includes(word) ? chosen.filter((each) => each !== word) : [...chosen, word];
    onFilters(next.length === 0 ? rest : { ...rest, [field]: next });
  };
  return (
    <div className="word-choices">
      {choices.map((word) => (
        <Checkbox key={word} label={word} checked={chosen.includes(word)} onChange={() => toggle(word)} />
      ))}
    </div>
  );
}

/** A text field that suggests the existing reasons or owners. */
function FilterGroups(props: {
  by: 'reason' | 'owner';
  filters: FleetFilters;
  onTyped: (text: string) => void;
}): ReactElement {
  const { by, filters, onTyped } = props;
  const { [by]: _, ...others } = filters;
  const { data } = useGroups(others, by);
  return (
    <TypedFilter
      label={by === 'owner' ? 'Owner' : 'Reason'}
      placeholder={by === 'owner' ? 'name, or Kind/name' : '137 OOMKilled'}
      suggestions={data?.items.map(({ value }) => value) ?? []}
      findProblem={() => null}
      onTyped={onTyped}
    />
  );
}

/** A text field with suggestions, whose text is added by a button or the Enter key. */
function TypedFilter(props: {
  label: string;
  placeholder: string;
  suggestions: readonly string[];
  /** The problem of a filter; null when the filter is valid. */
  findProblem: (text: string) => string | null;
  onTyped: (text: string) => void;
}): ReactElement {
  const { label, placeholder, suggestions, findProblem, onTyped } = props;
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  // Adds a filter if it is valid; otherwise shows its problem.
  const add = (typed: string): void => {
    const value = typed.trim();
    if (value === '') return;
    const found = findProblem(value);
    setProblem(found);
    if (found === null) onTyped(value);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add(text);
      }}
    >
      <Autocomplete
        label={label}
        placeholder={placeholder}
        maxLength={1000}
        data={[...new Set(suggestions)]}
        value={text}
        error={problem}
        data-autofocus
        limit={8}
        comboboxProps={{ withinPortal: false, transitionProps: { duration: 0 } }}
        onChange={(next) => {
          setText(next);
          setProblem(null);
        }}
        onOptionSubmit={add}
      />
      <Button type="submit">Add</Button>
    </form>
  );
}

/** Inputs for the limits of the creation time. */
function PeriodInputs(props: {
  filters: FleetFilters;
  onFilters: (filters: FleetFilters) => void;
}): ReactElement {
  const { filters, onFilters } = props;
  // Sets or removes a limit of the period.
  const choose = (field: 'from' | 'before', at: number | undefined): void => {
    const { [field]: _, ...rest } = filters;
    onFilters(at === undefined ? rest : { ...rest, [field]: at });
  };
  return (
    <div className="period-fields">
      {(['from', 'before'] as const).map((field) => (
        <label key={field}>
          Created {field}
          <input
            type="datetime-local"
            step={1}
            value={filters[field] === undefined ? '' : localField(filters[field])}
            onChange={({ target }) => choose(field, instantIn(target.value))}
          />
        </label>
      ))}
    </div>
  );
}
