import { computeDigest } from './ledger/digest.ts';
import type { RequestReceived, OfJob } from './job/events.ts';
import type { Unstamped } from './ledger/recorded-event.ts';
import type { SuspensionRequest } from './decision/user-requests.ts';

/**
 * The record of a user's request that reached a run as a signal. `eventKey` consists of the run and the number of the
 * signal.
 */
export function requestRecord(
  { of, subject }: { of: OfJob; subject: string },
  { action, by }: SuspensionRequest,
  eventKey: string,
): Unstamped<RequestReceived> {
  const { cluster, jobUid } = of;
  const data = { ...of, action, by };
  return {
    id: `${cluster}/${jobUid}/request/${eventKey}`,
    source: `jobledger/${cluster}`,
    subject,
    type: 'request.received',
    digest: computeDigest(data),
    data,
  };
}
