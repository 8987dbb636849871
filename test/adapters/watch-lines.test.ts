import { describe, expect, it } from '@jest/globals';
import { readLines, type TooLongLine } from '../../services/adapters/kubernetes/watch-lines.ts';

const MIB = 1024 * 1024;

/** A line of an event of this many bytes at least, without its newline. */
function aLine(name: string, bytes = 0): string {
  const metadata = { name, namespace: 'default', uid: `uid-of-${name}`, resourceVersion: '7' };
  const annotations = { note: 'ü'.repeat(bytes / 2) };
  return JSON.stringify({
    type: 'MODIFIED',
    object: { kind: 'Job', apiVersion: 'batch/v1', metadata: { ...metadata, annotations } },
  });
}

/** A response in chunks of this size. */
async function* chunked(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(text: string, size = 64 * 1024): Promise<{ lines: string[]; tooLong: TooLongLine[] }> {
  const [lines, tooLong]: [string[], TooLongLine[]] = [[], []];
  for await (const line of readLines(chunked(text, size), (each) => tooLong.push(each)))
    lines.push(line.length > 1000 ? `${line.length} characters` : line);
  return { lines, tooLong };
}

describe('a line of a watch response', () => {
  it('is read in linear time up to 16 MiB, whatever the sizes of the chunks are', async () => {
    const long = aLine('long', 15 * MIB);
    const { lines, tooLong } = await read(`${long}\n${aLine('after')}\n`, 1024);
    expect(lines).toEqual([`${long.length} characters`, aLine('after')]);
    expect(tooLong).toEqual([]);
  }, 5000);

  it('is skipped beyond 16 MiB with the name of its object, and the lines around it are read', async () => {
    const { lines, tooLong } = await read(
      `${aLine('before')}\n${aLine('long', 17 * MIB)}\n${aLine('after')}\n`,
    );
    expect(lines).toEqual([aLine('before'), aLine('after')]);
    expect(tooLong).toEqual([
      { type: 'MODIFIED', namespace: 'default', name: 'long', uid: 'uid-of-long', resourceVersion: '7' },
    ]);
  });

  it('is skipped beyond 16 MiB also when it names no object', async () => {
    const { lines, tooLong } = await read(`${'x'.repeat(17 * MIB)}\n${aLine('after')}\n`);
    expect(lines).toEqual([aLine('after')]);
    expect(tooLong).toEqual([{}]);
  });

  it('is not read when the response ends in the middle of the line', async () => {
    const { lines } = await read(`${aLine('whole')}\n\n${aLine('half').slice(0, 20)}`, 3);
    expect(lines).toEqual([aLine('whole')]);
  });
});
