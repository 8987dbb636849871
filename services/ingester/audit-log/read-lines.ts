import { createHash } from 'node:crypto';
import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/**
 * The place up to which an audit log is read: the file, which keeps its inode when it is rotated, and the offset in the
 * file.
 */
export interface LogPosition {
  inode: string;
  offset: number;
  /** The digest of the first bytes that were read, because a new file may get the inode of a deleted file. */
  start: string;
}

/** Complete lines, and the offset at which these lines end. */
interface LogLines {
  lines: Buffer[];
  /** The number of lines that are left out because they are too long. */
  tooLong: number;
  offset: number;
  /** True when the file has no further complete line at present. */
  isEnd: boolean;
}

/** The longest line, in bytes. */
const LONGEST_LINE = 4 * 1024 * 1024;
/**
 * The number of bytes that are read in one step, unless a line is longer. A step has some hundred records, so that
 * other work in the process does not wait long.
 */
const CHUNK = 256 * 1024;
const LINE_END = 0x0a;
/** The bytes at the start of a file that distinguish it from other files: the first record, or most of it. */
const START = 256;

/** Reads a log that other programs write and rotate, step by step. */
export interface LogReader {
  /**
   * Reads the lines after `since`; with null, the lines from the beginning of the present file. @throws when the file
   * cannot be read.
   */
  next(
    since: LogPosition | null,
  ): Promise<Omit<LogLines, 'offset'> & { position: LogPosition; lost: boolean }>;
}

/**
 * Creates a reader of the file and of the files to which it was renamed in its folder. `lost` is true when the file of
 * the position is gone, so that lines may be missing; the reader then continues with the oldest existing file.
 */
export function createLogReader(file: string, longest: number = LONGEST_LINE): LogReader {
  return {
    async next(since) {
      const files = since === null ? [] : await listRotatedFiles(file);
      const found = files.find(({ inode }) => inode === since?.inode) ?? files[0];
      const handle = await open(found?.name ?? file, 'r');
      try {
        const { ino, size } = await handle.stat({ bigint: true });
        const inode = ino.toString();
        // The file was renamed between the listing and the opening.
        if (since !== null && found !== undefined && found.inode !== inode)
          return { lines: [], tooLong: 0, position: since, isEnd: true, lost: false };
        const isSame =
          since?.inode === inode &&
          Number(size) >= since.offset &&
          (await startDigest(handle, since.offset)) === since.start;
        // Another file has the inode of the deleted file.
        if (since?.inode === inode && !isSame) return await this.next({ ...since, inode: '' });
        const from = isSame ? since.offset : 0;
        const left = Number(size) - from;
        const chunk = Math.min(CHUNK, longest, left);
        const short = await readLinesFrom(handle, { from, most: chunk, left, longest });
        const isCut = short.offset === from && left > chunk;
        const { offset, ...read } = isCut
          ? await readLinesFrom(handle, { from, most: Math.min(longest, left), left, longest })
          : short;
        const lost = since !== null && !isSame && since.offset > 0;
        // An API server ends a line before it renames the file.
        const later =
          read.isEnd && found !== undefined && found.name !== file
            ? await inodeOfNextFile(file, inode)
            : null;
        if (later !== null)
          return { ...read, position: { inode: later, offset: 0, start: '' }, isEnd: false, lost };
        return { ...read, position: { inode, offset, start: await startDigest(handle, offset) }, lost };
      } finally {
        await handle.close();
      }
    },
  };
}

/** Reads complete lines from an offset; `most` is the number of bytes to read, and `left` the number that the file has. */
async function readLinesFrom(
  handle: FileHandle,
  { from, most, left, longest }: { from: number; most: number; left: number; longest: number },
): Promise<LogLines> {
  const buffer = Buffer.allocUnsafe(most);
  const { bytesRead } = await handle.read(buffer, 0, most, from);
  const text = buffer.subarray(0, bytesRead);
  const end = text.lastIndexOf(LINE_END);
  if (end === -1 && bytesRead === longest) {
    const offset = await findLineEnd(handle, from + bytesRead, buffer);
    // The end of the line is not written yet.
    if (offset === null) return { lines: [], tooLong: 0, offset: from, isEnd: true };
    return { lines: [], tooLong: 1, offset, isEnd: false };
  }
  const lines = splitLines(text.subarray(0, end + 1));
  return { lines, tooLong: 0, offset: from + end + 1, isEnd: bytesRead >= left };
}

/** The digest of the first bytes of a file up to `offset`; empty at the beginning of the file. */
async function startDigest(handle: FileHandle, offset: number): Promise<string> {
  if (offset === 0) return '';
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(START), 0, Math.min(START, offset), 0);
  return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex').slice(0, 32);
}

function splitLines(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = text.indexOf(LINE_END); to !== -1; from = to + 1, to = text.indexOf(LINE_END, from))
    lines.push(text.subarray(from, to));
  return lines;
}

/** The offset behind the next end of a line; null when the file contains none. */
async function findLineEnd(handle: FileHandle, from: number, buffer: Buffer): Promise<number | null> {
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const end = buffer.subarray(0, bytesRead).indexOf(LINE_END);
    if (end !== -1) return at + end + 1;
    if (bytesRead === 0) return null;
    at += bytesRead;
  }
}

/** The file itself and the files to which the log was renamed, the oldest first, with their inodes. */
async function listRotatedFiles(file: string): Promise<{ name: string; inode: string }[]> {
  const { dir, name, ext } = path.parse(file);
  const names = await readdir(dir);
  const others = names.filter(
    (each) => each !== path.basename(file) && each.startsWith(`${name}-`) && each.endsWith(ext),
  );
  const found = await Promise.all(
    [...others.toSorted(), path.basename(file)].map(async (each) => {
      const full = path.join(dir, each);
      const ino = await stat(full, { bigint: true }).then(
        (stats) => stats.ino.toString(),
        () => null,
      );
      return ino === null ? [] : [{ name: full, inode: ino }];
    }),
  );
  return found.flat();
}

/** The inode of the file that was begun after the file with this inode; null when that file is the last. */
async function inodeOfNextFile(file: string, inode: string): Promise<string | null> {
  const all = await listRotatedFiles(file);
  return all[all.findIndex((each) => each.inode === inode) + 1]?.inode ?? null;
}
