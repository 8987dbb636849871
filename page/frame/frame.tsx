import { useState, type ReactElement, type ReactNode } from 'react';
import type { PageAddress } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { SignedIn } from '../api/rows.ts';
import { useUnreachable } from '../api/reachability.ts';
import { Account } from './account.tsx';
import { ScopeCrumbs } from './crumbs.tsx';
import { Lag, Liveness } from './liveness.tsx';
import { Navigation } from './navigation.tsx';
import { IgnoredNotice, UnreachableNotice } from './notices.tsx';
import { addressScope } from '../address/scope.ts';
import { Search } from './search.tsx';

/** The frame around every view: navigation, scope, search, and the state of the live updates. */
export function Frame(props: {
  address: PageAddress;
  change: ChangeAddress;
  caller: SignedIn | undefined;
  onSignOut: (() => void) | null;
  children: ReactNode;
}): ReactElement {
  const { address, change, caller, onSignOut, children } = props;
  // The menu closes when the view changes.
  const [openIn, setOpenIn] = useState<PageAddress['view'] | null>(null);
  const isOpen = openIn === address.view;
  // Opens or closes the menu for the present view.
  const setOpen = (is: boolean): void => setOpenIn(is ? address.view : null);
  const isAway = useUnreachable() !== null;
  const scope = addressScope(address);
  return (
    <div className="frame">
      <a className="skip" href="#first" onClick={focusFirst}>
        Skip to the content
      </a>
      <div className={`side ${isOpen ? 'open' : ''}`} id="side">
        <a className="brand" {...linkTo({ view: 'fleet', filters: {} }, change)}>
          job<span>ledger</span>
        </a>
        <Navigation
          view={address.view}
          scope={scope}
          maySubmit={caller?.scopes.includes('submit') === true}
          change={change}
        />
        <footer>
          <Lag />
        </footer>
      </div>
      {isOpen && (
        <button
          type="button"
          className="shade"
          aria-label="Close the navigation"
          onClick={() => setOpen(false)}
        />
      )}
      <div className={isAway ? 'stale' : undefined}>
        <header className="bar">
          <button
            type="button"
            className="burger"
            aria-label="Navigation"
            aria-expanded={isOpen}
            aria-controls="side"
            onClick={() => setOpen(!isOpen)}
          >
            ☰
          </button>
          <ScopeCrumbs address={address} scope={scope} change={change} />
          <Search scope={scope} change={change} />
          <div className="right">
            <Liveness />
            {caller !== undefined && <Account name={caller.name} onSignOut={onSignOut} />}
          </div>
        </header>
        <UnreachableNotice />
        <IgnoredNotice />
        {children}
      </div>
    </div>
  );
}

/** Moves the focus to the element that the view marks with `data-first`, or else to the first link or button of the content. */
function focusFirst(event: { preventDefault: () => void }): void {
  event.preventDefault();
  const first =
    document.querySelector<HTMLElement>('[data-first]') ??
    document.querySelector<HTMLElement>('main a, main button');
  first?.focus();
}
