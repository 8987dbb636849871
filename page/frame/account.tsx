import { Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactElement } from 'react';
import { Name } from '../components/name.tsx';
import { toInitials } from './initials.ts';

const SCHEMES = [
  ['auto', 'Colours of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** The menu with the name of the signed-in user, the colours of the page, and the sign-out. */
export function Account(props: { name: string; onSignOut: (() => void) | null }): ReactElement {
  const { name, onSignOut } = props;
  // The transitions stay, because the library would disable them with a style element, which the page's policy forbids.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <button type="button" className="account">
          <span aria-hidden="true">{toInitials(name)}</span>
          <span className="unseen">Account of {name.slice(0, 100)}</span>
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Name text={name} />
        </Menu.Label>
        {SCHEMES.map(([scheme, message]) => (
          <Menu.RadioItem
            key={scheme}
            value={scheme}
            checked={colorScheme === scheme}
            onChange={() => setColorScheme(scheme)}
          >
            {message}
          </Menu.RadioItem>
        ))}
        {onSignOut !== null && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={onSignOut}>Sign out</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
