import { EventSource } from 'eventsource';
import { API, authorizedFetch } from './client.ts';
import { setLiveness, type LiveState } from './liveness.ts';

/** The fields of an event that the page reads. */
export interface LiveEvent {
  type: string;
  /** `namespace/name` of the Job. */
  subject: string;
  data: { cluster: string; jobUid?: string };
}

/** The pause in milliseconds before a refused stream is opened again; the library reopens a broken stream. */
const REOPEN_MS = 5000;

/**
 * Follows the events that match the filter until the returned function is called. After an interruption the stream continues from its position, so it
 * misses no event. The state of the stream goes to the frame of the page.
 */
export function followEvents(
  filter: Record<string, string>,
  onEvent: (event: LiveEvent) => void,
  onState: (state: LiveState) => void,
): () => void {
  let source: EventSource | undefined;
  let timer: number | undefined;
  let last: string | undefined;
  // Passes the state of the stream to the frame and to the caller.
  const report = (state: LiveState): void => {
    setLiveness(state);
    onState(state);
  };
  // Opens the stream, after the last event that arrived.
  const open = (): void => {
    report('opening');
    const query = new URLSearchParams({ ...filter, ...(last !== undefined && { from: last }) });
    source = new EventSource(`${API}/v1/events?${query}`, { fetch: authorizedFetch });
    source.addEventListener('open', () => report('open'));
    source.addEventListener('message', ({ data, lastEventId }) => {
      last = lastEventId;
      onEvent(JSON.parse(data as string) as LiveEvent);
    });
    source.addEventListener('error', () => {
      report('lost');
      if (source?.readyState === EventSource.CLOSED) timer = window.setTimeout(open, REOPEN_MS);
      // This request shows whether the API does not answer, or only the stream has ended.
      void authorizedFetch(`${API}/healthz`).catch(() => undefined);
    });
  };
  open();
  return () => {
    window.clearTimeout(timer);
    source?.close();
    setLiveness(null);
  };
}
