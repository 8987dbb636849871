import { InputError } from '../errors.ts';

/**
 * A name as one segment of a request path. The API server has no object whose name is empty, `.` or `..`, or contains
 * `/` or `%`; a request with such a name would address another object, or a whole collection.
 * @throws InputError.
 */
export function pathSegment(name: string): string {
  if (name === '' || name === '.' || name === '..' || /[/%]/.test(name))
    throw new InputError(`${JSON.stringify(name)} cannot be the name of an object; nothing is sent`);
  return encodeURIComponent(name);
}
