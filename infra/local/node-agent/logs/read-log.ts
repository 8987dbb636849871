import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

const BLOCK = 64 * 1024;
/** The interval at which `follow` polls for new output. */
const LOOK_EVERY_MS = 100;

/** The offset at which the last `lines` lines of the first `size` bytes begin. */
export async function startOfTail(file: FileHandle, size: number, lines: number): Promise<number> {
  if (lines === 0) return size;
  let wanted = lines;
  for (let end = size; end > 0; end -= BLOCK) {
    const begin = Math.max(0, end - BLOCK);
    const block = Buffer.alloc(end - begin);
    await file.read(block, 0, block.length, begin);
    for (let at = block.length - 1; at >= 0; at -= 1) {
      // A newline at the very end terminates the last line and begins no new one.
      if (block[at] !== 0x0a || begin + at === size - 1) continue;
      wanted -= 1;
      if (wanted === 0) return begin + at + 1;
    }
  }
  return 0;
}

/** The bytes of a log from an offset on; with `follow` also new output, until the container ends or `signal` is aborted. */
export async function* readLog(
  file: FileHandle,
  from: { offset: number; follow: boolean; isOver: () => boolean; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  let offset = from.offset;
  while (!from.signal.aborted) {
    // The end is checked before the log is read, so that all output up to the end is still read.
    const isOver = !from.follow || from.isOver();
    const block = Buffer.alloc(BLOCK);
    const { bytesRead } = await file.read(block, 0, BLOCK, offset);
    offset += bytesRead;
    if (bytesRead > 0) yield block.subarray(0, bytesRead);
    else if (isOver) return;
    else await delay(LOOK_EVERY_MS, undefined, { signal: from.signal }).catch(() => undefined);
  }
}

/** Whole lines, each prefixed with the time of its first byte. */
export async function* stampLines(
  blocks: AsyncIterable<Buffer>,
  from: number,
  timestampAt: (offset: number) => string,
): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0);
  let offset = from;
  for await (const block of blocks) {
    rest = Buffer.concat([rest, block]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      yield Buffer.concat([Buffer.from(`${timestampAt(offset)} `), rest.subarray(0, end + 1)]);
      offset += end + 1;
      rest = rest.subarray(end + 1);
    }
  }
  if (rest.length > 0) yield Buffer.concat([Buffer.from(`${timestampAt(offset)} `), rest]);
}

/** The first `limit` bytes. */
export async function* firstBytes(blocks: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const block of blocks) {
    yield block.subarray(0, left);
    left -= block.length;
    if (left <= 0) return;
  }
}

export async function withFile(path: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, 'r');
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
