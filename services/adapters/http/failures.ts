import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { UnavailableError } from '../errors.ts';
import { needsMissingPart, RefusedStatementError } from '../postgres/failures.ts';
import { ProblemError, type ProblemKind } from './problem.ts';

/** The SQLSTATE of a statement that exceeded its time limit. */
const CANCELLED = '57014';

/** Problem kinds for status codes that the framework produces itself, before a route runs. */
const OF_STATUS: Readonly<Record<number, ProblemKind>> = {
  400: 'bad-request',
  404: 'not-found',
  413: 'body-too-large',
  414: 'bad-request',
};

/**
 * Converts an error to a problem for the caller. The text never contains an address, a secret or SQL; the cause is
 * for the log.
 */
export function toGeneralProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof RefusedStatementError) return refusedStatementProblem(error);
  if (error instanceof UnavailableError)
    return unavailableProblem(
      'a server that this request needs does not respond; /readyz names the server',
      error,
    );
  return (
    validationProblem(error) ??
    frameworkProblem(error) ??
    new ProblemError('internal', OURS, { cause: error })
  );
}

const OURS = 'unexpected error; look up the cause in the log of the API by the id of this request';

function unavailableProblem(message: string, cause: Error): ProblemError {
  return new ProblemError('unavailable', message, { cause, headers: { 'retry-after': '2' } });
}

function refusedStatementProblem(error: RefusedStatementError): ProblemError {
  if (error.code === CANCELLED)
    return new ProblemError(
      'timeout',
      'the query takes too long; filter for fewer results, or request a smaller page',
      {
        cause: error,
      },
    );
  if (needsMissingPart(error))
    return unavailableProblem(
      'the tables are missing or too old for this version; run "jobledger admin migrate" or start a projector',
      error,
    );
  return error.isAboutValues
    ? new ProblemError('bad-request', 'a value of the request cannot be used', { cause: error })
    : new ProblemError('internal', OURS, { cause: error });
}

/** The problem of a value in the path, query or body that does not match its schema; undefined for any other error. */
function validationProblem(error: unknown): ProblemError | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const part = (error as { validationContext?: string }).validationContext ?? 'request';
  const errors = error.validation.map(({ instancePath, message = 'cannot be used' }) => ({
    where: `${part}${instancePath === '/' ? '' : instancePath}`,
    message,
  }));
  const detail = errors.map(({ where, message }) => `${where}: ${message}`).join('; ');
  return new ProblemError('bad-request', detail, { members: { errors } });
}

/** The problem for an error of the framework: a body that is too large or not JSON, an undecodable path, a timeout. */
function frameworkProblem(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode = 500, code = '' } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_HANDLER_TIMEOUT')
    return new ProblemError('timeout', 'the response takes too long; try again, or request fewer results', {
      cause: error,
    });
  if (statusCode === 415)
    return new ProblemError(
      'unsupported-media-type',
      'send JSON, with the header Content-Type: application/json',
    );
  const kind = OF_STATUS[statusCode] ?? (statusCode < 500 ? 'bad-request' : undefined);
  return kind === undefined ? undefined : new ProblemError(kind, error.message, { status: statusCode });
}
