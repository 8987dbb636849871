import { useCallback, useSyncExternalStore, type MouseEvent } from 'react';
import { findIgnoredParts, type IgnoredPart } from './ignored-parts.ts';
import { parsePageAddress, toSearch, type PageAddress } from './page-address.ts';

/** With `push`, the browser's Back button returns to the previous address; with `replace`, it does not. */
export type ChangeAddress = (address: PageAddress, how?: 'push' | 'replace') => void;

const CHANGED = 'jobledger-address';

/** The address in the browser's address bar, and the function that changes it. */
export function usePageAddress(): [PageAddress, ChangeAddress] {
  const search = useSyncExternalStore(onChange, () => location.search);
  const change = useCallback<ChangeAddress>((address, how = 'push') => {
    const url = location.pathname + toSearch(address);
    if (how === 'push') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
    window.dispatchEvent(new Event(CHANGED));
  }, []);
  return [parsePageAddress(search), change];
}

/** The parts of the address that the page cannot use. */
export function useIgnoredParts(): IgnoredPart[] {
  return findIgnoredParts(useSyncExternalStore(onChange, () => location.search));
}

/** Calls a function at each change of the address, until the returned function is called. */
function onChange(changed: () => void): () => void {
  window.addEventListener('popstate', changed);
  window.addEventListener(CHANGED, changed);
  return () => {
    window.removeEventListener('popstate', changed);
    window.removeEventListener(CHANGED, changed);
  };
}

/** The properties of a link to an address, which opens in the same page, or in another tab if the user asks the browser for one. */
export function linkTo(
  address: PageAddress,
  change: ChangeAddress,
): { href: string; onClick: (event: MouseEvent) => void } {
  return {
    href: toSearch(address) || '?',
    onClick: (event) => {
      if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      change(address);
    },
  };
}
