import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { followEvents } from './live.ts';

/** The time in milliseconds between two readings of data that change steadily. */
const POLL_MS = 1000;

/** Repeats the queries with these keys whenever an event of the filter arrives. */
export function useLiveQueries(filter: Record<string, string>, keys: readonly (readonly unknown[])[]): void {
  const queries = useQueryClient();
  const text = JSON.stringify([filter, keys]);
  useEffect(() => {
    let isChanged = false;
    const stop = followEvents(
      filter,
      () => (isChanged = true),
      (state) => (isChanged ||= state === 'open'),
    );
    const timer = setInterval(() => {
      if (!isChanged || keys.some((queryKey) => queries.isFetching({ queryKey }) > 0)) return;
      isChanged = false;
      for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
    }, POLL_MS);
    return () => {
      stop();
      clearInterval(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `text` has the filter and the keys
  }, [text, queries]);
}
