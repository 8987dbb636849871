import type { Rule } from './rules.ts';

/** The file of the type of the rules that decisions may name. */
export const RULE_TYPE_FILE = 'workflows/decision/rule.ts';

const WIDTH = 110;

/** The text of that file: every J-rule of docs/rules.md that applies. */
export function ruleTypeText(rules: ReadonlyMap<string, Rule>): string {
  const ids = [...rules.values()]
    .filter(({ id, leftOut }) => /^J-\d/.test(id) && leftOut === '')
    .map(({ id }) => `'${id}'`);
  return `/** A rule of docs/rules.md that applies, of every kind. \`npm run rules -- --write\` makes the file from that page. */\nexport type Rule =\n${wrapped(ids)};\n`;
}

function wrapped(ids: readonly string[]): string {
  const lines: string[] = [];
  for (const id of ids) {
    const last = lines.at(-1);
    if (last === undefined || last.length + id.length + 3 > WIDTH) lines.push(`  | ${id}`);
    else lines[lines.length - 1] = `${last} | ${id}`;
  }
  return lines.join('\n');
}
