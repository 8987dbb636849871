import { functionFindings, gateFindings, rightFindings, textFindings } from './code.ts';
import type { Facts } from './facts.ts';
import { fieldFindings, versionFindings, type Finding } from './fields.ts';
import { merged, type Sources } from './sources.ts';

type RulesOf = (names: readonly string[]) => string[];

/** The differences as Markdown: first those that need a decision, then the changed code. `findRules`: the rules that quote a name. */
export function report(from: Sources, to: Sources, findRules: RulesOf): string {
  const missing = [from, to].flatMap(({ code }) => (typeof code === 'string' ? [code] : []));
  const [before, after] = [readFacts(from, missing.length > 0), readFacts(to, missing.length > 0)];
  const versions = { from: from.version, to: to.version };
  const isWhole = missing.length === 0;
  const sections: [title: string, isShown: boolean, findings: Finding[]][] = [
    ['API versions and kinds', true, versionFindings(before, after)],
    ['Fields', true, fieldFindings(before, after)],
    ['Feature gates', isWhole, gateFindings(before, after, versions)],
    ['Texts and constants', true, textFindings(before, after)],
    ['Rights of the built-in controllers', isWhole, rightFindings(before, after)],
    ['Code', isWhole, functionFindings(before, after)],
  ];
  return [
    `# Kubernetes ${from.version} → ${to.version}`,
    'In brackets: rules that quote the same names (docs/rules.md).',
    ...missing.map((why) => `**Only the API types are compared**: ${why.replaceAll(/\s+/g, ' ')}`),
    ...sections.flatMap(([title, isShown, findings]) =>
      isShown ? [section(title, findings, findRules)] : [],
    ),
  ].join('\n\n');
}

function readFacts({ api, code }: Sources, isApiOnly: boolean): Facts {
  return typeof code === 'string' || isApiOnly ? api : merged(api, code);
}

function section(title: string, findings: readonly Finding[], findRules: RulesOf): string {
  const lines = findings.map(({ text, names }) => {
    const rules = findRules(names);
    return `- ${text}${rules.length === 0 ? '' : ` [${rules.join(', ')}]`}`;
  });
  return [`## ${title}`, '', ...(lines.length === 0 ? ['No change.'] : lines)].join('\n');
}
