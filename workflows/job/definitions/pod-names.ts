/**
 * Names of created pods: upstream's shape, `<base><five letters>` (J-5.1), where the letters are the creation ordinal
 * sent through a permutation that belongs to the Job. So no two creations of one Job share a name, and the same
 * creation asked for again after a crash has the same name.
 */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 5;
const SUFFIXES = ALPHABET.length ** LENGTH;
/** The API server cuts `generateName` there before it appends its letters. */
const MAX_BASE = 58;
/** Of a DNS subdomain: a longer prefix is none of a name. */
const MAX_NAME = 253;

/** `generateName` of a pod of this Job and index (J-5.1): before an index the Job's name is cut, else the API server cuts. */
export function generateName(jobName: string, index?: number): string {
  if (index === undefined) return jobName.length < MAX_NAME ? `${jobName}-` : jobName;
  const ending = `-${index}-`;
  return `${jobName.slice(0, MAX_BASE - ending.length)}${ending}`;
}

function baseOf(jobName: string, index?: number): string {
  return generateName(jobName, index).slice(0, MAX_BASE);
}

/** The name of the pod with this creation ordinal. */
export function podName(job: { uid: string; name: string }, ordinal: number, index?: number): string {
  return baseOf(job.name, index) + lettersOf(permute(ordinal % SUFFIXES, job.uid));
}

/** The ordinal that gives a name, or null when no ordinal does. */
export function ordinalOf(job: { uid: string; name: string }, name: string, index?: number): number | null {
  const base = baseOf(job.name, index);
  if (!name.startsWith(base) || name.length !== base.length + LENGTH) return null;
  const place = placeOf(name.slice(base.length));
  return place === null ? null : unpermute(place, job.uid);
}

/** x → (a·x + b) mod 27^5 is a permutation, as `a` shares no factor with 27. All products stay below 2^53. */
function permute(ordinal: number, uid: string): number {
  const { factor, offset } = keyOf(uid);
  return (factor * ordinal + offset) % SUFFIXES;
}

function unpermute(place: number, uid: string): number {
  const { factor, offset } = keyOf(uid);
  return (inverse(factor) * ((place - offset + SUFFIXES) % SUFFIXES)) % SUFFIXES;
}

function keyOf(uid: string): { factor: number; offset: number } {
  const seed = hash(uid);
  const factor = (hash(`${uid}/factor`) % (SUFFIXES - 2)) + 1;
  return { factor: factor % 3 === 0 ? factor + 1 : factor, offset: seed % SUFFIXES };
}

/** FNV-1a, 32 bits: spreads uids, keeps no secret. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return value;
}

/** The multiplicative inverse modulo 27^5, by Euclid. */
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

function lettersOf(place: number): string {
  let rest = place;
  let letters = '';
  for (let at = 0; at < LENGTH; at += 1) {
    letters = ALPHABET.charAt(rest % ALPHABET.length) + letters;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return letters;
}

function placeOf(letters: string): number | null {
  let place = 0;
  for (const letter of letters) {
    const digit = ALPHABET.indexOf(letter);
    if (digit < 0) return null;
    place = place * ALPHABET.length + digit;
  }
  return place;
}
