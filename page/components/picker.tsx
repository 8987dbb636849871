import { Button, Combobox, useCombobox } from '@mantine/core';
import { useState, type ReactElement } from 'react';

/** A button that opens a searchable list of values, from which the user chooses one. `null` stands for all values. */
export function Picker(props: {
  label: string;
  value: string | null;
  options: readonly string[];
  /** The label for the value null. */
  all?: string;
  onChange: (value: string | null) => void;
  onOpen?: () => void;
}): ReactElement {
  const { label, value, options, all = 'all', onChange, onOpen } = props;
  const [search, setSearch] = useState('');
  const combobox = useCombobox({
    onDropdownOpen: () => {
      onOpen?.();
      combobox.focusSearchInput();
    },
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setSearch('');
    },
  });
  const known = value === null || options.includes(value) ? options : [value, ...options];
  const found = known.filter((each) => each.toLowerCase().includes(search.trim().toLowerCase()));
  return (
    <Combobox
      store={combobox}
      width={240}
      position="bottom-start"
      transitionProps={{ duration: 0 }}
      onOptionSubmit={(chosen) => {
        onChange(chosen === '' ? null : chosen);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target targetType="button">
        <Button
          variant="default"
          className="picker"
          onClick={() => combobox.toggleDropdown()}
          aria-label={`${label}: ${value ?? all}`}
        >
          <span className="muted">{label}</span>&nbsp;
          <span className="picked">{value ?? all}</span>
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          placeholder={`Search, or type a ${label.toLowerCase()}`}
          aria-label={`Search for a ${label.toLowerCase()}`}
          maxLength={253}
          onChange={({ currentTarget }) => {
            setSearch(currentTarget.value);
            combobox.selectFirstOption();
          }}
        />
        <Combobox.Options mah={280} className="options">
          {search === '' && <Combobox.Option value="">{all}</Combobox.Option>}
          {found.map((each) => (
            <Combobox.Option key={each} value={each} active={each === value}>
              {each}
            </Combobox.Option>
          ))}
          {search.trim() !== '' && !found.includes(search.trim()) && (
            <Combobox.Option value={search.trim()}>“{search.trim()}”</Combobox.Option>
          )}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
