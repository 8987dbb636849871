import { createTheme, localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';

const COLOURS = localStorageColorSchemeManager({ key: 'jobledger-colours' });

const THEME = createTheme({
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { variant: 'filled', size: 'compact-md', h: 32, px: 12 } },
    // The library's default adds a style element, which the page's policy forbids.
    Modal: {
      defaultProps: {
        lockScroll: false,
        centered: true,
        transitionProps: { duration: 0 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
    Menu: { defaultProps: { transitionProps: { duration: 0 } } },
    Popover: { defaultProps: { transitionProps: { duration: 0 } } },
    Tooltip: { defaultProps: { transitionProps: { duration: 0 }, withArrow: true } },
  },
});

/**
 * The library's components in Jobledger's colours. The variables of the library are in library.css, because the page's policy forbids the style
 * elements that the library would add.
 */
export function ThemeRoot({ children }: { children: ReactNode }): ReactElement {
  return (
    <MantineProvider
      theme={THEME}
      colorSchemeManager={COLOURS}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
    >
      {children}
    </MantineProvider>
  );
}
