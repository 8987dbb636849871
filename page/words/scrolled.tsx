import type { ReactElement, ReactNode } from 'react';

/** Something wide that scrolls sideways where there is no room, also by keyboard. `label`: what it is. */
export function Scrolled({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <div className="scrolled" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
