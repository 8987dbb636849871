/** The parts of a pod's spec that determine which nodes may run the pod. */
export interface NodeChoiceSpec {
  nodeSelector?: Record<string, string>;
  tolerations?: Toleration[];
  affinity?: {
    podAffinity?: unknown;
    podAntiAffinity?: unknown;
    nodeAffinity?: {
      requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeSelectorTerm[] };
    };
  };
}

interface NodeSelectorTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

interface Toleration {
  key?: string;
  operator?: string;
  value?: string;
  effect?: string;
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

/** The parts of a node that the choice of a pod depends on. */
export interface ChosenNode {
  name: string;
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
}

/** The conditions on the nodes that may run a pod. Equal choices have equal texts. */
export interface NodeChoice {
  text: string;
  /** The number of parts that are compared with each node. */
  parts: number;
  selected: readonly (readonly [key: string, value: string])[];
  /** The terms of which one must match; null without terms. */
  terms: readonly (readonly TermPart[])[] | null;
  tolerations: readonly Toleration[];
}

interface TermPart {
  ofName: boolean;
  key: string;
  operator: string;
  values: ReadonlySet<string>;
}

/**
 * The most labels, expressions and tolerations of a choice together, and the longest text of a choice. The parts and
 * the text are limited because each part is compared with each node.
 */
const [MOST_PARTS, LONGEST_TEXT] = [20, 16 * 1024];

/** The choice of nodes in the spec of a pod; null for a choice with too many parts or too long a text. */
export function toNodeChoice({
  nodeSelector = {},
  tolerations = [],
  affinity,
}: NodeChoiceSpec): NodeChoice | null {
  const terms =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? null;
  const selected = Object.entries(nodeSelector);
  const ofTerms = terms?.map(toTermParts) ?? [];
  const parts = ofTerms.reduce(
    (sum, each) => sum + Math.max(1, each.length),
    selected.length + tolerations.length,
  );
  if (parts > MOST_PARTS) return null;
  const text =
    selected.length + tolerations.length === 0 && terms === null
      ? ''
      : JSON.stringify([selected.toSorted(([a], [b]) => (a < b ? -1 : 1)), terms, tolerations]);
  if (text.length > LONGEST_TEXT) return null;
  return { text, parts, selected, terms: terms === null ? null : ofTerms, tolerations };
}

function toTermParts({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): TermPart[] {
  const toPart = ({ key, operator, values = [] }: Requirement, ofName: boolean): TermPart => ({
    ofName,
    key,
    operator,
    values: new Set(values),
  });
  return [
    ...matchExpressions.map((each) => toPart(each, false)),
    ...matchFields.map((each) => toPart(each, true)),
  ];
}

/** True when a node may run a pod with this choice, according to the rules of the scheduler. */
export function isNodeSuitable(node: ChosenNode, { selected, terms, tolerations }: NodeChoice): boolean {
  return (
    selected.every(([key, value]) => node.labels[key] === value) &&
    // A term without parts matches no node.
    (terms?.some((parts) => parts.length > 0 && parts.every((part) => matchesPart(node, part))) ?? true) &&
    node.taints.every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)))
  );
}

function matchesPart({ name, labels }: ChosenNode, { ofName, key, operator, values }: TermPart): boolean {
  const value = ofName ? name : labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.has(value);
    case 'NotIn':
      return value === undefined || !values.has(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return Number(value) > Number([...values][0]);
    case 'Lt':
      return Number(value) < Number([...values][0]);
    default:
      return false;
  }
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== '' && effect !== taint.effect) return false;
  if (key === undefined || key === '') return operator === 'Exists';
  return key === taint.key && (operator === 'Exists' || value === (taint.value ?? ''));
}
