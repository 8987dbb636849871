import type { ReactElement, ReactNode } from 'react';

/** The text of an empty view, with an optional action. */
export function EmptyNote({ message, children }: { message: string; children?: ReactNode }): ReactElement {
  return (
    <div className="empty">
      <p>{message}</p>
      {children}
    </div>
  );
}
