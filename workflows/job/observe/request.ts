import type { ReceivedRequest } from '../facts.ts';

/** The request of a person, from the data of its record. */
export function requestIn(data: ReceivedRequest): ReceivedRequest {
  const { by } = data;
  return data.action === 'approve'
    ? { action: data.action, by, decisionNumber: data.decisionNumber, broken: data.broken }
    : { action: data.action, by };
}
