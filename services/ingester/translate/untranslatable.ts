import { JobledgerError, messageOf } from '../../adapters/errors.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import { TooLargeError } from './too-large.ts';
import type { AnyTranslated } from './translate.ts';

/** An object that this program cannot translate. The reader must read it again instead of skipping it. */
export class UntranslatableError extends JobledgerError {
  override readonly name = 'UntranslatableError';
}

/** Translates an object; with `reduced`, without the template or spec, on which no decision depends. */
export type Translate = (reduced: boolean) => AnyTranslated;

/** Logged for an object that is too large. */
export const NOT_RECORDED = 'an object is not recorded, and nothing is decided about it';

/** Attempts before an object is recorded without its template or spec. */
const TRIES = 3;

/**
 * Handles translation failures, which are bugs of this program, without losing facts. The object is read again a few
 * times, in case the failure is temporary. Then it is recorded without template or spec, marked like objects that are
 * too large: unusual content is usually there, and no decision depends on it. When that fails too, the collection stops
 * before this object and logs it: decisions depend on metadata and status, and a wrong record would stay forever, while
 * a fixed program can continue from here.
 *
 * An object that is too large is skipped: no decision is made about what is not recorded, and waiting for it would stop
 * the cluster. Each periodic list finds it again.
 * @throws UntranslatableError when the object must be read again.
 */
export function reducingAtLast(
  log: Log,
  collection: { cluster: string; resource: string },
): (object: ApiObject, translate: Translate) => AnyTranslated {
  const failures = new Map<string, number>();
  return ({ metadata }, translate) => {
    const key = `${metadata.uid}/${metadata.resourceVersion}`;
    const before = failures.get(key) ?? 0;
    try {
      const translated = translate(before >= TRIES - 1);
      failures.delete(key);
      return translated;
    } catch (cause) {
      if (cause instanceof TooLargeError) {
        log.error({ ...collection, error: cause.message }, NOT_RECORDED);
        return { events: [], changes: [] };
      }
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
  if (failures < TRIES - 1) return 'it will be read again';
  if (failures === TRIES - 1) return 'it will be read once more and recorded without template or spec';
  return 'reading this collection stops here: report this as a bug of Jobledger, with the error';
}
