import { createHash, timingSafeEqual } from 'node:crypto';
import { InputError } from '../errors.ts';
import type { Places } from '../places.ts';

/** What a caller may do: `read` queries, `submit` creates Jobs, `operate` suspends and resumes them. */
export const SCOPES = ['read', 'submit', 'operate'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** The caller: the name of its token, which is recorded with the caller's requests. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly AccessScope[];
  readonly places: Places;
}

/** A configured token: only its SHA-256 is kept. `expiresAt` in milliseconds since 1970; null: never. */
export interface Token extends Caller {
  readonly digest: Buffer;
  readonly expiresAt: number | null;
}

const LINE =
  /^(?<name>[\w.@-]{1,64})\s+(?<scopes>[a-z,]+)\s+(?<digest>[\da-f]{64})(?<more>(?:\s+(?:expires|in)=\S+)*)$/;

/**
 * Parses a token file: one `NAME SCOPE[,SCOPE] SHA-256 in hex [expires=INSTANT] [in=CLUSTER/NAMESPACE,…]` per line;
 * empty lines and lines starting with `#` are ignored. @throws InputError naming file and line, never the content.
 */
export function tokensIn(text: string, file: string): Token[] {
  const tokens = text.split('\n').flatMap((line, index) => {
    const content = line.trim();
    return content === '' || content.startsWith('#') ? [] : [tokenIn(content, `${file}:${index + 1}`)];
  });
  if (tokens.length === 0) throw new InputError(`${file} contains no token; ${SHAPE}`);
  return tokens;
}

const SHAPE =
  "each line must be NAME read|submit|operate[,…], the token's SHA-256 in hex, and optionally expires=INSTANT and in=CLUSTER/NAMESPACE[,…]";

function tokenIn(line: string, where: string): Token {
  const { name, scopes, digest, more = '' } = LINE.exec(line)?.groups ?? {};
  if (name === undefined || scopes === undefined || digest === undefined)
    throw new InputError(`${where} is not a token: ${SHAPE}`);
  const fields = more
    .trim()
    .split(/\s+/)
    .filter((field) => field !== '');
  const named = scopes.split(',').map((each) => scopeIn(each, where));
  return {
    name,
    scopes: fields.length === 0 ? withSubmit(named) : named,
    digest: Buffer.from(digest, 'hex'),
    expiresAt: expiryIn(valueOf(fields, 'expires', where), where),
    places: placesIn(valueOf(fields, 'in', where), where),
  };
}

/** Lines of three fields are from before `submit` was a scope of its own, when `operate` included it. */
function withSubmit(scopes: readonly AccessScope[]): AccessScope[] {
  return scopes.includes('operate') ? [...new Set([...scopes, 'submit' as const])] : [...scopes];
}

function valueOf(fields: readonly string[], name: string, where: string): string | undefined {
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
    // The name of a cluster may contain slashes, that of a namespace may not.
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
  { name, scopes, places = null, expiresAt = null }: Pick<Caller, 'name' | 'scopes'> & Partial<Token>,
  token: string,
): string {
  const expiry = expiresAt === null ? '' : ` expires=${new Date(expiresAt).toISOString()}`;
  const within =
    places === null ? '' : ` in=${places.map((each) => `${each.cluster}/${each.namespace}`).join(',')}`;
  return `${name} ${scopes.join(',')} ${digestOf(token).toString('hex')}${expiry}${within}\n`;
}

/**
 * The caller with this token, unless it has expired. Compares with every known token in constant time, so that the
 * duration reveals nothing.
 */
export function callerOf(tokens: readonly Token[], presented: string, now = Date.now()): Caller | undefined {
  const digest = digestOf(presented);
  const [found] = tokens.filter((token) => timingSafeEqual(token.digest, digest));
  if (found === undefined || (found.expiresAt !== null && found.expiresAt <= now)) return undefined;
  const { name, scopes, places } = found;
  return { name, scopes, places };
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
