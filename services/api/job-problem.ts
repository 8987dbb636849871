import { ProblemError } from '../adapters/http/problem.ts';
import { AmbiguousJobError, UnknownJobError } from '../read-model/queries/find-job.ts';

/** The problem of a name that does not match exactly one Job or CronJob; null for every other error. */
export function toJobProblem(error: unknown): ProblemError | null {
  if (error instanceof UnknownJobError)
    return new ProblemError(error.kind === 'Job' ? 'unknown-job' : 'unknown-cron-job', error.message, {
      members: choicesMember(error),
    });
  if (error instanceof AmbiguousJobError)
    return new ProblemError(error.kind === 'Job' ? 'ambiguous-job' : 'ambiguous-cron-job', error.message, {
      members: choicesMember(error),
    });
  return null;
}

function choicesMember({ choices }: UnknownJobError | AmbiguousJobError): ProblemError['members'] {
  return choices.length === 0 ? {} : { choices: [...choices] };
}
