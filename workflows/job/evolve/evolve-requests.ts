import type { Fact } from '../facts.ts';
import type { JobState } from '../state.ts';

/** How many ids of requests are kept. A repeat comes soon after, or together with all later events. */
const REQUESTS_KEPT = 100;

/** False for a repeat: a repeated suspend must not undo a later resume. */
export function foldRequest(
  draft: Pick<JobState, 'requests' | 'requested'>,
  { id, command, by }: Pick<Extract<Fact, { type: 'command.received' }>, 'id' | 'command' | 'by'>,
): boolean {
  if (draft.requested.includes(id)) return false;
  draft.requested = [...draft.requested, id].slice(-REQUESTS_KEPT);
  draft.requests = [...draft.requests, { id, command, by }];
  return true;
}
