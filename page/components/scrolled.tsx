import type { ReactElement, ReactNode } from 'react';

/** A box whose content scrolls sideways if it is too wide, also by keyboard. `label` names the content. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <div className="scrolled" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
