import { writeFileSync } from 'node:fs';
import { findTool } from '../../local/tools/find-tool.ts';
import { CHART_README, chartReadme } from './chart-readme.ts';
import { RENDERED, renderedText } from './rendered.ts';

// `npm run manifests` writes the manifests for `kubectl apply`, and the README of the chart.

const report = (line: string): void => void process.stderr.write(`${line}\n`);
const helm = await findTool('helm', { report, signal: new AbortController().signal });
for (const each of RENDERED) writeFileSync(each.file, renderedText(helm, each));
writeFileSync(CHART_README, chartReadme());
