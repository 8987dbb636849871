import { errorMessage, InputError } from '../services/adapters/errors.ts';

/** What was found of several named objects, and the error about the others; null when all were found. */
export interface EachFound<T> {
  found: T[];
  error: InputError | null;
}

/** Looks for each name in turn. A refused name does not hide the results of the others. @throws an error that is about no single name. */
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

function oneError(errors: readonly InputError[]): InputError | null {
  const [first = null] = errors;
  return errors.length < 2 ? first : new InputError(errors.map(errorMessage).join('\n'));
}
