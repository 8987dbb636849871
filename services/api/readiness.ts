import { errorMessage } from '../adapters/errors.ts';
import type { Log } from '../adapters/process/log.ts';
import { withTimeLimit } from '../adapters/waiting/within.ts';
import type { Positions } from './stream/positions.ts';

/** The status of a part: a part that is `down` does not respond, and a part that is `behind` responds but lags. */
export interface PartStatus {
  status: 'ok' | 'behind' | 'down';
  detail?: string;
}

/** `ready`: everything responds. `degraded`: queries work. `unavailable`: queries fail. */
export interface Readiness {
  status: 'ready' | 'degraded' | 'unavailable';
  parts: Record<string, PartStatus>;
}

/** The check of each part. A check throws when the part is down, and may return details. */
export type ReadinessChecks = Readonly<
  Record<string, () => Promise<Omit<PartStatus, 'status'> & { behind?: boolean }>>
>;

/** The parts that every query needs. */
const NEEDED = ['postgres', 'tokens'];

const ANSWER_MS = 2000;

/** Checks every part concurrently. The cause of a failure is only logged, because the caller needs no token. */
export async function checkReadiness(checks: ReadinessChecks, log: Log): Promise<Readiness> {
  const statuses = Object.entries(checks).map(
    async ([part, check]) => [part, await checkPart(part, check, log)] as const,
  );
  const parts = Object.fromEntries(await Promise.all(statuses));
  const isWell = Object.values(parts).every(({ status }) => status === 'ok');
  const status = isWell
    ? 'ready'
    : NEEDED.some((part) => parts[part]?.status === 'down')
      ? 'unavailable'
      : 'degraded';
  return { status, parts };
}

async function checkPart(part: string, check: ReadinessChecks[string], log: Log): Promise<PartStatus> {
  try {
    const { behind = false, detail } = await withTimeLimit(ANSWER_MS, check());
    return { status: behind ? 'behind' : 'ok', ...(detail !== undefined && { detail }) };
  } catch (error) {
    log.warn({ part, error: errorMessage(error) }, 'a part does not answer');
    return { status: 'down' };
  }
}

/** The number of records of the ledger that the tables do not contain yet. */
export function countLag(ends: Positions, applied: Positions): bigint {
  return [...ends].reduce((lag, [partition, end]) => {
    const next = applied.get(partition) ?? 0n;
    return next < end ? lag + (end - next) : lag;
  }, 0n);
}
