import { createHash } from 'node:crypto';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ParquetType } from './parquet-type.ts';

/** A column of a Parquet file. */
export interface ParquetColumn {
  name: string;
  type: ParquetType;
}

/** A Parquet file that is being written. Its memory is that of one row group, whatever the number of rows. */
export interface ParquetFile {
  /** Adds a row: a text, or null, for each column in order. */
  add(row: readonly (string | null)[]): void;
  /** The number of characters of all rows. */
  characters(): number;
  /** Writes the rest of the rows and the footer, and closes the file. */
  finish(): WrittenFile;
  /** Closes the file, which is then incomplete. */
  abandon(): void;
}

/** A complete file. */
export interface WrittenFile {
  rows: number;
  bytes: number;
  /** The digest of the bytes, as `sha256sum` prints it. */
  sha256: string;
}

/** A row group ends with the row that exceeds one of these numbers. */
const [GROUP_CHARACTERS, GROUP_ROWS] = [8 * 2 ** 20, 50_000];

/** Creates a file. @throws errors of the file system, also from the functions of the file. */
export function createParquetFile(path: string, columns: readonly ParquetColumn[]): ParquetFile {
  const descriptor = openSync(path, 'wx');
  const hash = createHash('sha256');
  const output = new ByteWriter();
  /** Writes the buffered bytes to the file. The writer keeps the sum of all bytes. */
  const flush = (): void => {
    const bytes = output.getBytes();
    hash.update(bytes);
    writeFileSync(descriptor, bytes);
    output.index = 0;
  };
  const writer = new ParquetWriter({
    writer: Object.assign(output, { flush, finish: flush }),
    schema: schemaElements(columns),
    codec: 'ZSTD',
    compressors: { ZSTD: zstdCompressSync },
  });
  let group = emptyGroup(columns);
  let [rows, inGroup, characters, groupEnd] = [0, 0, 0, GROUP_CHARACTERS];
  const writeGroup = (): void => {
    if (inGroup === 0) return;
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      data: group[at] ?? [],
      // The smallest and largest document of a column would be in the footer as a whole.
      statistics: !isJson(type.element),
    }));
    void writer.write({ columnData, rowGroupSize: inGroup });
    group = emptyGroup(columns);
    inGroup = 0;
    groupEnd = characters + GROUP_CHARACTERS;
  };
  return {
    add(row) {
      for (const [at, { type }] of columns.entries()) {
        const text = row[at] ?? null;
        group[at]?.push(text === null ? null : type.fromText(text));
        characters += text?.length ?? 0;
      }
      rows += 1;
      inGroup += 1;
      if (characters >= groupEnd || inGroup >= GROUP_ROWS) writeGroup();
    },
    characters: () => characters,
    finish() {
      writeGroup();
      // The writer would parse JSON and write it again, which loses digits. So it writes JSON as text, and only the footer says that it is JSON.
      writer.schema = writer.schema.map((element) =>
        isJson(element) ? { ...element, converted_type: 'JSON' as const } : element,
      );
      void writer.finish();
      closeSync(descriptor);
      return { rows, bytes: output.offset, sha256: hash.digest('hex') };
    },
    abandon: () => closeSync(descriptor),
  };
}

function isJson({ logical_type }: Omit<SchemaElement, 'name'>): boolean {
  return logical_type?.type === 'JSON';
}

/** The schema of a file as a list of its root and its columns. */
function schemaElements(columns: readonly ParquetColumn[]): SchemaElement[] {
  const elements = columns.map(({ name, type }) => ({ ...type.element, name }));
  return [{ name: 'root', num_children: columns.length }, ...elements];
}

function emptyGroup(columns: readonly ParquetColumn[]): (boolean | number | bigint | string | null)[][] {
  return columns.map(() => []);
}
