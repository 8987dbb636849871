import { isRefused, type Refused } from '../workflows/history/refused.ts';
import { InputError, JobledgerError } from '../services/adapters/errors.ts';

/** Returns the result of the core. @throws InputError when the core refused, JobledgerError for a broken stream. */
export function requireAnswer<T extends object>(answer: T | Refused, about: string): T {
  if (!isRefused(answer)) return answer;
  const message = `${about}: ${answer.message}`;
  throw answer.refused === 'broken' ? new JobledgerError(message) : new InputError(message);
}
