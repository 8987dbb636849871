import { isRefused, type Refused } from '../../workflows/history/refused.ts';
import { InputError, JobledgerError } from '../adapters/errors.ts';

/** The answer. @throws InputError, or for a stream that is broken a JobledgerError, where there is none. */
export function requireAnswer<T extends object>(answer: T | Refused, about: string): T {
  if (!isRefused(answer)) return answer;
  const words = `${about}: ${answer.words}`;
  throw answer.refused === 'broken' ? new JobledgerError(words) : new InputError(words);
}
