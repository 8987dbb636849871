import {
  AFTER,
  BACKOFF_SECONDS,
  CONTINUED_FAILURES,
  INDEXES,
  RETRY_OF,
  FAILED_PODS_LIMIT,
  PLACED_FOR,
  START_AND_FINISH_EVENTS,
} from '../../kubernetes/names.ts';
import { MAX_AWAITED } from '../definitions/chain.ts';
import type { AfterCondition, ContinuedFailures, JobAnnotations } from '../../batch/facts.ts';
import { indexGrantIn, type IndexGrant } from '../../batch/index-grant.ts';
import { continuedFailuresIn } from './continued-failures.ts';

type Annotation<T> = { name: string; allowed: string; read: (text: string) => T | null };

/** The limit of an `int32` of the API, which also applies to the other numbers of seconds. */
const SECONDS = wholeNumber(BACKOFF_SECONDS, 2_147_483_647);
/** The state lists these pods, so their number is limited. */
const KEPT_PODS = wholeNumber(FAILED_PODS_LIMIT, 1000);
const EVENTS: Annotation<boolean> = {
  name: START_AND_FINISH_EVENTS,
  allowed: '"true" or "false"',
  read: (text) => (text === 'true' ? true : text === 'false' ? false : null),
};
const JOBS: Annotation<AfterCondition[]> = {
  name: AFTER,
  allowed: `a list of at most ${MAX_AWAITED} other Jobs, each once, such as "extract=Succeeded, check=Finished" (Succeeded, Failed or Finished)`,
  read: readAfter,
};
const FAILURES: Annotation<ContinuedFailures> = {
  name: CONTINUED_FAILURES,
  allowed: 'the failures that Jobledger writes on a member of a placed Job',
  read: continuedFailuresIn,
};
const GRANTED: Annotation<IndexGrant> = {
  name: INDEXES,
  allowed: 'the indexes that Jobledger writes on a member of a placed Job',
  read: indexGrantIn,
};
/** `<cluster>/<namespace>/<name>/<uid>`. */
const HOME = /^(?<job>[^/]{1,253}\/[^/]{1,63}\/[^/]{1,253})\/[^/]{1,100}$/;

const ALL: readonly Annotation<unknown>[] = [SECONDS, KEPT_PODS, EVENTS, JOBS, FAILURES, GRANTED];

/** The length, in characters, beyond which reported values are cut. */
const LONGEST_REPORTED = 100;

/**
 * The requests in the annotations of a Job (J-12.6, J-12.8); undefined without such annotations. An invalid value is
 * only reported: the rule for a Job without the annotation applies.
 */
export function jobAnnotations(texts: Readonly<Record<string, string>> = {}): JobAnnotations | undefined {
  const backoffSeconds = valueIn(texts, SECONDS);
  const failedPodsLimit = valueIn(texts, KEPT_PODS);
  const after = valueIn(texts, JOBS);
  const continues = valueIn(texts, FAILURES);
  const indexes = valueIn(texts, GRANTED);
  const placedFor = HOME.exec(texts[PLACED_FOR] ?? '')?.groups?.['job'];
  const isRetry = texts[RETRY_OF] !== undefined && texts[PLACED_FOR] === undefined;
  const invalid = ALL.flatMap((annotation) => complaintAbout(texts, annotation));
  const read: JobAnnotations = {
    ...(backoffSeconds !== null && { backoffSeconds }),
    ...(failedPodsLimit !== null && { failedPodsLimit }),
    ...(valueIn(texts, EVENTS) === true && { startAndFinishEvents: true }),
    ...(after !== null && { after }),
    ...(continues !== null && { continues }),
    ...(indexes !== null && { indexes: { ...indexes, ...(isRetry && { isRetry }) } }),
    ...(placedFor !== undefined && { placedFor }),
    ...(invalid.length > 0 && { invalid }),
  };
  return Object.keys(read).length === 0 ? undefined : read;
}

/** The value of an annotation; null when it is absent or invalid. */
function valueIn<T>(texts: Readonly<Record<string, string>>, { name, read }: Annotation<T>): T | null {
  const text = texts[name];
  return text === undefined ? null : read(text);
}

/** The complaint about an invalid annotation; none for a valid one. */
function complaintAbout(
  texts: Readonly<Record<string, string>>,
  { name, allowed, read }: Annotation<unknown>,
): string[] {
  const text = texts[name];
  if (text === undefined || read(text) !== null) return [];
  return [`${name} is ignored: "${text.slice(0, LONGEST_REPORTED)}" is not ${allowed}`];
}

/** An annotation whose value is a whole number up to a maximum. */
function wholeNumber(name: string, max: number): Annotation<number> {
  return {
    name,
    allowed: `a whole number from 0 to ${max}`,
    read: (text) => (/^\d+$/.test(text) && Number(text) <= max ? Number(text) : null),
  };
}

/** A name that a Job can have (RFC 1123 subdomain), and the end that is required of this Job. */
const CONDITION =
  /^(?<job>[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?)(?:\s*=\s*(?<end>Succeeded|Failed|Finished))?$/;

/**
 * Reads the value of `jobledger.dev/after`; the default end is Succeeded. The value is null when the annotation is
 * invalid.
 */
function readAfter(text: string): AfterCondition[] | null {
  const conditions: AfterCondition[] = [];
  for (const part of text.split(',', MAX_AWAITED + 1)) {
    const { job, end = 'Succeeded' } = CONDITION.exec(part.trim())?.groups ?? {};
    if (job === undefined || conditions.some((each) => each.job === job)) return null;
    conditions.push({ job, end: end as AfterCondition['end'] });
  }
  return conditions.length > MAX_AWAITED ? null : conditions;
}
