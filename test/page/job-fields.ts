import * as client from '@kubernetes/client-node';

interface Model {
  getAttributeTypeMap(): { baseName: string; type: string }[];
}

/** By the API server or a controller, or not to be set by hand. */
const NOT_WRITTEN = new Set(['V1JobStatus', 'V1ManagedFieldsEntry', 'V1OwnerReference']);

/** The fields of a Job and of all types in it, as Kubernetes' client library describes them. */
export function jobFields(): Record<string, Record<string, string>> {
  const found: Record<string, Record<string, string>> = {};
  const add = (type: string): void => {
    const model = (client as unknown as Record<string, Model | undefined>)[type];
    if (model?.getAttributeTypeMap === undefined || type in found) return;
    const fields = model
      .getAttributeTypeMap()
      .map(({ baseName, type: text }) => [baseName, text, typeNamed(text)] as const)
      .filter(([, , named]) => !NOT_WRITTEN.has(named));
    found[type] = Object.fromEntries(fields.map(([name, text]) => [name, text]));
    for (const [, , named] of fields) add(named);
  };
  add('V1Job');
  return found;
}

/** The type of a field, or of its items or values. */
function typeNamed(text: string): string {
  return /^(?:Array<|\{ \[key: string\]: )?(\w+)/.exec(text)?.[1] ?? '';
}
