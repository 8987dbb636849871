import { brokenText } from '../../decision/invariants/broken.ts';
import type { ReceivedRequest } from '../../decision/user-requests.ts';
import type { Line } from './decision-lines.ts';

/** A person's request, as text. */
export function requestLine(request: ReceivedRequest): Line {
  const asked = `${request.action}, asked for by ${request.by}`;
  const message = request.action === 'approve' ? `${asked}, although ${brokenText(request.broken)}` : asked;
  return { about: 'request', message };
}
