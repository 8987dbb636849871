import { useEffect, useEffectEvent, useState, type ReactElement } from 'react';
import { STATUS_WORDS } from '../../services/read-model/status-words.ts';
import type { FleetFilters } from '../address/page-address.ts';

/** Milliseconds without a key press before a text is searched for. */
const TYPING_MS = 250;

/** The form above the fleet. An empty field matches all. */
export function Filters({
  filters,
  clusters,
  onChange,
}: {
  filters: FleetFilters;
  clusters: readonly string[];
  onChange: (filters: FleetFilters) => void;
}): ReactElement {
  const { status = [] } = filters;
  const set = (field: 'cluster' | 'namespace' | 'text', value: string): void => {
    const { [field]: _, ...rest } = filters;
    onChange(value === '' ? rest : { ...rest, [field]: value });
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

/** A text field that reports when typing pauses. */
function TypedField(props: { label: string; value: string; onTyped: (text: string) => void }): ReactElement {
  const { label, value, onTyped } = props;
  const [text, setText] = useState(value);
  const [shown, setShown] = useState(value);
  // The address changed without typing, for example by the browser's Back.
  if (value !== shown) {
    setShown(value);
    if (value !== text.trim()) setText(value);
  }
  // The latest `onTyped`: other filters may have changed since the typing.
  const report = useEffectEvent(onTyped);
  useEffect(() => {
    if (text.trim() === value) return undefined;
    const timer = setTimeout(() => report(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  return (
    <label>
      {label}
      <input type="search" value={text} maxLength={253} onChange={({ target }) => setText(target.value)} />
    </label>
  );
}
