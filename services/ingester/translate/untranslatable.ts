import { JobledgerError, errorMessage } from '../../adapters/errors.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import { TooLargeError } from './too-large.ts';
import type { AnyTranslated } from './translate.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';

/** Thrown for an object that this program cannot translate and that the reader must read again. */
export class UntranslatableError extends JobledgerError {
  override readonly name = 'UntranslatableError';
}

/** Translates an object. `reduced` leaves out the template or spec, on which no decision depends. */
export type Translate = (reduced: boolean) => AnyTranslated;

/** The log message for an object that is too large or cannot be translated. */
export const NOT_RECORDED = 'an object is not recorded, and nothing is decided about it';

/** The number of attempts after which an object is recorded without its template or spec. */
const TRIES = 3;

/** The number of failed objects beyond which no further object is read again. */
const MOST_READ_AGAIN = 3;

/** The most objects whose failures are remembered. */
const MOST_FAILING = 10_000;

/**
 * Handles translation failures, which are bugs of this program. The object is read again a few times, in case the
 * failure is temporary. The object is then recorded without template or spec and marked as too large, because unusual
 * content is usually in the template or spec, on which no decision depends. If this attempt fails too, the object is
 * left out, and so is an object that is too large: no decision is made about unrecorded objects, and a wait for one
 * object would stop all other objects of the cluster. Each periodic list finds a left-out object again.
 *
 * A left-out object is not read again in any version, because each attempt restarts the watch of all objects, and the
 * author can change the object at any rate. Only the first failing objects are read again, because an author can also
 * create further objects. @throws UntranslatableError when the object must be read again.
 */
export function createFaultTolerantTranslator(
  { log, onNotRecorded }: { log: Log; onNotRecorded: () => void },
  collection: { cluster: string; resource: string },
): (object: ApiObject, translate: Translate) => AnyTranslated {
  /** The number of attempts by UID; `TRIES` for an object that is left out. */
  const failures = new Map<string, number>();
  const leaveOut = (): AnyTranslated => {
    onNotRecorded();
    return { events: [], changes: [] };
  };
  return ({ metadata }, translate) => {
    const { uid, namespace = '', name, resourceVersion } = metadata;
    const known = failures.get(uid);
    const before = known ?? (failures.size < MOST_READ_AGAIN ? 0 : TRIES - 1);
    const object = { object: `${namespace}/${name}`, resourceVersion };
    const logFields = (cause: unknown) => ({ ...collection, ...object, error: errorMessage(cause) });
    const rememberFailures = (count: number): void => {
      failures.set(uid, count);
      dropOldest(failures, MOST_FAILING);
    };
    const handleFailure = (cause: unknown): AnyTranslated => {
      const fields = logFields(cause);
      if (cause instanceof TooLargeError) {
        log.error({ ...collection, error: errorMessage(cause) }, NOT_RECORDED);
        return leaveOut();
      }
      rememberFailures(Math.min(before + 1, TRIES));
      if (before === TRIES - 1) log.error(fields, NOT_RECORDED);
      if (before >= TRIES - 1) return leaveOut();
      log.error(fields, `an object cannot be translated; ${describeNextAttempt(before + 1)}`);
      throw new UntranslatableError(`${collection.resource} ${object.object} cannot be translated`, {
        cause,
      });
    };
    try {
      return translate(false);
    } catch (cause) {
      if (cause instanceof TooLargeError || before < TRIES - 1) return handleFailure(cause);
      if (known === undefined)
        log.error(
          logFields(cause),
          'an object cannot be translated; it is recorded without template or spec',
        );
    }
    try {
      const translated = translate(true);
      if (known === undefined) rememberFailures(before);
      return translated;
    } catch (cause) {
      return handleFailure(cause);
    }
  };
}

function describeNextAttempt(failures: number): string {
  return failures < TRIES - 1
    ? 'it will be read again'
    : 'it will be read once more and recorded without template or spec';
}
