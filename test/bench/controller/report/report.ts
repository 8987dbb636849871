import { spreads, type Round, type Spread } from './figures.ts';

/** The table leaves out a part of a figure that is less on every side. */
const LEAST_SHOWN = 0.05;

/** A table in Markdown: for each figure the median of each side with its range, and ratios of medians. */
export function figuresTable(rounds: readonly Round[]): string {
  const sides = [...new Set(rounds.map(({ side }) => side))];
  const bySide = new Map(sides.map((side) => [side, spreads(rounds, side)]));
  const baselines = sides.includes('jobledger') ? sides.filter((side) => side !== 'jobledger') : [];
  const cells = (name: string): string[] => [
    name,
    ...sides.map((side) => spreadText(bySide.get(side)?.[name])),
    ...baselines.map((side) => ratioText(bySide.get('jobledger')?.[name], bySide.get(side)?.[name])),
  ];
  const header = ['', ...sides, ...baselines.map((side) => `jobledger / ${side}`)];
  const isShown = (name: string): boolean =>
    groupName(name) === name || sides.some((side) => (bySide.get(side)?.[name]?.highest ?? 0) >= LEAST_SHOWN);
  const rows = namesInOrder([...bySide.values()])
    .filter(isShown)
    .map(cells);
  const lines = [header, header.map((_cell, at) => (at === 0 ? '---' : '---:')), ...rows];
  return `${lines.map((line) => `| ${line.join(' | ')} |`).join('\n')}\n`;
}

/** A figure stands with the others of its group, the part of its name before the colon. */
function namesInOrder(all: readonly Record<string, unknown>[]): string[] {
  const names = [...new Set(all.flatMap((each) => Object.keys(each)))];
  const groups = [...new Set(names.map(groupName))];
  return groups.flatMap((group) => names.filter((name) => groupName(name) === group));
}

function groupName(name: string): string {
  return name.split(':')[0] ?? name;
}

function spreadText(spread: Spread | undefined): string {
  if (spread === undefined) return '';
  const { median, lowest, highest } = spread;
  const [middle, low, high] = [median, lowest, highest].map(numberText);
  return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
}

function ratioText(own: Spread | undefined, other: Spread | undefined): string {
  return own === undefined || other === undefined || !(other.median > 0)
    ? ''
    : numberText(own.median / other.median);
}

/** Three significant digits. */
export function numberText(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)));
  return String(Number(value.toFixed(Math.min(digits, 4))));
}
