import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import {
  COLUMNS,
  GROUPINGS,
  NEWEST_FIRST,
  type FleetColumn,
  type FleetAddress,
  type Sort,
} from '../address/page-address.ts';
import { COLUMN_TITLES } from './jobs/columns.ts';
import { GROUP_TITLES } from './groups/group-filters.ts';

const SORT_TITLES: Record<Sort, string> = {
  '-created': 'newest first',
  created: 'oldest first',
  '-finished': 'last ended first',
  finished: 'first ended first',
  name: 'name',
  '-name': 'name, from Z',
};

/** The controls for the grouping, the order and the columns of the list. */
export function Toolbar(props: {
  address: FleetAddress;
  onChange: (next: FleetAddress) => void;
}): ReactElement {
  const { address, onChange } = props;
  const { group, sort = NEWEST_FIRST, columns = COLUMNS } = address;
  const { group: _group, columns: _columns, sort: _sort, ...rest } = address;
  // Shows these columns, and drops the field if all columns are shown.
  const withColumns = (next: readonly FleetColumn[]): void => {
    const { columns: _, ...others } = address;
    onChange(next.length === COLUMNS.length ? others : { ...others, columns: next });
  };
  return (
    <div className="toolbar">
      <ChoiceMenu
        label="Group by"
        value={group === undefined ? 'nothing' : GROUP_TITLES[group]}
        choices={[
          [
            'nothing',
            () => onChange({ ...rest, ...definedFields({ sort: address.sort, columns: address.columns }) }),
          ],
          ...GROUPINGS.map((by): [string, () => void] => [
            GROUP_TITLES[by],
            () => onChange({ ...address, group: by }),
          ]),
        ]}
      />
      <ChoiceMenu
        label="Order"
        value={SORT_TITLES[sort]}
        choices={(Object.keys(SORT_TITLES) as Sort[]).map((by) => [
          SORT_TITLES[by],
          () => onChange({ ...address, sort: by }),
        ])}
      />
      <Menu position="bottom-end">
        <Menu.Target>
          <button type="button" className="chip">
            columns
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {COLUMNS.map((column) => (
            <Menu.CheckboxItem
              key={column}
              checked={columns.includes(column)}
              onChange={() =>
                withColumns(COLUMNS.filter((each) => (each === column) !== columns.includes(each)))
              }
            >
              {COLUMN_TITLES[column]}
            </Menu.CheckboxItem>
          ))}
        </Menu.Dropdown>
      </Menu>
    </div>
  );
}

/** The object without undefined fields. */
function definedFields<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A menu that shows a chosen value, and offers other values. */
function ChoiceMenu(props: {
  label: string;
  value: string;
  choices: readonly (readonly [message: string, choose: () => void])[];
}): ReactElement {
  const { label, value, choices } = props;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <button type="button" className="chip" aria-label={`${label}: ${value}`}>
          <span className="muted">{label.toLowerCase()}</span> <strong>{value}</strong>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {choices.map(([message, choose]) => (
          <Menu.RadioItem
            key={message}
            value={message}
            checked={message === value}
            closeMenuOnClick
            onChange={choose}
          >
            {message}
          </Menu.RadioItem>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
