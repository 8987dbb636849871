import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod';
import { UnavailableError } from '../errors.ts';
import { isMissing, RefusedStatementError } from '../postgres/failures.ts';
import { ProblemError, type ProblemKind } from './problem.ts';

/** SQLSTATE of a statement that ran into its time limit. */
const CANCELLED = '57014';

/** Status codes that the server itself answers with, before a route is asked. */
const OF_STATUS: Readonly<Record<number, ProblemKind>> = {
  400: 'bad-request',
  404: 'not-found',
  413: 'body-too-large',
  414: 'bad-request',
};

/** What a failure means to the caller: never an address, a secret or SQL. The cause is for the log. */
export function generalProblemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof RefusedStatementError) return refusedStatement(error);
  if (error instanceof UnavailableError)
    return new ProblemError('unavailable', 'a part that this needs does not answer; /readyz tells which', {
      cause: error,
      headers: { 'retry-after': '2' },
    });
  return invalid(error) ?? ofServer(error) ?? new ProblemError('internal', OURS, { cause: error });
}

const OURS = 'this should not have happened; the log of the API has the reason under the id of this request';

function refusedStatement(error: RefusedStatementError): ProblemError {
  if (error.code === CANCELLED)
    return new ProblemError('timeout', 'the question takes too long; narrow it, or ask for a smaller page', {
      cause: error,
    });
  if (isMissing(error))
    return new ProblemError(
      'unavailable',
      'the tables are not there yet, or too old for this version; "jobledger migrate" or a projector makes them',
      {
        cause: error,
        headers: { 'retry-after': '2' },
      },
    );
  return error.isAboutValues
    ? new ProblemError('bad-request', 'a value cannot be used', { cause: error })
    : new ProblemError('internal', OURS, { cause: error });
}

/** What stands in a path, a query or a body, against its schema. */
function invalid(error: unknown): ProblemError | undefined {
  if (!hasZodFastifySchemaValidationErrors(error)) return undefined;
  const part = (error as { validationContext?: string }).validationContext ?? 'request';
  const errors = error.validation.map(({ instancePath, message = 'cannot be used' }) => ({
    where: `${part}${instancePath === '/' ? '' : instancePath}`,
    message,
  }));
  const detail = errors.map(({ where, message }) => `${where}: ${message}`).join('; ');
  return new ProblemError('bad-request', detail, { members: { errors } });
}

/** The server's own refusals: a body that is too large or no JSON, a path that cannot be decoded, a time-out. */
function ofServer(error: unknown): ProblemError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { statusCode = 500, code = '' } = error as { statusCode?: number; code?: string };
  if (code === 'FST_ERR_HANDLER_TIMEOUT')
    return new ProblemError('timeout', 'the answer takes too long; try again, or ask for less', {
      cause: error,
    });
  if (statusCode === 415)
    return new ProblemError(
      'unsupported-media-type',
      'give JSON, with the header Content-Type: application/json',
    );
  const kind = OF_STATUS[statusCode] ?? (statusCode < 500 ? 'bad-request' : undefined);
  return kind === undefined ? undefined : new ProblemError(kind, error.message, { status: statusCode });
}
