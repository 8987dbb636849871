import ts from 'typescript';
import type { SourceText } from './words.ts';

/** Where a sentence stands: on a page, in a comment, in a text of `--help`, or in a message. */
export type Place = 'docs' | 'comments' | 'help' | 'messages';

export interface Sentence {
  place: Place;
  file: string;
  line: number;
  text: string;
}

/** Shorter texts are labels, not sentences; code does not count. */
const FEWEST_WORDS = 4;

/** The sentences of a page or of a source file. */
export function sentencesIn(source: SourceText): Sentence[] {
  return source.file.endsWith('.md') ? sentencesOfPage(source) : sentencesOfCode(source);
}

const FENCE = /^\s*```/;
const STARTS_A_BLOCK = /^\s*(?:[-*] |\d+\. |#)/;

/** Paragraphs, list items and table cells; code blocks and headings are left out. */
function sentencesOfPage({ file, text }: SourceText): Sentence[] {
  const blocks: { line: number; text: string }[] = [];
  let isCode = false;
  let isOpen = false;
  for (const [at, line] of text.split('\n').entries()) {
    if (FENCE.test(line)) isCode = !isCode;
    const isTable = line.startsWith('|');
    if (isTable && !isCode)
      for (const cell of line.split(/(?<!\\)\|/)) blocks.push({ line: at + 1, text: cell.trim() });
    const isText = !isCode && !isTable && !FENCE.test(line) && !line.startsWith('#') && line.trim() !== '';
    const open = blocks.at(-1);
    if (isText && isOpen && open !== undefined && !STARTS_A_BLOCK.test(line)) open.text += ` ${line.trim()}`;
    else if (isText) blocks.push({ line: at + 1, text: line.trim() });
    isOpen = isText;
  }
  return blocks.flatMap((block) => split({ place: 'docs', file, ...block }));
}

function sentencesOfCode({ file, text }: SourceText): Sentence[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, scriptKind(file));
  return [...commentsIn(source), ...stringsIn(source)].flatMap(split);
}

function scriptKind(file: string): ts.ScriptKind {
  return file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
}

/** Comments before nodes; lines that follow each other are one comment. */
function commentsIn(source: ts.SourceFile): Sentence[] {
  const ranges = new Map<number, ts.CommentRange>();
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(source.text, node.pos) ?? []) ranges.set(range.pos, range);
    for (const child of node.getChildren(source)) visit(child);
  };
  visit(source);
  const comments: (Sentence & { last: number })[] = [];
  for (const { pos, end } of [...ranges.values()].toSorted((a, b) => a.pos - b.pos)) {
    const line = source.getLineAndCharacterOfPosition(pos).line + 1;
    const last = source.getLineAndCharacterOfPosition(end).line + 1;
    const text = source.text
      .slice(pos, end)
      .replaceAll(/^\s*(?:\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const before = comments.at(-1);
    if (before?.last === line - 1 && source.text.startsWith('//', pos))
      Object.assign(before, { last, text: `${before.text} ${text}` });
    else comments.push({ place: 'comments', file: source.fileName, line, last, text });
  }
  return comments.map(({ place, file, line, text }) => ({ place, file, line, text }));
}

const STATEMENT = /^\s*(?:select|insert|update|delete|with|create|alter|drop|grant|copy|begin)\b/i;
/** Methods of commander whose texts `--help` prints; cli/verbs.ts has the line of each verb. */
const HELP = /\.(?:description|option|requiredOption|argument|addHelpText|helpOption)$/;

/** String literals and templates; parts that a template fills in are "…". */
function stringsIn(source: ts.SourceFile): Sentence[] {
  const found: Sentence[] = [];
  const add = (node: ts.Node, text: string): void => {
    if (STATEMENT.test(text) || !text.trim().includes(' ')) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1;
    const place = isHelp(node, source) ? 'help' : 'messages';
    found.push({ place, file: source.fileName, line, text: text.replaceAll(/\s+/g, ' ').trim() });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node)) add(node, node.text);
    if (ts.isTemplateExpression(node))
      add(
        node,
        [node.head, ...node.templateSpans.map(({ literal }) => literal)].map((p) => p.text).join('…'),
      );
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function isHelp(node: ts.Node, source: ts.SourceFile): boolean {
  if (!source.fileName.startsWith('cli/')) return false;
  if (source.fileName === 'cli/verbs.ts') return true;
  const { parent } = node;
  if (ts.isNewExpression(parent)) return parent.expression.getText(source) === 'Option';
  return ts.isCallExpression(parent) && HELP.test(parent.expression.getText(source));
}

function split(block: Sentence): Sentence[] {
  return block.text
    .split(/(?<=[a-z0-9)`"”*][.!?]|\.\*\*) (?=[A-Z"`*([])/)
    .map((text) => ({ ...block, text: text.replace(/^(?:[-*]|\d+\.) /, '').trim() }))
    .filter(
      ({ text }) => (text.replaceAll(/`[^`]*`/g, '').match(/[A-Za-z'’]{2,}/g) ?? []).length >= FEWEST_WORDS,
    );
}
