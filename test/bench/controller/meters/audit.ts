import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { sum, type Figures } from '../report/figures.ts';

/** The fields of an audit event (audit.k8s.io/v1) that are counted. */
interface LoggedRequest {
  readonly stage: string;
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Requests of a user in an audit log, by verb, resource and error: `update jobs/status`, `create pods answered 409`. */
export function requestsIn(log: string, user: string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const line of log.split('\n')) {
    if (!line.startsWith('{')) continue;
    const request = JSON.parse(line) as LoggedRequest;
    if (request.user.username !== user || !isFirstMention(request)) continue;
    const name = requestName(request);
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function requestName({ verb, objectRef = {}, responseStatus: { code = 0 } = {} }: LoggedRequest): string {
  const { resource = 'others', subresource } = objectRef;
  const what = `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return code < 400 ? what : `${what} answered ${code}`;
}

/** A watch is logged when it begins and when it ends. */
function isFirstMention({ verb, stage }: LoggedRequest): boolean {
  return stage === (verb === 'watch' ? 'ResponseStarted' : 'ResponseComplete');
}

/** Writes and reads. Leases are left out: their number depends on time, not on Jobs. */
export function writesAndReads(requests: Figures): { writes: number; reads: number } {
  const of = (isWanted: (verb: string) => boolean): number =>
    sum(
      Object.entries(requests)
        .filter(([name]) => !name.includes(' leases') && isWanted(name.split(' ')[0] ?? ''))
        .map(([, count]) => count),
    );
  return { writes: of((verb) => WRITES.has(verb)), reads: of((verb) => !WRITES.has(verb)) };
}

/** Bytes in a file; what is appended later begins there. */
export function fileSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

/** The text of a file from this byte on. */
export function textFrom(file: string, position: number): string {
  const buffer = Buffer.alloc(fileSize(file) - position);
  if (buffer.length === 0) return '';
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, buffer, 0, buffer.length, position);
    return buffer.toString('utf8');
  } finally {
    closeSync(descriptor);
  }
}
