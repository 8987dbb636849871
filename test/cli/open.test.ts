import { describe, expect, it } from '@jest/globals';
import { hasBrowser } from '../../cli/verbs/open.ts';
import { pageAddress } from '../../cli/page-address.ts';

describe('the verb open', () => {
  it('prints the address of the page that the API serves', () => {
    expect(pageAddress('http://127.0.0.1:21390')).toBe('http://127.0.0.1:21390/ui/');
  });

  it.each([
    ['on a desktop', 'linux', { DISPLAY: ':0' }, true, true],
    ['on a desktop without X', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true, true],
    ['on a server', 'linux', {}, true, false],
    ['on a Mac', 'darwin', {}, true, true],
    ['in a script', 'darwin', {}, false, false],
    ['in CI', 'linux', { CI: 'true', DISPLAY: ':0' }, true, false],
  ] as const)(
    'opens a browser exactly where a user can see it: %s',
    (_where, platform, environment, isTerminal, opens) => {
      expect(hasBrowser(platform, environment, isTerminal)).toBe(opens);
    },
  );
});
