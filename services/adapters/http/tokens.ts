import { createHash, timingSafeEqual } from 'node:crypto';
import { InputError } from '../errors.ts';

/** What a caller may do: `read` queries, `operate` submits Jobs and requests changes. */
export const SCOPES = ['read', 'operate'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** The caller: the name of its token, which is recorded with the caller's requests. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly AccessScope[];
}

/** A configured token: only its SHA-256 is kept. */
export interface Token extends Caller {
  readonly digest: Buffer;
}

const LINE = /^(?<name>[\w.@-]{1,64})\s+(?<scopes>[a-z,]+)\s+(?<digest>[\da-f]{64})$/;

/**
 * Parses a token file: one `NAME SCOPE[,SCOPE] SHA-256 in hex` per line; empty lines and lines starting with `#` are
 * ignored. @throws InputError naming file and line, never the content.
 */
export function tokensIn(text: string, file: string): Token[] {
  const tokens = text.split('\n').flatMap((line, index) => {
    const content = line.trim();
    return content === '' || content.startsWith('#') ? [] : [tokenIn(content, `${file}:${index + 1}`)];
  });
  if (tokens.length === 0) throw new InputError(`${file} contains no token; ${SHAPE}`);
  return tokens;
}

const SHAPE = `each line must be NAME read|operate|read,operate and the token's SHA-256 in hex`;

function tokenIn(line: string, where: string): Token {
  const { name, scopes, digest } = LINE.exec(line)?.groups ?? {};
  if (name === undefined || scopes === undefined || digest === undefined)
    throw new InputError(`${where} is not a token: ${SHAPE}`);
  return {
    name,
    scopes: scopes.split(',').map((each) => scopeIn(each, where)),
    digest: Buffer.from(digest, 'hex'),
  };
}

function scopeIn(text: string, where: string): AccessScope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined)
    throw new InputError(`${where}: "${text}" is not a scope; valid scopes: ${SCOPES.join(' and ')}`);
  return scope;
}

/** The line of a token in the file. */
export function tokenLine({ name, scopes }: Caller, token: string): string {
  return `${name} ${scopes.join(',')} ${digestOf(token).toString('hex')}\n`;
}

/**
 * The caller with this token. Compares with every known token in constant time, so that the duration reveals nothing.
 */
export function callerOf(tokens: readonly Token[], presented: string): Caller | undefined {
  const digest = digestOf(presented);
  const matching = tokens.filter((token) => timingSafeEqual(token.digest, digest));
  return matching[0];
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
