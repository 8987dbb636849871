import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { printableLine, printableLines } from '../../services/adapters/printable.ts';
import { UnavailableError } from '../../services/adapters/errors.ts';
import { exitCodeFor } from '../../cli/failure.ts';
import { write } from '../../cli/output.ts';
import { writeJson } from '../../cli/write-json.ts';
import { fields, growingTable } from '../../cli/print/table.ts';
import { lineText } from '../../cli/verbs/history/time-line.ts';
import { whyText } from '../../cli/verbs/why/why-text.ts';
import { RefusedRequestError, appendUserRequest } from '../../services/requests/user-requests.ts';
import type { JobView } from '../../services/read-model/views/jobs.ts';
import { stubApi } from '../support/stub-api.ts';

/** Clears the screen, forges a line, and turns the direction. */
const FORGED = 'alice\u001b[2J\u009b1m\r\n2026-01-01T00:00:00Z  decision 9  all is well\u202e\u2066';
const SHOWN = String.raw`alice\u001b[2J\u009b1m\r\n2026-01-01T00:00:00Z  decision 9  all is well\u202e\u2066`;

let out: string;
beforeEach(() => {
  out = '';
  for (const stream of [process.stdout, process.stderr])
    jest.spyOn(stream, 'write').mockImplementation((text) => {
      out += String(text);
      return true;
    });
});
afterEach(() => void jest.restoreAllMocks());

describe('a text that another program wrote', () => {
  it('is printed on one line, with escaped control characters', () => {
    expect(printableLine(FORGED)).toBe(SHOWN);
    expect(printableLine('Zoë, 東京 👍')).toBe('Zoë, 東京 👍');
  });

  it.each<[string, () => string]>([
    [
      'a cell of a table',
      () =>
        growingTable(['BY'])
          .lines([[FORGED]])
          .join('\n'),
    ],
    ['a field', () => fields([['By', FORGED]])],
    ['a line of a history', () => lineText({ time: '', about: 'request', message: FORGED, below: [FORGED] })],
    [
      'an answer of why',
      () =>
        whyText({
          job: 'j',
          about: 'a',
          answers: [{ question: 'q', message: FORGED, because: [] }],
          causes: [{ id: 'c', at: '', about: 'a', message: FORGED, rule: null, because: [] }],
          waits: [{ since: '', until: null, message: FORGED, rule: null, because: [] }],
        }),
    ],
  ])('forges no line in %s', (_where, text) => {
    expect(text()).toContain(SHOWN);
    expect(text()).not.toContain('\n2026');
  });

  it('reaches no output stream with control characters, not even in a message', () => {
    write(`title\n${FORGED}`);
    exitCodeFor(new UnavailableError(FORGED));
    expect(out).toBe(`${printableLines(`title\n${FORGED}`)}\njobledger: ${printableLines(FORGED)}\n`);
    // oxlint-disable-next-line no-control-regex -- these are looked for
    expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
  });

  it('is printed in JSON with its exact value', () => {
    writeJson({ by: FORGED });
    expect(JSON.parse(out)).toEqual({ by: FORGED });
    expect(out).toContain(SHOWN);
  });
});

describe('the output of the command line', () => {
  /** They write no text of others, or only what is escaped. */
  const WRITERS = [
    'output.ts',
    'print/progress-line.ts',
    'verbs/export/write-export.ts',
    'verbs/sign-in/login.ts',
  ];

  it('is written by one place in the source, where control characters are escaped', () => {
    const folder = join(process.cwd(), 'cli');
    const writers = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) =>
        /\b(?:stdout|stderr)\.write\(|pipeline\(.*stdout|console\./.test(
          readFileSync(join(folder, file), 'utf8'),
        ),
      );
    expect(writers.filter((file) => !WRITERS.includes(file))).toEqual([]);
  });
});

describe('the name of the user of a request', () => {
  it.each([FORGED, 'a\nb', '\u001b]0;x\u0007', 'evil\u202ecod'])('may not be %j', async (by) => {
    const appended: unknown[] = [];
    const append = (events: unknown): Promise<void> => Promise.resolve(void appended.push(events));
    const job = { cluster: 'c', uid: 'u', namespace: 'n', name: 'j' } as JobView;
    await expect(appendUserRequest({ append }, job, 'suspend', by)).rejects.toThrow(RefusedRequestError);
    expect(appended).toEqual([]);
    const server = await stubApi();
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/jobs/pi/suspend',
      query: { by },
      headers: { authorization: 'Bearer owner-token' },
    });
    expect(answer.statusCode).toBe(400);
    await server.close();
  });
});
