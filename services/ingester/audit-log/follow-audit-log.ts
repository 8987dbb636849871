import { isDeepStrictEqual } from 'node:util';
import type { ApiRequestAudited } from '../../../workflows/job/events.ts';
import { errorMessage } from '../../adapters/errors.ts';
import { parseExact } from '../../adapters/exact-json.ts';
import type { Log } from '../../adapters/process/log.ts';
import { pause } from '../../adapters/waiting/pause.ts';
import { logFailures, retry } from '../../adapters/waiting/retry.ts';
import type { AuditScope } from '../../audit-log/api-requests.ts';
import { apiRequestsInBudget, type Budget } from '../../audit-log/budget.ts';
import type { CountedResult } from '../../audit-log/metrics.ts';
import { createLogReader, type LogPosition } from './read-lines.ts';

/** Counts records of an audit log by their result. */
export type CountAudited = (result: CountedResult, count: number) => void;

export interface AuditLogDependencies {
  scope: AuditScope;
  file: string;
  /** The position up to which the file was read before; null when it was never read. */
  position: LogPosition | null;
  /** Appends the events, then stores the position. The call is repeated after a failure. */
  record: (events: readonly ApiRequestAudited[], position: LogPosition) => Promise<void>;
  budget: Budget;
  count: CountAudited;
  /** Called with the reason why the file cannot be read, and with null when the file can be read. */
  onRefused: (reason: string | null) => void;
  log: Log;
  signal: AbortSignal;
  /** The milliseconds between two looks at a file that has not grown. */
  pollMs?: number;
}

const POLL_MS = 1000;
const LOST =
  'the audit log was rotated and removed before the ingester had read it: some requests are not recorded';

/** Records the requests of an audit log that an API server writes, until `signal` is aborted. Unusable records are counted. */
export async function followAuditLog(dependencies: AuditLogDependencies): Promise<void> {
  const { file, log, signal, count, scope, onRefused, record, pollMs = POLL_MS } = dependencies;
  const { cluster } = scope;
  const reader = createLogReader(file);
  const onFailedAttempt = logFailures(log, 'cannot record requests of the audit log; trying again', {
    cluster,
  });
  let { position } = dependencies;
  while (!signal.aborted) {
    const read = await reader.next(position).catch((error: unknown) => {
      onRefused(`JOBLEDGER_AUDIT_LOGS: ${file} cannot be read: ${errorMessage(error)}`);
      return null;
    });
    if (read === null) {
      await pause(pollMs, signal);
      continue;
    }
    onRefused(null);
    if (read.lost) log.warn({ cluster, file }, LOST);
    if (read.tooLong > 0) count('unreadable', read.tooLong);
    if (!isDeepStrictEqual(position, read.position)) {
      const events = read.lines.flatMap((line) => eventsOfLine(dependencies, line));
      const recorded = await retry(() => record(events, read.position), {
        signal,
        shouldRetry: () => true,
        onFailedAttempt,
      }).then(
        () => true,
        () => false,
      );
      if (!recorded) return;
      position = read.position;
    }
    if (read.isEnd) await pause(pollMs, signal);
  }
}

function eventsOfLine({ scope, budget, count }: AuditLogDependencies, line: Buffer): ApiRequestAudited[] {
  if (line.length === 0) return [];
  const time = new Date().toISOString();
  const { result, events, limited } = apiRequestsInBudget(budget, scope, parseJsonLine(line), time);
  count(result, 1);
  if (limited > 0) count('limited', limited);
  return events;
}

/** The JSON value of a line; undefined when the line is not JSON. */
function parseJsonLine(line: Buffer): unknown {
  try {
    return parseExact(line.toString('utf8'));
  } catch {
    return undefined;
  }
}
