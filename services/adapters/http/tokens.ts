import { createHash, timingSafeEqual } from 'node:crypto';
import { InputError } from '../errors.ts';

/** What a caller may do: ask, and ask for changes. */
export const SCOPES = ['read', 'operate'] as const;
export type AccessScope = (typeof SCOPES)[number];

/** Who asks: the name of the token, which is recorded with what it asked for. */
export interface Caller {
  readonly name: string;
  readonly scopes: readonly AccessScope[];
}

/** A token as it is kept: only its SHA-256, from which nobody gets it back. */
export interface Token extends Caller {
  readonly digest: Buffer;
}

const LINE = /^(?<name>[\w.@-]{1,64})\s+(?<scopes>[a-z,]+)\s+(?<digest>[\da-f]{64})$/;

/**
 * Reads a file of tokens: a line for each, `NAME SCOPE[,SCOPE] SHA-256 in hex`; empty lines and those that begin with `#`
 * are left out. @throws InputError naming file and line, never what stands there.
 */
export function tokensIn(text: string, file: string): Token[] {
  const tokens = text.split('\n').flatMap((line, index) => {
    const content = line.trim();
    return content === '' || content.startsWith('#') ? [] : [tokenIn(content, `${file}:${index + 1}`)];
  });
  if (tokens.length === 0) throw new InputError(`${file} holds no token; ${SHAPE}`);
  return tokens;
}

const SHAPE = `a line is NAME read|operate|read,operate and the token's SHA-256 in hex`;

function tokenIn(line: string, where: string): Token {
  const { name, scopes, digest } = LINE.exec(line)?.groups ?? {};
  if (name === undefined || scopes === undefined || digest === undefined)
    throw new InputError(`${where} is no token: ${SHAPE}`);
  return {
    name,
    scopes: scopes.split(',').map((each) => scopeIn(each, where)),
    digest: Buffer.from(digest, 'hex'),
  };
}

function scopeIn(text: string, where: string): AccessScope {
  const scope = SCOPES.find((known) => known === text);
  if (scope === undefined)
    throw new InputError(`${where}: "${text}" is no scope; there are ${SCOPES.join(' and ')}`);
  return scope;
}

/** The line of a token in the file. */
export function tokenLine({ name, scopes }: Caller, token: string): string {
  return `${name} ${scopes.join(',')} ${digestOf(token).toString('hex')}\n`;
}

/** Whose token it is. Every known one is compared, each in constant time: how long it takes tells nothing. */
export function callerOf(tokens: readonly Token[], presented: string): Caller | undefined {
  const digest = digestOf(presented);
  const matching = tokens.filter((token) => timingSafeEqual(token.digest, digest));
  return matching[0];
}

function digestOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
