import type { ReceivedRequest } from '../facts.ts';

/** The request of a person, from the data of its record. */
export function requestIn(data: ReceivedRequest): ReceivedRequest {
  const { by } = data;
  return data.command === 'approve'
    ? { command: data.command, by, decisionNumber: data.decisionNumber, broken: data.broken }
    : { command: data.command, by };
}
