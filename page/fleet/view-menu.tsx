import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { parsePageAddress, toSearch, type PageAddress } from '../address/page-address.ts';
import type { ChangeAddress } from '../address/use-page-address.ts';
import { savedViews, saveViews } from './saved-views.ts';

/** The views that this browser stores by name, and the button that stores the present view. */
export function ViewMenu(props: { address: PageAddress; change: ChangeAddress }): ReactElement {
  const { address, change } = props;
  const [views, setViews] = useState(savedViews);
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  // Stores the views in this browser and in the state of the menu.
  const storeViews = (next: Record<string, string>): void => {
    saveViews(next);
    setViews(next);
  };
  const names = Object.keys(views).toSorted();
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button variant="default">Views</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {names.map((each) => (
            <Menu.Item key={each} onClick={() => change(parsePageAddress(views[each] ?? ''))}>
              {each}
            </Menu.Item>
          ))}
          {names.length > 0 && <Menu.Divider />}
          <Menu.Item onClick={() => setNaming(true)}>Save this view…</Menu.Item>
          {names.map((each) => (
            <Menu.Item
              key={each}
              className="muted"
              onClick={() =>
                storeViews(Object.fromEntries(Object.entries(views).filter(([other]) => other !== each)))
              }
            >
              Forget “{each}”
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal opened={isNaming} onClose={() => setNaming(false)} title="Save this view">
        <form
          className="dialog"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '') return;
            storeViews({ ...views, [name.trim()]: toSearch(address) });
            setNaming(false);
            setName('');
          }}
        >
          <TextInput
            label="Name"
            description="This browser stores the filters, the grouping, the order and the columns."
            maxLength={60}
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
          />
          <Button type="submit">Save</Button>
        </form>
      </Modal>
    </>
  );
}
