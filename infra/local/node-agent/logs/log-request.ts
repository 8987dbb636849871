/** The parameters of `kubectl logs`, as the API server forwards them. */
export interface LogRequest {
  namespace: string;
  pod: string;
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  limitBytes?: number;
  /** The log has only output that was written at or after this instant (milliseconds since 1970). */
  since?: number;
}

/** Parses `/containerLogs/<namespace>/<pod>/<container>?…`; returns undefined for any other path. */
export function parseLogRequest(url: string, now: number): LogRequest | undefined {
  const { pathname, searchParams } = new URL(url, 'https://node');
  const [, root, ...names] = pathname.split('/').map(decodeURIComponent);
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
