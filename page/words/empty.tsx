import type { ReactElement, ReactNode } from 'react';

/** What is said where nothing is: a sentence and, where there is one, an action. */
export function Empty({ message, children }: { message: string; children?: ReactNode }): ReactElement {
  return (
    <div className="empty">
      <p>{message}</p>
      {children}
    </div>
  );
}
