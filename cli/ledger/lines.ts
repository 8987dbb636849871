import { open } from 'node:fs/promises';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { InputError, errorMessage } from '../../services/adapters/errors.ts';

/** The largest record that Kafka accepts, in bytes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface InputLine {
  /** From 1. */
  number: number;
  text: string;
}

const LINE_FEED = 0x0a;
const GZIP = Buffer.from([0x1f, 0x8b]);

/**
 * The non-empty lines of a file, which may be compressed with gzip. Only a line feed ends a line, because JSON may contain other characters that some
 * programs treat as line breaks. @throws InputError when the file cannot be read, or a line is too long.
 */
export async function* readLines(file: string): AsyncGenerator<InputLine> {
  let number = 0;
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of await contentIn(file)) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      let start = 0;
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED, start)) {
        number += 1;
        yield* toLine(number, rest.subarray(start, end));
        start = end + 1;
      }
      rest = rest.subarray(start);
      requireShort(number + 1, rest);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be read: ${errorMessage(error)}`);
  }
  yield* toLine(number + 1, rest);
}

/** Compressed content is recognised by its first bytes. */
async function contentIn(file: string): Promise<Readable> {
  const opened = await open(file);
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(2), 0, 2, 0);
  const content = opened.createReadStream({ start: 0, highWaterMark: 1024 * 1024 });
  if (bytesRead < 2 || !buffer.equals(GZIP)) return content;
  // The reader of the last stream receives the errors of both streams.
  return pipeline(content, createGunzip(), () => undefined);
}

/** Yields a line with its number; yields nothing for an empty line. */
function* toLine(number: number, bytes: Buffer): Generator<InputLine> {
  requireShort(number, bytes);
  const text = bytes.toString().trim();
  if (text !== '') yield { number, text };
}

/** Requires that a line is not longer than a record of the ledger can be. @throws InputError. */
function requireShort(number: number, { length }: Buffer): void {
  if (length > MAX_LINE_BYTES)
    throw new InputError(
      `line ${number} is longer than ${MAX_LINE_BYTES} bytes, the limit of ledger records`,
    );
}
