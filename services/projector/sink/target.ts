import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { InputError, errorMessage } from '../../adapters/errors.ts';
import { isReadableByOthers } from '../../adapters/network/address.ts';
import { parseSecrets } from './signature.ts';

/** A text, or the file that contains it, which is read for every delivery. */
export type TextOrFile = string | { file: string };

/**
 * The address and the settings of a delivery. Each text may be a secret, so messages contain no text, and only the host
 * of the URL.
 */
export interface HttpSink {
  url: TextOrFile;
  /** A bearer token; null without a token. */
  token: TextOrFile | null;
  headers: Readonly<Record<string, TextOrFile>>;
  /** The secrets of Standard Webhooks with which deliveries are signed; null for unsigned deliveries. */
  secret: TextOrFile | null;
  /** True when deliveries may be readable on the network. */
  withoutTls: boolean;
}

/** A target with texts that were read from their files. */
export interface Target {
  url: string;
  headers: Record<string, string>;
  secrets: string[];
}

const URL_TEXT = z.url({ protocol: /^https?$/ });

/**
 * The visible characters of ASCII. Other characters would make the HTTP library throw an error that quotes the text.
 */
const HEADER = /^[\x20-\x7e]*$/;

/** Reads the settings of a delivery. @throws InputError that names the unusable part, without its text. */
export function toTarget({ url, token, headers, secret, withoutTls }: HttpSink): Target {
  const given = Object.entries(headers).map(
    ([name, text]) => [name.toLowerCase(), readHeader(`headers.${name}`, text)] as const,
  );
  return {
    url: readUrl(url, withoutTls),
    headers: {
      ...Object.fromEntries(given),
      ...(token !== null && { authorization: `Bearer ${readHeader('token', token)}` }),
    },
    secrets: secret === null ? [] : withPartName('secret', () => parseSecrets(readSecret(secret))),
  };
}

function readUrl(given: TextOrFile, withoutTls: boolean): string {
  return withPartName('url', () => {
    const { success, data: url = '' } = URL_TEXT.safeParse(readSecret(given));
    if (!success) throw new InputError('not an http:// or https:// URL');
    const { username, password } = new URL(url);
    if (username !== '' || password !== '')
      throw new InputError('contains a user or a password, which must be in a header');
    if (isReadableByOthers(url) && !withoutTls)
      throw new InputError(
        'without TLS it would receive secrets and messages in plain text: use https://, or set withoutTls: true where the network is trusted',
      );
    return url;
  });
}

function readHeader(part: string, given: TextOrFile): string {
  return withPartName(part, () => {
    const text = readSecret(given);
    if (!HEADER.test(text)) throw new InputError('contains characters that a header cannot have');
    return text;
  });
}

/** Reads a text that may be in a file. @throws InputError that names the file. */
function readSecret(given: TextOrFile): string {
  if (typeof given === 'string') return given;
  try {
    return readFileSync(given.file, 'utf8').trim();
  } catch (cause) {
    throw new InputError(`the file ${given.file} cannot be read`, { cause });
  }
}

/** Runs `work`, and adds the name of a part of the settings to its error. */
function withPartName<T>(part: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new InputError(`${part}: ${errorMessage(error)}`);
  }
}
