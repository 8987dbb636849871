import type { ReactElement, ReactNode } from 'react';

/** A wide content that scrolls sideways where there is no room, also by keyboard. `label` names the content. */
export function ScrollBox({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <div className="scrolled" tabIndex={0} role="region" aria-label={label}>
      {children}
    </div>
  );
}
