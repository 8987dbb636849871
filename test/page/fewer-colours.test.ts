import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { withFewerColours } from './fewer-colours.ts';

const SIGNATURE = '89504e470d0a1a0a';

/** A chunk without its checksum, which a reader may ignore. */
function chunk(type: string, data: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
}

/** A PNG of these lines, each with the byte of its filter. `form`: from the depth of a colour to the interlacing. */
function png(width: number, lines: readonly number[][], form = '0802000000'): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(width);
  header.writeUInt32BE(lines.length, 4);
  return Buffer.concat([
    Buffer.from(SIGNATURE, 'hex'),
    chunk('IHDR', Buffer.concat([header, Buffer.from(form, 'hex')])),
    chunk('IDAT', deflateSync(Buffer.from(lines.flat()))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunkData(type: string, file: Buffer): Buffer {
  const at = file.indexOf(type, 0, 'latin1');
  return file.subarray(at + 4, at + 4 + file.readUInt32BE(at - 4));
}

/** The colours of the lines of a PNG with a palette. */
function pixelLines(file: Buffer, width: number): string[][] {
  const palette = chunkData('PLTE', file).toString('hex').match(/.{6}/g) ?? [];
  const indexes = [...inflateSync(chunkData('IDAT', file))];
  return Array.from({ length: indexes.length / (width + 1) }, (_, y) =>
    indexes.slice(y * (width + 1) + 1, (y + 1) * (width + 1)).map((index) => palette[index] ?? ''),
  );
}

describe('a picture that is reduced to fewer colours', () => {
  it('has the same pixels when it had few colours, whatever filter a line of the PNG has', () => {
    const file = png(2, [
      [0, 10, 20, 30, 40, 50, 60],
      [1, 10, 20, 30, 30, 30, 30],
      [2, 0, 0, 0, 0, 0, 0],
      [3, 5, 10, 15, 15, 15, 15],
      [4, 0, 0, 0, 0, 0, 0],
    ]);
    expect(pixelLines(withFewerColours(file), 2)).toEqual(
      Array.from({ length: 5 }, () => ['0a141e', '28323c']),
    );
  });

  it('has the nearest frequent colour instead of a rare colour', () => {
    const grey = (value: number): number[] => [value, value, value];
    const lines = Array.from({ length: 256 }, (_, value) => [0, ...grey(value), ...grey(value)]);
    const file = png(2, [...lines, [0, 100, 101, 100, ...grey(7)]]);
    expect(pixelLines(withFewerColours(file), 2).at(-1)).toEqual(['646464', '070707']);
  });

  it('is made only from a PNG of 8-bit RGB, and any other PNG is an error', () => {
    expect(() => withFewerColours(png(1, [[0, 1, 2, 3, 4]], '0806000000'))).toThrow('not a PNG of 8-bit');
  });
});
