import { UnavailableError } from '../errors.ts';

/**
 * The longest line; longer lines are skipped. The API server admits objects of 1.5 MiB, whose JSON may be several times
 * larger.
 */
const LINE_BYTES = 16 * 1024 * 1024;
/** The length of the beginning of a longer line, in which the name of its object is searched. */
const BEGINNING_BYTES = 4096;
const NEWLINE = 10;

/** The parts of an event that the beginning of its line shows. */
export interface TooLongLine {
  type?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
}

/**
 * The lines of a stream, without their newlines; an incomplete line at its end is dropped. `onTooLong` is called instead for a
 * line of more than 16 MiB, which is not kept in memory.
 */
export async function* readLines(
  stream: AsyncIterable<unknown>,
  onTooLong: (line: TooLongLine) => void = () => undefined,
): AsyncGenerator<string> {
  const line = createLine();
  try {
    for await (const chunk of stream) {
      let rest = chunk as Uint8Array;
      for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
        line.add(rest.subarray(0, end));
        rest = rest.subarray(end + 1);
        const whole = line.end();
        if (typeof whole !== 'string') onTooLong(whole);
        else if (whole !== '') yield whole;
      }
      line.add(rest);
    }
  } catch (cause) {
    throw new UnavailableError('the watch broke off', { cause });
  }
}

/** The chunks of the current line. */
function createLine(): { add(part: Uint8Array): void; end(): string | TooLongLine } {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let beginning: string | null = null;
  return {
    add(part) {
      bytes += part.length;
      if (beginning !== null) return;
      parts.push(part);
      if (bytes <= LINE_BYTES) return;
      beginning = Buffer.concat(parts, BEGINNING_BYTES).toString();
      parts = [];
    },
    end() {
      const whole = beginning === null ? Buffer.concat(parts).toString() : tooLongLine(beginning);
      [parts, bytes, beginning] = [[], 0, null];
      return whole;
    },
  };
}

/** The parts of a skipped event that its beginning shows; the API server writes these fields first. */
function tooLongLine(beginning: string): TooLongLine {
  const metadata = beginning.split('"metadata":{')[1] ?? '';
  const fields = ['namespace', 'name', 'uid', 'resourceVersion'].map((key) => [key, fieldIn(metadata, key)]);
  const found = [['type', fieldIn(beginning, 'type')], ...fields].filter(([, value]) => value !== undefined);
  return Object.fromEntries(found) as TooLongLine;
}

function fieldIn(text: string, key: string): string | undefined {
  return new RegExp(`"${key}":"([^"\\\\]{1,253})"`).exec(text)?.[1];
}
