import { InputError } from '../errors.ts';

/** A name or namespace as one segment of a path, which cannot lead to another object. */
export function pathSegment(name: string): string {
  // A client resolves these two, encoded or not.
  if (typeof name !== 'string' || name === '' || name === '.' || name === '..')
    throw new InputError(`"${name}" is no name of an object`);
  return encodeURIComponent(name);
}
