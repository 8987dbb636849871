import { useEffect, useEffectEvent, useState, type ReactElement } from 'react';
import { instantIn, localField } from '../words/instants.ts';
import { useClusters } from '../api/use-clusters.ts';
import { STATUS_WORDS } from '../../services/read-model/status-words.ts';
import { isLabel, type FleetFilters } from '../address/page-address.ts';

/** Milliseconds without a key press before a text is searched for. */
const TYPING_MS = 250;

/** The form above the fleet. An empty field matches all. */
export function Filters({
  filters,
  onChange,
}: {
  filters: FleetFilters;
  onChange: (filters: FleetFilters) => void;
}): ReactElement {
  const clusters = useClusters();
  const { status = [] } = filters;
  const set = (field: 'cluster' | 'namespace' | 'text' | 'owner', value: string): void => {
    const { [field]: _, ...rest } = filters;
    onChange(value === '' ? rest : { ...rest, [field]: value });
  };
  const choose = (field: 'from' | 'before', at: number | undefined): void => {
    const { [field]: _, ...rest } = filters;
    onChange(at === undefined ? rest : { ...rest, [field]: at });
  };
  const toggle = (word: string): void => {
    const { status: _, ...rest } = filters;
    const words = status.includes(word) ? status.filter((each) => each !== word) : [...status, word];
    onChange(words.length === 0 ? rest : { ...rest, status: words });
  };
  return (
    <form role="search" className="filters" onSubmit={(event) => event.preventDefault()}>
      <label>
        Cluster
        <select value={filters.cluster ?? ''} onChange={({ target }) => set('cluster', target.value)}>
          <option value="">all</option>
          {[...new Set([...clusters, ...(filters.cluster === undefined ? [] : [filters.cluster])])].map(
            (name) => (
              <option key={name}>{name}</option>
            ),
          )}
        </select>
      </label>
      <TypedField
        label="Namespace"
        value={filters.namespace ?? ''}
        onTyped={(text) => set('namespace', text)}
      />
      <TypedField label="Name contains" value={filters.text ?? ''} onTyped={(text) => set('text', text)} />
      <TypedField
        label="Labels (key=value)"
        value={filters.labels?.join(' ') ?? ''}
        maxLength={1000}
        isValid={(text) => text.split(/\s+/).every(isLabel)}
        onTyped={(text) => {
          const { labels: _, ...rest } = filters;
          onChange(text === '' ? rest : { ...rest, labels: text.split(/\s+/) });
        }}
      />
      <TypedField
        label="Owner (name or Kind/name)"
        value={filters.owner ?? ''}
        maxLength={320}
        onTyped={(text) => set('owner', text)}
      />
      <InstantField label="Created from" at={filters.from} onChosen={(at) => choose('from', at)} />
      <InstantField label="Created before" at={filters.before} onChosen={(at) => choose('before', at)} />
      <fieldset>
        <legend>Status</legend>
        {STATUS_WORDS.map((word) => (
          <label key={word} className="choice">
            <input type="checkbox" checked={status.includes(word)} onChange={() => toggle(word)} />
            {word}
          </label>
        ))}
      </fieldset>
    </form>
  );
}

/** An instant in the reader's time zone, to the second. */
function InstantField(props: {
  label: string;
  at: number | undefined;
  onChosen: (at: number | undefined) => void;
}): ReactElement {
  const { label, at, onChosen } = props;
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step={1}
        value={at === undefined ? '' : localField(at)}
        onChange={({ target }) => onChosen(instantIn(target.value))}
      />
    </label>
  );
}

/** A text field that reports when typing pauses, unless the text is invalid. */
function TypedField(props: {
  label: string;
  value: string;
  maxLength?: number;
  isValid?: (text: string) => boolean;
  onTyped: (text: string) => void;
}): ReactElement {
  const { label, value, maxLength = 253, isValid = () => true, onTyped } = props;
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The address changed without typing, for example by the browser's Back.
  if (value !== shown) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  const isWrong = text.trim() !== '' && !isValid(text.trim());
  // The latest `onTyped`: other filters may have changed since the typing.
  const report = useEffectEvent(onTyped);
  useEffect(() => {
    if (text.trim() === value || isWrong) return undefined;
    const timer = setTimeout(() => report(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value, isWrong]);
  return (
    <label>
      {label}
      <input
        type="search"
        value={text}
        maxLength={maxLength}
        aria-invalid={isWrong}
        onChange={({ target }) => setText(target.value)}
      />
    </label>
  );
}
