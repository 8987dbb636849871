import { InputError, JobledgerError, errorMessage, UnavailableError } from '../errors.ts';
import { handshakeFailure } from '../network/tls.ts';

/** A statement that Postgres refused, with its SQLSTATE. */
export class RefusedStatementError extends JobledgerError {
  override readonly name = 'RefusedStatementError';
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`Postgres refused a statement (SQLSTATE ${code})`, { cause, retryable: RETRYABLE.has(code) });
    this.code = code;
  }

  /**
   * True when the values are at fault (invalid, too long, or violating a constraint): other rows may still be accepted.
   */
  get isAboutValues(): boolean {
    return /^(22|23|54)/.test(this.code);
  }
}

/** A serialization failure or a deadlock: the same transaction may succeed when it runs again. */
const RETRYABLE: ReadonlySet<string> = new Set(['40001', '40P01']);

/** Postgres refuses the user or the database, so waiting does not help. */
const REFUSED: ReadonlySet<string> = new Set(['28000', '28P01', '3D000', '42501']);

/**
 * The server is starting, stopping, full, or temporarily read-only: classes 08, 53 and 57, and a standby during its promotion.
 */
const UNAVAILABLE = /^(08|53|57P0[1-5]$|25006$)/;

/** Returns a function that converts the errors of work with the client library. */
export function errorMapper(where: string): <T>(work: Promise<T>) => Promise<T> {
  return async (work) => {
    try {
      return await work;
    } catch (cause) {
      throw toDatabaseError(cause, where);
    }
  };
}

/** Converts an error of the client library. `where` names server, database and user, never the password. */
function toDatabaseError(cause: unknown, where: string): JobledgerError {
  if (cause instanceof JobledgerError) return cause;
  // This error is a bug of Jobledger, not a failure of the server or the network, so a retry does not help.
  if (cause instanceof TypeError || cause instanceof RangeError)
    return new JobledgerError('a statement could not be sent to Postgres', { cause });
  const code = sqlState(cause);
  const handshake = missingTlsReason(cause) ?? handshakeFailure(cause);
  if (handshake !== null)
    return new InputError(
      `no TLS connection to Postgres at ${where}: ${handshake}; check sslmode and sslrootcert in DATABASE_URL`,
    );
  if (code === undefined || UNAVAILABLE.test(code)) {
    return new UnavailableError(`Postgres at ${where} does not answer`, { cause });
  }
  if (REFUSED.has(code)) {
    return new InputError(`Postgres refuses ${where}: ${errorMessage(cause)}; check DATABASE_URL`);
  }
  return new RefusedStatementError(code, cause);
}

/**
 * A pooler such as PgBouncer gives a connection of the server to one transaction after another, so it refuses settings of a
 * connection that it does not know.
 */
export function isRefusedByPooler(error: unknown): boolean {
  return sqlState(error) === '08P01' && errorMessage(error).includes('unsupported startup parameter');
}

/** The message of a server that does not support TLS, whose error has no code; null for any other error. */
function missingTlsReason(cause: unknown): string | null {
  const message = errorMessage(cause);
  return message === 'The server does not support SSL connections' ? message : null;
}

/** Server errors have a SQLSTATE of five characters; connection errors have codes such as ECONNREFUSED. */
function sqlState(cause: unknown): string | undefined {
  if (typeof cause !== 'object' || cause === null || !('code' in cause)) return undefined;
  return typeof cause.code === 'string' && /^[0-9A-Z]{5}$/.test(cause.code) && 'severity' in cause
    ? cause.code
    : undefined;
}

/** The SQLSTATE values of a missing schema, table, column or function. */
const MISSING: ReadonlySet<string> = new Set(['3F000', '42P01', '42703', '42883']);

/** True when the statement needs a part that the schema lacks, because the schema is older or missing. */
export function needsMissingPart({ code }: RefusedStatementError): boolean {
  return MISSING.has(code);
}
