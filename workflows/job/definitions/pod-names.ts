/**
 * Pod names have the form that Kubernetes uses, `<base><five letters>` (J-5.1). The letters are the creation ordinal
 * after a permutation that depends on the Job's UID. So no two creations of a Job have the same name, and a creation
 * that is repeated after a crash has the same name again.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;
const SUFFIXES = ALPHABET.length ** LENGTH;
/** The API server cuts `generateName` to this length before it appends its letters. */
const MAX_BASE = 58;
/** The maximum length of a DNS subdomain name. */
const MAX_NAME = 253;

/**
 * `generateName` of a pod (J-5.1). For a pod with an index, this code cuts the name of the Job; otherwise the API
 * server cuts it.
 */
export function generateName(jobName: string, index?: number): string {
  if (index === undefined) return jobName.length < MAX_NAME ? `${jobName}-` : jobName;
  const ending = `-${index}-`;
  return `${jobName.slice(0, MAX_BASE - ending.length)}${ending}`;
}

/** The part of a pod name before its letters. */
function nameBase(jobName: string, index?: number): string {
  return generateName(jobName, index).slice(0, MAX_BASE);
}

/** The name of the pod with this creation ordinal. */
export function podName(job: { uid: string; name: string }, ordinal: number, index?: number): string {
  return nameBase(job.name, index) + toLetters(permute(ordinal % SUFFIXES, job.uid));
}

/** The completion index for which a pod with this name was created; undefined for any other name. */
export function indexOfName(job: { uid: string; name: string }, name: string): number | undefined {
  const digits = /-(0|[1-9]\d{0,9})-[a-z\d]{5}$/.exec(name)?.[1];
  const index = digits === undefined ? undefined : Number(digits);
  return index === undefined || podOrdinal(job, name, index) === null ? undefined : index;
}

/** The ordinal that produces this name; null when no ordinal does. */
export function podOrdinal(job: { uid: string; name: string }, name: string, index?: number): number | null {
  const base = nameBase(job.name, index);
  if (!name.startsWith(base) || name.length !== base.length + LENGTH) return null;
  const place = parseLetters(name.slice(base.length));
  return place === null ? null : unpermute(place, job.uid);
}

/**
 * The position of a creation ordinal after the permutation `x → (a·x + b) mod 27^5`; this is a permutation because
 * `a` and 27 are coprime. All products stay below 2^53.
 */
function permute(ordinal: number, uid: string): number {
  const { factor, offset } = shuffleKey(uid);
  return (factor * ordinal + offset) % SUFFIXES;
}

/** The creation ordinal at a position of the permutation. */
function unpermute(place: number, uid: string): number {
  const { factor, offset } = shuffleKey(uid);
  return (inverse(factor) * ((place - offset + SUFFIXES) % SUFFIXES)) % SUFFIXES;
}

/** The factor and the offset of the permutation of a Job. */
function shuffleKey(uid: string): { factor: number; offset: number } {
  const seed = hash(uid);
  const factor = (hash(`${uid}/factor`) % (SUFFIXES - 2)) + 1;
  return { factor: factor % 3 === 0 ? factor + 1 : factor, offset: seed % SUFFIXES };
}

/** The 32-bit FNV-1a hash of a text, which is not cryptographic. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** The multiplicative inverse modulo 27^5, by the extended Euclidean algorithm. */
function inverse(factor: number): number {
  let [rest, next] = [SUFFIXES, factor];
  let [a, b] = [0, 1];
  while (next !== 0) {
    const quotient = Math.floor(rest / next);
    [rest, next] = [next, rest - quotient * next];
    [a, b] = [b, a - quotient * b];
  }
  return a < 0 ? a + SUFFIXES : a;
}

/** The letters of a position of the permutation. */
function toLetters(place: number): string {
  let rest = place;
  let letters = '';
  for (let at = 0; at < LENGTH; at += 1) {
    letters = ALPHABET.charAt(rest % ALPHABET.length) + letters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return letters;
}

/** The position of the permutation that the letters stand for; null for other characters. */
function parseLetters(letters: string): number | null {
  let place = 0;
  for (const letter of letters) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return null;
    place = place * ALPHABET.length + digit;
  }
  return place;
}
