import { errorMessage, InputError } from '../services/adapters/errors.ts';

/** The objects that were found by their names, and the error about the names without an object; null if every name has one. */
export interface EachFound<T> {
  found: T[];
  error: InputError | null;
}

/**
 * Looks for the object of each name, one after the other. A refused name does not hide the results of the others. @throws any error that does not
 * concern a single name.
 */
export async function eachFound<N, T>(
  names: readonly N[],
  find: (name: N) => Promise<T>,
): Promise<EachFound<T>> {
  const found: T[] = [];
  const errors: InputError[] = [];
  for (const name of names)
    try {
      found.push(await find(name));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      errors.push(error);
    }
  return { found, error: oneError(errors) };
}

/** One error with the messages of all errors; null if there are none. */
function oneError(errors: readonly InputError[]): InputError | null {
  const [first = null] = errors;
  return errors.length < 2 ? first : new InputError(errors.map(errorMessage).join('\n'));
}
