import type { TemporalConfig } from '../config.ts';
import type { Log } from '../process/log.ts';

/** The status of a request to Temporal: a code of gRPC, and a text. */
export interface TemporalStatus {
  code: number;
  details: string;
}

/** Codes of gRPC. */
const NOT_FOUND = 5;
const RESOURCE_EXHAUSTED = 8;

/** A problem that lasts is reported again after this time, in milliseconds. */
const REMIND_MS = 600_000;

/**
 * Returns an observer of failed requests. The observer logs a missing namespace and an exceeded rate limit, each with
 * its remedy and at most once in `REMIND_MS`. The client library repeats requests that exceed a limit, so that without this log the
 * requests would only be slow.
 */
export function reportProblems(
  config: TemporalConfig,
  log: Log,
  now: () => number = Date.now,
): (status: TemporalStatus) => void {
  const reported = new Map<number, number>();
  return ({ code, details }) => {
    const advice = adviceOn(code, details, config);
    if (advice === null) return;
    const last = reported.get(code);
    if (last !== undefined && now() - last < REMIND_MS) return;
    reported.set(code, now());
    log.error({ temporal: details }, advice);
  };
}

/** The advice for a failed request to Temporal; null when no operator needs to act. */
function adviceOn(code: number, details: string, config: TemporalConfig): string | null {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
  // A run that is about to end briefly accepts no signal, and the client repeats the signal.
  if (code === RESOURCE_EXHAUSTED && details.includes('workflow is closing')) return null;
  if (code === RESOURCE_EXHAUSTED)
    return `Temporal at ${address} limits the requests of the namespace "${namespace}", so Jobs are controlled late: raise frontend.namespaceRPS and frontend.globalNamespaceRPS in its dynamic configuration, or the limits of the namespace in Temporal Cloud`;
  return code === NOT_FOUND && isAboutNamespace(details) ? missingNamespace(config) : null;
}

export function isAboutNamespace(text: string): boolean {
  return /namespace \S+ (is )?not found/i.test(text);
}

/** The message contains the command that creates the namespace. */
export function missingNamespace({
  TEMPORAL_ADDRESS: address,
  TEMPORAL_NAMESPACE: name,
}: TemporalConfig): string {
  return `Temporal at ${address} has no namespace "${name}"; run temporal operator namespace create --address ${address} --namespace ${name} --retention 72h, or set TEMPORAL_NAMESPACE`;
}
