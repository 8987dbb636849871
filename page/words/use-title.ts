import { useEffect } from 'react';

/** The title of the browser's tab while a view is shown. */
export function useTitle(message: string): void {
  useEffect(() => {
    document.title = `${message.slice(0, 200)} · Jobledger`;
  }, [message]);
}
