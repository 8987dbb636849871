import { inflateRawSync } from 'node:zlib';
import { deflated } from '../../adapters/deflated.ts';
import { parseExact, stringifyExact } from '../../adapters/exact-json.ts';

/**
 * Returns a function that compresses an object; calling the result restores the object. The first object is the
 * dictionary of the others: neighbouring pods in a list mostly belong to one Job and differ little.
 */
export function createPacker<T>(): (object: T) => () => T {
  let first: Buffer | undefined;
  return (object) => {
    const text = Buffer.from(stringifyExact(object));
    first ??= text;
    const options = { dictionary: first, level: 1 };
    const packed = deflated(text, options);
    return () => parseExact(inflateRawSync(packed, options).toString()) as T;
  };
}
