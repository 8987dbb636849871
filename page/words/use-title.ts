import { useEffect } from 'react';

/** The title of the browser's tab while a view is shown. */
export function useTitle(words: string): void {
  useEffect(() => {
    document.title = `${words.slice(0, 200)} · Jobledger`;
  }, [words]);
}
