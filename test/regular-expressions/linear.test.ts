import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';
import { stubApi } from '../support/stub-api.ts';
import { slowPart } from './slow-part.ts';

/** What runs beside the texts of others. `infra/deploy` and `infra/release` read this repository when it is built. */
const FOLDERS = ['cli', 'services', 'workflows', 'page', 'infra/local'];

/** Expressions that may take more than linear time, and why they do not, or whom it harms. */
const ALLOWED: Readonly<Record<string, string>> = {
  [String.raw`services/adapters/postgres/address.ts /^(postgres(?:ql)?:\/\/)([^/?#]*)(.*)$/`]:
    'DATABASE_URL, which the operator sets',
  'services/projector/migrations.ts /^--.*$/gm': 'the migrations of this repository',
  'services/read-model/situation/pod-causes.ts / preemption: .*$/s':
    'the rest of a text always matches .*$ with the flag s',
  [String.raw`infra/local/tools/fetch-file.ts /\/+$/`]: 'JOBLEDGER_TOOLS_MIRROR, which its user sets',
  [String.raw`infra/local/tools/go-build.ts /^\s+(\S+)\s+v0\.0\.0(?:\s|$)/gm`]:
    'the go.mod of a tool in a version that this repository names',
  [String.raw`infra/local/node-agent/container/expansion.ts /\$(?:\$|\(([^)]*)\))/g`]:
    'the text ends with a closing parenthesis, so each reference has its end',
  [String.raw`page/submit/manifest.ts /\bbody((?:\/[\w-]+)+)|((?:metadata|spec)(?:\.[\w-]+|\[[^\]]*\])*)(?=["':])/g`]:
    'the complaints about the manifest that the reader of the page has written',
};

/** Expressions that are made while a program runs, and what they are made of. */
const MADE: Readonly<Record<string, string>> = {
  'cli/checkpoint/checkpoint.ts new RegExp(`^[0-9a-f]{${digits}}$`)': 'a number of digits',
  'infra/local/state/ports.ts new RegExp(`\\\\b${port}\\\\b`)': 'a number',
  "infra/local/node-agent/container/mounts.ts new RegExp(String.raw`(?<![\\w./-])(?:${paths})(?![\\w.-])`, 'g')":
    'escaped paths, without repetitions',
  "page/cron-jobs/wait-sentence.ts new RegExp(`${known.source}.*`, 's')":
    'an expression of the same file, whose match has a beginning',
  "services/adapters/http/server.ts new RegExp(`^${route.replaceAll('.', String.raw`\\.`).replaceAll(/:[^/]+/g, '[^/]+')}$`)":
    'a route: segments, of which each ends at a slash',
  'services/adapters/kubernetes/watch-lines.ts new RegExp(`"${key}":"([^"\\\\\\\\]{1,253})"`)':
    'the name of a field; the repetition has a bound and ends at a quotation mark',
  'services/adapters/printable.ts new RegExp(`[${UNPRINTABLE}]`)': 'one character',
  "services/adapters/printable.ts new RegExp(`[${UNPRINTABLE}]`, 'g')": 'one character',
  'services/api/cursor.ts new RegExp(`^${parts.join(SEPARATOR)}$`)':
    'checked below, in the document of the API',
  "services/api/jobs-filter.ts new RegExp(LABEL, 'u')": 'checked below, in the document of the API',
  "services/api/schemas/values.ts new RegExp(`^[^\\\\u0000]{1,${longest}}$`, 'u')":
    'checked below, in the document of the API',
  "services/api/schemas/values.ts new RegExp(`^[^${UNPRINTABLE}]{1,200}$`, 'u')":
    'checked below, in the document of the API',
  'services/api/schemas/values.ts new RegExp(`^${word}(?:,${word})*$`)':
    'checked below, in the document of the API',
  'services/read-model/queries/label-selector.ts new RegExp(`^${KEY}$`)': 'one repetition, with a bound',
  'services/read-model/queries/label-selector.ts new RegExp(`^(?:${VALUE})?$`)':
    'one repetition, with a bound',
};

interface Found {
  file: string;
  text: string;
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

/** The expressions that are written in a file, and those that it makes. */
function expressionsIn(file: string): { written: Found[]; made: Found[] } {
  const [written, made]: [Found[], Found[]] = [[], []];
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) written.push({ file, text: node.text });
    const isCall = ts.isNewExpression(node) || ts.isCallExpression(node);
    if (isCall && node.expression.getText() === 'RegExp') made.push({ file, text: node.getText() });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { written, made };
}

const ALL = FOLDERS.flatMap(filesIn).map(expressionsIn);

describe('a regular expression that reads texts of users', () => {
  it('takes linear time, or is listed in this test with the reason', () => {
    const slow = ALL.flatMap(({ written }) => written).flatMap(({ file, text }) => {
      const end = text.lastIndexOf('/');
      const why = slowPart(text.slice(1, end), text.slice(end + 1));
      return why === null ? [] : [[`${file} ${text}`, why] as const];
    });
    expect(slow.filter(([name]) => ALLOWED[name] === undefined)).toEqual([]);
    expect(Object.keys(ALLOWED).filter((name) => !slow.some(([each]) => each === name))).toEqual([]);
  });

  it('is listed in this test when it is built at run time', () => {
    const made = ALL.flatMap((each) => each.made).map(({ file, text }) => `${file} ${text}`);
    expect([...new Set(made)].toSorted()).toEqual(Object.keys(MADE).toSorted());
  });

  it('takes linear time when it is a pattern in the OpenAPI document', async () => {
    const server = await stubApi();
    const document: unknown = (await server.inject('/openapi.json')).json();
    await server.close();
    const patterns = [...new Set(patternsIn(document))];
    expect(patterns.length).toBeGreaterThan(10);
    expect(patterns.map((each) => [each, slowPart(each, 'u')]).filter(([, why]) => why !== null)).toEqual([]);
  });
});

function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'pattern' && typeof each === 'string' ? [each] : patternsIn(each),
  );
}

describe('the detection of slow regular expressions', () => {
  it.each([
    ['^(?:a+)+c', 'exponential'],
    [String.raw`^a(?:\s*,\s*b?)*$`, 'exponential'],
    [String.raw`^\s*=\s*(.*)$`, 'Trade: one text has several divisions'],
    ['/+$', 'Move: one text has several divisions'],
    ["policy '[^']*'.* denied", '.*: each place in it begins another search'],
  ])('reports the pattern %s', (source, why) => {
    expect(slowPart(source, '')).toBe(why);
  });

  it.each(['^[a-z]+=[a-z]*$', '(?<!/)/+$', String.raw`\b(\d+) s late`, 'exited with (\\d+)', '"[^"]*" is'])(
    'accepts the pattern %s',
    (source) => {
      expect(slowPart(source, '')).toBeNull();
    },
  );
});
