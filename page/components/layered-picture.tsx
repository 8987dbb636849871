import { useEffect, useRef, type ReactElement, type ReactNode } from 'react';
import type { LayeredNode } from './layers.ts';

/** Pixels. */
const [WIDTH, HEIGHT, ACROSS, DOWN, TOP] = [188, 50, 236, 74, 26];

/** A picture of boxes in layers from left to right, with arrows between the boxes. A click on a box chooses the box. */
export function LayeredPicture(props: {
  label: string;
  nodes: readonly LayeredNode[];
  /** By id. */
  edges: readonly (readonly [from: string, to: string])[];
  chosen: string | null;
  onChosen: (id: string) => void;
  /** The side that is visible first if the picture is too wide. */
  begins: 'left' | 'right';
  /** The text at the arrow after a box. */
  after?: { id: string; message: string } | null;
}): ReactElement {
  const { label, nodes, edges, chosen, onChosen, begins, after = null } = props;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const [columns, rows] = [countLayers(nodes, 'column'), countLayers(nodes, 'row')];
  const [width, height] = [columns * ACROSS - (ACROSS - WIDTH) + 8, rows * DOWN + TOP];
  const scrolled = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (scrolled.current !== null && begins === 'right') scrolled.current.scrollLeft = width;
  }, [width, begins]);
  return (
    <div ref={scrolled} className="scrolled layered" tabIndex={0} role="region" aria-label={label}>
      <svg width={width} height={height} role="group" aria-label={`${nodes.length} boxes`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="7"
            refY="4"
            markerWidth="7"
            markerHeight="7"
            orient="auto"
          >
            <path className="arrow" d="M0 0 L8 4 L0 8 z" />
          </marker>
        </defs>
        {edges.map(([from, to]) => (
          <PictureEdge key={`${from} ${to}`} from={byId.get(from)} to={byId.get(to)} />
        ))}
        {after !== null && <TextAfter node={byId.get(after.id)}>{after.message}</TextAfter>}
        {nodes.map((node) => (
          <PictureNode key={node.id} node={node} isChosen={node.id === chosen} onChosen={onChosen} />
        ))}
      </svg>
    </div>
  );
}

/** The number of columns or rows of the picture. */
function countLayers(nodes: readonly LayeredNode[], side: 'column' | 'row'): number {
  return Math.max(0, ...nodes.map((node) => node[side])) + 1;
}

/** The left edge of a box. */
function leftOf({ column }: LayeredNode): number {
  return 4 + column * ACROSS;
}

/** The top edge of a box. */
function topOf({ row }: LayeredNode): number {
  return TOP + row * DOWN;
}

/** An arrow between two boxes. */
function PictureEdge(props: {
  from: LayeredNode | undefined;
  to: LayeredNode | undefined;
}): ReactElement | null {
  const { from, to } = props;
  if (from === undefined || to === undefined) return null;
  return (
    <path
      className={`edge ${from.isMain && to.isMain ? 'main' : ''}`}
      d={curvePath(from, to)}
      markerEnd="url(#arrow)"
    />
  );
}

/** The SVG path of a curve from one box to another. */
function curvePath(a: LayeredNode, b: LayeredNode): string {
  const [x1, y1] = [leftOf(a) + WIDTH, topOf(a) + HEIGHT / 2];
  const [x2, y2] = [leftOf(b), topOf(b) + HEIGHT / 2];
  const bend = Math.min(60, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1} C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}

/** A text beside a box. */
function TextAfter(props: { node: LayeredNode | undefined; children: ReactNode }): ReactElement | null {
  const { node, children } = props;
  if (node === undefined) return null;
  return (
    <text className="when" x={leftOf(node) + WIDTH + 4} y={topOf(node) + HEIGHT / 2 - 8}>
      {children}
    </text>
  );
}

/** The numbers of characters of a title and of the further text that fit into a box. */
const [TITLE, MORE] = [24, 28];

/** A box of the picture, which a user can choose. */
function PictureNode(props: {
  node: LayeredNode;
  isChosen: boolean;
  onChosen: (id: string) => void;
}): ReactElement {
  const { node, isChosen, onChosen } = props;
  const [x, y] = [leftOf(node), topOf(node)];
  // Chooses this box.
  const choose = (): void => onChosen(node.id);
  return (
    <g className={`node tone-${node.tone} ${node.isMain ? 'main' : ''}`}>
      <text className="when" x={x} y={y - 6}>
        {node.when}
      </text>
      <rect
        className="box"
        x={x}
        y={y}
        width={WIDTH}
        height={HEIGHT}
        rx="7"
        role="button"
        tabIndex={0}
        aria-pressed={isChosen}
        aria-label={`${node.title}, ${node.more}`.slice(0, 300)}
        onClick={choose}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          choose();
        }}
      >
        <title>{`${node.title}, ${node.more}`.slice(0, 300)}</title>
      </rect>
      <rect className="edge-bar" x={x} y={y + 4} width="4" height={HEIGHT - 8} rx="2" />
      <text className="title" x={x + 14} y={y + 21}>
        {shortText(node.title, TITLE)}
      </text>
      <text className="more-words" x={x + 14} y={y + 38}>
        {shortText(node.more, MORE)}
      </text>
    </g>
  );
}

/** The text, cut to a number of characters. */
function shortText(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
