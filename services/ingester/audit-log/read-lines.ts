import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

/** How far an audit log was read: the file, which keeps its inode when it is rotated, and the bytes of it. */
export interface LogPosition {
  inode: string;
  offset: number;
}

/** Complete lines, and the position after them. */
export interface LogLines {
  lines: Buffer[];
  /** How many lines are left out because they are longer than a line may be. */
  tooLong: number;
  position: LogPosition;
  /** The file ends here so far. */
  isEnd: boolean;
}

/** The longest line, in bytes. */
const LONGEST_LINE = 4 * 1024 * 1024;
/** The bytes that are read at once, unless a line is longer: some hundred records, so that nothing else in the process waits. */
const CHUNK = 256 * 1024;
const LINE_END = 0x0a;

/** Reads on in a log that other programs write and rotate. */
export interface LogReader {
  /** `since` null: from the beginning of the present file. @throws when the file cannot be read. */
  next(since: LogPosition | null): Promise<LogLines & { lost: boolean }>;
}

/**
 * A reader of the file and of those that it was renamed to in its folder. `lost` is true when the file of the position is gone, so that
 * lines may be missing; it then continues with the oldest file that is there.
 */
export function createLogReader(file: string, longest: number = LONGEST_LINE): LogReader {
  return {
    async next(since) {
      const files = since === null ? [] : await rotated(file);
      const found = files.find(({ inode }) => inode === since?.inode) ?? files[0];
      const handle = await open(found?.name ?? file, 'r');
      try {
        const { ino, size } = await handle.stat({ bigint: true });
        const inode = ino.toString();
        // It was renamed just now.
        if (since !== null && found !== undefined && found.inode !== inode)
          return { lines: [], tooLong: 0, position: since, isEnd: true, lost: false };
        const isSame = since !== null && since.inode === inode && Number(size) >= since.offset;
        const from = isSame ? since.offset : 0;
        const left = Number(size) - from;
        const chunk = Math.min(CHUNK, longest, left);
        const short = await linesFrom(handle, { inode, from, most: chunk, left, longest });
        const isCut = short.position.offset === from && left > chunk;
        const read = isCut
          ? await linesFrom(handle, { inode, from, most: Math.min(longest, left), left, longest })
          : short;
        const lost = since !== null && !isSame && since.offset > 0;
        // An API server ends a line before it renames the file.
        const later =
          read.isEnd && found !== undefined && found.name !== file ? await fileAfter(file, inode) : null;
        if (later === null) return { ...read, lost };
        return { ...read, position: { inode: later, offset: 0 }, isEnd: false, lost };
      } finally {
        await handle.close();
      }
    },
  };
}

async function linesFrom(
  handle: FileHandle,
  {
    inode,
    from,
    most,
    left,
    longest,
  }: { inode: string; from: number; most: number; left: number; longest: number },
): Promise<LogLines> {
  const buffer = Buffer.allocUnsafe(most);
  const { bytesRead } = await handle.read(buffer, 0, most, from);
  const text = buffer.subarray(0, bytesRead);
  const end = text.lastIndexOf(LINE_END);
  if (end === -1 && bytesRead === longest) {
    const offset = await lineEndAfter(handle, from + bytesRead, buffer);
    // The rest of the line is not written yet.
    if (offset === null) return { lines: [], tooLong: 0, position: { inode, offset: from }, isEnd: true };
    return { lines: [], tooLong: 1, position: { inode, offset }, isEnd: false };
  }
  const position = { inode, offset: from + end + 1 };
  return { lines: linesIn(text.subarray(0, end + 1)), tooLong: 0, position, isEnd: bytesRead >= left };
}

function linesIn(text: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, to = text.indexOf(LINE_END); to !== -1; from = to + 1, to = text.indexOf(LINE_END, from))
    lines.push(text.subarray(from, to));
  return lines;
}

async function lineEndAfter(handle: FileHandle, from: number, buffer: Buffer): Promise<number | null> {
  for (let at = from; ;) {
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    const end = buffer.subarray(0, bytesRead).indexOf(LINE_END);
    if (end !== -1) return at + end + 1;
    if (bytesRead === 0) return null;
    at += bytesRead;
  }
}

/** The file itself and the ones that it was renamed to, the oldest first, with their inodes. */
async function rotated(file: string): Promise<{ name: string; inode: string }[]> {
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

/** The inode of the file that was begun after the one with this inode; null when that is the last. */
async function fileAfter(file: string, inode: string): Promise<string | null> {
  const all = await rotated(file);
  return all[all.findIndex((each) => each.inode === inode) + 1]?.inode ?? null;
}
