import { errorMessage } from '../../adapters/errors.ts';
import { dropOldest } from '../../adapters/drop-oldest.ts';
import type { ApiObject } from '../../adapters/kubernetes/watch.ts';
import type { Log } from '../../adapters/process/log.ts';
import type { Translation } from './collections.ts';
import { NOT_RECORDED, TooLargeError, UntranslatableError } from './errors.ts';
import type { AnyTranslated, TranslationScope } from './translate.ts';

/** The number of attempts after which an object is recorded without its template or spec. */
const TRIES = 3;

/** The number of failed objects beyond which no further object is read again. */
const MOST_READ_AGAIN = 3;

/** The most objects whose failures are remembered. */
const MOST_FAILING = 10_000;

/** Translates the objects of one collection. The translation of a left-out object is empty. */
interface FaultTolerantTranslator<T> {
  /** `listedAt` is the resourceVersion of the list that contained the object; absent for a watch event. */
  observed(object: T, listedAt?: string): AnyTranslated;
  /** `object` is the last version of the deleted object. */
  deleted(object: T): AnyTranslated;
}

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
export function createFaultTolerantTranslator<T extends ApiObject>(
  translation: Translation<T>,
  scope: TranslationScope,
  { resource, log, onNotRecorded }: { resource: string; log: Log; onNotRecorded: () => void },
): FaultTolerantTranslator<T> {
  const collection = { cluster: scope.cluster, resource };
  const reduced = { ...scope, redaction: { ...scope.redaction, reduced: true } };
  /** The number of attempts by UID; `TRIES` for an object that is left out. */
  const failures = new Map<string, number>();
  const leaveOut = (): AnyTranslated => {
    onNotRecorded();
    return { events: [], changes: [] };
  };
  /** `translate` makes the events of the object in the given scope; the reduced scope leaves out the template or spec. */
  const translateOrLeaveOut = (
    { metadata }: T,
    translate: (chosen: TranslationScope) => AnyTranslated,
  ): AnyTranslated => {
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
      return translate(scope);
    } catch (cause) {
      if (cause instanceof TooLargeError || before < TRIES - 1) return handleFailure(cause);
      if (known === undefined)
        log.error(
          logFields(cause),
          'an object cannot be translated; it is recorded without template or spec',
        );
    }
    try {
      const translated = translate(reduced);
      if (known === undefined) rememberFailures(before);
      return translated;
    } catch (cause) {
      return handleFailure(cause);
    }
  };
  return {
    observed: (object, listedAt) =>
      translateOrLeaveOut(object, (chosen) =>
        translation.observed(chosen, object, new Date().toISOString(), listedAt),
      ),
    deleted: (object) =>
      translateOrLeaveOut(object, (chosen) => translation.deleted(chosen, object, new Date().toISOString())),
  };
}

function describeNextAttempt(failures: number): string {
  return failures < TRIES - 1
    ? 'it will be read again'
    : 'it will be read once more and recorded without template or spec';
}
