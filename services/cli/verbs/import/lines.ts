import { createReadStream } from 'node:fs';
import { InputError, messageOf } from '../../../adapters/errors.ts';

/** The largest record that Kafka accepts, in bytes. */
const MAX_LINE_BYTES = 4 * 1024 * 1024;

export interface InputLine {
  /** From 1. */
  number: number;
  text: string;
}

const LINE_FEED = 0x0a;

/**
 * The non-empty lines of a file. Only a line feed ends a line: JSON may contain other characters that some programs
 * treat as line breaks. @throws InputError when the file cannot be read, or a line is too long.
 */
export async function* linesOf(file: string): AsyncGenerator<InputLine> {
  let number = 0;
  let rest = Buffer.alloc(0);
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      let start = 0;
      for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED, start)) {
        number += 1;
        yield* lineOf(number, rest.subarray(start, end));
        start = end + 1;
      }
      rest = rest.subarray(start);
      requireShort(number + 1, rest);
    }
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${file} cannot be read: ${messageOf(error)}`);
  }
  yield* lineOf(number + 1, rest);
}

function* lineOf(number: number, bytes: Buffer): Generator<InputLine> {
  requireShort(number, bytes);
  const text = bytes.toString().trim();
  if (text !== '') yield { number, text };
}

function requireShort(number: number, { length }: Buffer): void {
  if (length > MAX_LINE_BYTES)
    throw new InputError(
      `line ${number} is longer than ${MAX_LINE_BYTES} bytes, the limit of ledger records`,
    );
}
