import type { AuditedRequest } from '../../job/events.ts';
import type { Line } from './decision-lines.ts';

const DONE: Readonly<Record<AuditedRequest['verb'], string>> = {
  create: 'created',
  update: 'updated',
  patch: 'patched',
  delete: 'deleted',
  deletecollection: 'deleted, with all others that were selected,',
};

/** Describes an audited request as text. */
export function apiRequestLine(request: AuditedRequest): Line {
  const { resource, name, verb, fields, panicked } = request;
  const named = fields === undefined ? '' : `: ${fields.join(', ')}`;
  const failed = panicked === true ? '; the API server failed, so it may not have happened' : '';
  return {
    about: resource === 'jobs' ? 'request' : `pod ${name}`,
    message: `${DONE[verb]} ${senderText(request)}${named}${failed}`,
  };
}

/** The sender of a request, and the program that sent it. */
export function senderText({ by, impersonatedBy, userAgent, cascade }: AuditedRequest): string {
  if (cascade === true) return 'by the garbage collector, because its owner is gone';
  const program = userAgent === undefined ? '' : ` with ${userAgent.split(' ', 1).join('')}`;
  return `by ${by}${impersonatedBy === undefined ? '' : `, as whom ${impersonatedBy} acted,`}${program}`;
}
