import { createHash, timingSafeEqual } from 'node:crypto';
import { InputError, errorMessage } from '../../adapters/errors.ts';
import type { Places } from '../../adapters/places.ts';
import { SCOPES, type AccessScope, type Grant } from './caller.ts';

/**
 * A configured token; only its SHA-256 is kept. `expiresAt` is in milliseconds since 1970; null when the token never
 * expires.
 */
export interface Token extends Grant {
  readonly name: string;
  readonly digest: Buffer;
  readonly expiresAt: number | null;
}

/** The rights that a line of the file gives to a user or group that another source identifies. */
export interface PersonGrant extends Grant {
  readonly of: 'user' | 'group';
  readonly name: string;
}

/** A line of the file of tokens. */
export type AccessEntry = Token | PersonGrant;

const NAME = /^[\w.@-]{1,64}$/;
const DIGEST = /^[\da-f]{64}$/;
const PERSON = /^(?<of>user|group):(?<name>\S+)$/;
const OPTION = /^(?:expires|in)=\S+$/;

/** The contents of a file of tokens. Messages name the file and the line, never the content. */
export interface AccessFile {
  /** The tokens of the valid lines. */
  entries: AccessEntry[];
  /** The reasons why the other lines are refused. */
  refused: string[];
}

/**
 * Parses a file of tokens. A line is `NAME SCOPE[,SCOPE] SHA-256 in hex [expires=INSTANT] [in=CLUSTER/NAMESPACE,…]`, or
 * `user:NAME` or `group:NAME` with `SCOPE[,SCOPE] [in=…]`; empty lines and lines starting with `#` are ignored.
 */
export function readAccess(text: string, file: string): AccessFile {
  const found: AccessFile = { entries: [], refused: [] };
  for (const [index, line] of text.split('\n').entries()) {
    const content = line.trim();
    if (content === '' || content.startsWith('#')) continue;
    const where = `${file}:${index + 1}`;
    try {
      found.entries.push(entryIn(content, where));
    } catch (error) {
      found.refused.push(errorMessage(error));
    }
  }
  return found;
}

const SHAPE =
  "each line must be NAME read|submit|operate|audit|prices[,…], the token's SHA-256 in hex, and optionally expires=INSTANT and in=CLUSTER/NAMESPACE[,…]; or user:NAME or group:NAME with scopes, and optionally in=…";

/** @throws InputError. */
function entryIn(line: string, where: string): AccessEntry {
  const [first = '', scopes = '', ...rest] = line.split(/\s+/);
  const person = PERSON.exec(first)?.groups as Pick<PersonGrant, 'of' | 'name'> | undefined;
  const [digest, ...options] = person === undefined ? rest : ['', ...rest];
  if (
    digest === undefined ||
    !(person !== undefined || (NAME.test(first) && DIGEST.test(digest))) ||
    !/^[a-z,]+$/.test(scopes) ||
    !options.every((option) => OPTION.test(option))
  )
    throw new InputError(`${where} is not a token: ${SHAPE}`);
  const named = scopes.split(',').map((each) => scopeIn(each, where));
  const places = placesIn(fieldValue(options, 'in', where), where);
  const expires = fieldValue(options, 'expires', where);
  if (person === undefined) {
    if (digest === DIGEST_OF_NOTHING) throw new InputError(`${where}: this is the SHA-256 of an empty token`);
    return {
      name: first,
      scopes: named,
      digest: Buffer.from(digest, 'hex'),
      expiresAt: expiryIn(expires, where),
      places,
    };
  }
  if (expires !== undefined)
    throw new InputError(
      `${where}: expires= is for tokens only; the tokens of a ${person.of} have their own expiry`,
    );
  return { of: person.of, name: person.name, scopes: named, places };
}

function fieldValue(fields: readonly string[], name: string, where: string): string | undefined {
  const values = fields
    .filter((field) => field.startsWith(`${name}=`))
    .map((field) => field.slice(name.length + 1));
  if (values.length > 1) throw new InputError(`${where}: ${name}= is given more than once`);
  return values[0];
}

function expiryIn(text: string | undefined, where: string): number | null {
  if (text === undefined) return null;
  const instant = /^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(instant))
    throw new InputError(
      `${where}: expires= must be an instant with its time zone, such as 2027-04-01T00:00:00Z`,
    );
  return instant;
}

function placesIn(text: string | undefined, where: string): Places {
  if (text === undefined) return null;
  return text.split(',').map((each) => {
    // The name of a cluster may contain slashes, but the name of a namespace may not.
    const { cluster, namespace } = /^(?<cluster>.+)\/(?<namespace>[^/]+)$/.exec(each)?.groups ?? {};
    if (cluster === undefined || namespace === undefined)
      throw new InputError(`${where}: in= must be CLUSTER/NAMESPACE[,…], with * for every one`);
    return { cluster, namespace };
  });
}

function scopeIn(text: string, where: string): AccessScope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined)
    throw new InputError(`${where}: "${text}" is not a scope; valid scopes: ${SCOPES.join(', ')}`);
  return scope;
}

/** The line of a token in the file. */
export function tokenLine(
  { name, scopes, places = null, expiresAt = null }: Pick<Token, 'name' | 'scopes'> & Partial<Token>,
  token: string,
): string {
  const expiry = expiresAt === null ? '' : ` expires=${new Date(expiresAt).toISOString()}`;
  const within =
    places === null ? '' : ` in=${places.map((each) => `${each.cluster}/${each.namespace}`).join(',')}`;
  return `${name} ${scopes.join(',')} ${tokenDigest(token).toString('hex')}${expiry}${within}\n`;
}

/**
 * The entry of this token, unless it has expired. The token is compared with every known token in constant time, so
 * that the duration reveals nothing.
 */
export function findToken(
  entries: readonly AccessEntry[],
  presented: string,
  now = Date.now(),
): Token | undefined {
  const digest = tokenDigest(presented);
  const [found] = entries.filter(
    (entry): entry is Token => 'digest' in entry && timingSafeEqual(entry.digest, digest),
  );
  return found === undefined || (found.expiresAt !== null && found.expiresAt <= now) ? undefined : found;
}

const DIGEST_OF_NOTHING = tokenDigest('').toString('hex');

function tokenDigest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
