/** The parameters of `kubectl logs`, as the API server forwards them. */
export interface LogRequest {
  namespace: string;
  pod: string;
  container: string;
  follow: boolean;
  /** The log of the attempt before the present one. */
  previous: boolean;
  /** Each line begins with its instant. */
  timestamps: boolean;
  /** Only the last lines. */
  tailLines?: number;
  /** The number of bytes after which the log is cut off. */
  limitBytes?: number;
  /** The log has only output that was written at or after this instant (milliseconds since 1970). */
  since?: number;
}

/**
 * Parses `/containerLogs/<namespace>/<pod>/<container>?…`; returns undefined for any other path. An invalid parameter
 * is ignored, because the API server has checked it. `now`: milliseconds since 1970, for `sinceSeconds`.
 */
export function parseLogRequest(url: string, now: number): LogRequest | undefined {
  const { pathname, searchParams } = new URL(url, 'https://node');
  const [, root, ...names] = pathname.split('/').map(tryDecode);
  const [namespace, pod, container, ...rest] = names;
  if (root !== 'containerLogs' || !namespace || !pod || !container || rest.length > 0) return undefined;
  const tailLines = wholeNumber(searchParams.get('tailLines'));
  const limitBytes = wholeNumber(searchParams.get('limitBytes'));
  const since = parseSince(searchParams, now);
  return {
    namespace,
    pod,
    container,
    follow: searchParams.get('follow') === 'true',
    previous: searchParams.get('previous') === 'true',
    timestamps: searchParams.get('timestamps') === 'true',
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(since === undefined ? {} : { since }),
  };
}

function parseSince(parameters: URLSearchParams, now: number): number | undefined {
  const seconds = wholeNumber(parameters.get('sinceSeconds'));
  if (seconds !== undefined) return now - seconds * 1000;
  const instant = Date.parse(parameters.get('sinceTime') ?? '');
  return Number.isNaN(instant) ? undefined : instant;
}

function wholeNumber(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** A part of a path, decoded; the part itself when its encoding is broken. */
function tryDecode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
