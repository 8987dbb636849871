import { useEffect } from 'react';

/** Sets the title of the browser's tab as long as a view is shown. */
export function useTitle(message: string): void {
  useEffect(() => {
    document.title = `${message.slice(0, 200)} · Jobledger`;
  }, [message]);
}
