import { JobledgerError, messageOf } from '../adapters/errors.ts';
import type { ApiObject } from '../adapters/kubernetes/watch.ts';
import type { Log } from '../adapters/log.ts';
import type { Translated } from './translate.ts';

/** An object that this program cannot translate. Whoever follows the collection must read it again, not go past it. */
export class UntranslatableError extends JobledgerError {
  override readonly name = 'UntranslatableError';
}

/** Translates an object; `reduced` without the part of it that nothing is decided by. */
export type Translate = (reduced: boolean) => Translated;

/** So often an object is read before it is recorded without its template or spec. */
const TRIES = 3;

/**
 * What cannot be translated is a mistake of this program, and the fact must not be lost for it. The object is read again
 * some times, which helps when something passing was wrong. Then it is recorded without template or spec, marked as such
 * as those that are too large are: that is where strange content can be, and no decision rests on it. If even that fails,
 * the collection stays before this object, and says so: metadata and status are what decisions rest on, and to record
 * others than those that were seen would be a lie for ever, while a mended program goes on from here.
 * @throws UntranslatableError when it is to be read again.
 */
export function reducingAtLast(
  log: Log,
  collection: { cluster: string; resource: string },
): (object: ApiObject, translate: Translate) => Translated {
  const failures = new Map<string, number>();
  return ({ metadata }, translate) => {
    const key = `${metadata.uid}/${metadata.resourceVersion}`;
    const before = failures.get(key) ?? 0;
    try {
      const translated = translate(before >= TRIES - 1);
      failures.delete(key);
      return translated;
    } catch (cause) {
      failures.set(key, before + 1);
      const object = `${metadata.namespace ?? ''}/${metadata.name}`;
      log.error(
        { ...collection, object, resourceVersion: metadata.resourceVersion, error: messageOf(cause) },
        `an object cannot be translated; ${whatNext(before + 1)}`,
      );
      throw new UntranslatableError(`${collection.resource} ${object} cannot be translated`, { cause });
    }
  };
}

function whatNext(failures: number): string {
  if (failures < TRIES - 1) return 'it is read again';
  if (failures === TRIES - 1) return 'it is read once more, to be recorded without template or spec';
  return 'this collection stays before it: report this as a bug of Jobledger, with the error';
}
