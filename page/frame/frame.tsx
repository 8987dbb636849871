import { useState, type ReactElement, type ReactNode } from 'react';
import type { PageAddress, Scope } from '../address/page-address.ts';
import { linkTo, type ChangeAddress } from '../address/use-page-address.ts';
import type { SignedIn } from '../api/rows.ts';
import { useUnreachable } from '../api/reachability.ts';
import { Account } from './account.tsx';
import { UnreachableNotice } from './away.tsx';
import { Crumbs } from './crumbs.tsx';
import { IgnoredNotice } from './ignored.tsx';
import { Lag } from './lag.tsx';
import { Liveness } from './liveness.tsx';
import { Navigation } from './navigation.tsx';
import { addressScope, withScope } from './scope.ts';
import { ScopePickers } from './scope-pickers.tsx';
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

/** The scope pickers of a list, or the path of the shown object. */
function ScopeCrumbs(props: {
  address: PageAddress;
  scope: Scope;
  change: ChangeAddress;
}): ReactElement | null {
  const { address, scope, change } = props;
  switch (address.view) {
    case 'job':
      return <Crumbs kind="Jobs" of={address.job} change={change} />;
    case 'cron-job':
      return <Crumbs kind="CronJobs" of={address.cronJob} change={change} />;
    case 'submit':
    case 'clusters':
      return null;
    case 'fleet':
    case 'what-if':
    case 'cron-jobs':
      return <ScopePickers scope={scope} onScope={(next) => change(withScope(address, next), 'replace')} />;
  }
}

/** Moves the focus to the element that the view marks with `data-first`, or else to the first link or button of the content. */
function focusFirst(event: { preventDefault: () => void }): void {
  event.preventDefault();
  const first =
    document.querySelector<HTMLElement>('[data-first]') ??
    document.querySelector<HTMLElement>('main a, main button');
  first?.focus();
}
