import { Menu, useMantineColorScheme } from '@mantine/core';
import type { ReactElement } from 'react';
import { Name } from '../words/name.tsx';
import { initialsOf } from './initials.ts';

const SCHEMES = [
  ['auto', 'Colours of the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const;

/** Who is signed in, the colours of the page, and the way out. */
export function Account(props: { name: string; onSignOut: (() => void) | null }): ReactElement {
  const { name, onSignOut } = props;
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <button type="button" className="account" aria-label={`Account of ${name.slice(0, 100)}`}>
          {initialsOf(name)}
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Name text={name} />
        </Menu.Label>
        {SCHEMES.map(([scheme, words]) => (
          <Menu.Item
            key={scheme}
            role="menuitemradio"
            aria-checked={colorScheme === scheme}
            onClick={() => setColorScheme(scheme)}
            rightSection={colorScheme === scheme ? '✓' : null}
          >
            {words}
          </Menu.Item>
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
