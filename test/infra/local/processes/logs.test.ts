import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { followLog } from '../../../../infra/local/processes/logs.ts';
import { eventually } from '../../../support/eventually.ts';

let folder: string;
let log: string;
let lines: string[];
let stop: () => void;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'jobledger-logs-'));
  log = join(folder, 'log');
  writeFileSync(log, 'before\n');
  lines = [];
  stop = followLog(log, (line) => lines.push(line));
});
afterEach(() => {
  stop();
  rmSync(folder, { recursive: true });
});

describe('a log file that the supervisor follows', () => {
  it('gives the complete lines that are appended after the supervisor began to follow, at the latest when the supervisor stops', () => {
    appendFileSync(log, 'one\ntwo\nnot ended');
    stop();
    expect(lines).toEqual(['one', 'two']);
  });

  it('is read in parts, which may end inside a character', () => {
    const long = 'ä€😀'.repeat(50_000);
    appendFileSync(log, `x${long}\n${long}\n`);
    stop();
    expect(lines).toEqual([`x${long}`, long]);
  });

  it('takes no memory in proportion to the text that was appended between two reads', () => {
    stop();
    let count = 0;
    stop = followLog(log, () => (count += 1));
    const line = `${'x'.repeat(1023)}\n`.repeat(1024);
    for (let megabytes = 0; megabytes < 256; megabytes += 1) appendFileSync(log, line);
    const before = process.memoryUsage().arrayBuffers;
    stop();
    expect(count).toBe(256 * 1024);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(8 * 1024 * 1024);
  });

  it('is followed in the new file when another program moved the log away', async () => {
    appendFileSync(log, 'a part of a line');
    renameSync(log, `${log}.1`);
    writeFileSync(log, 'new\n');
    await eventually('the line is read', 5, async () => (lines.length > 0 ? true : undefined));
    expect(lines).toEqual(['new']);
  });
});
