import { structuralObjectType } from '../apimachinery/fieldmanager/schema/from-structural-schema.ts';
import { part } from '../apimachinery/members.ts';
import type { CompileCustomVersion } from './custom-schema.ts';

export const compileCustomVersion: CompileCustomVersion = (source, deps) => {
  let kept: ReturnType<typeof source.entry> | undefined;
  const entry = () => (kept ??= source.entry());
  const schema = () => part(part(entry(), 'schema'), 'openAPIV3Schema');
  const subresources = () => part(entry(), 'subresources');
  const steps = (t: unknown) => (typeof t === 'string' ? t.split('.').filter((s) => s !== '') : []);
  return {
    group: source.group,
    version: source.version,
    kind: source.kind,
    conform: (object) => ({ kind: 'ok', object, unknownFields: [] }),
    defaults: (object) => object,
    readStored: (object) => object,
    validate: () => ({ errors: [], warnings: [] }),
    *validateInSteps() {
      yield;
      return { errors: [], warnings: [] };
    },
    get hasStatus() {
      return subresources()['status'] !== undefined;
    },
    get scale() {
      const scale = part(subresources(), 'scale');
      if (Object.keys(scale).length === 0) return undefined;
      const paths = {
        specReplicas: steps(scale['specReplicasPath']),
        statusReplicas: steps(scale['statusReplicasPath']),
        selector: steps(scale['labelSelectorPath']),
      };
      return { ...paths, paths };
    },
    get mergeType() {
      return structuralObjectType(schema(), deps.metadataType);
    },
    selectableFields: [],
    table: {
      columns: [{ name: 'Name', type: 'string', format: 'name', description: '', priority: 0 }],
      cells: (object) => [String(part(object, 'metadata')['name'])],
    },
    openApi: ({ metadata }) => ({ ...schema(), properties: { ...part(schema(), 'properties'), metadata } }),
  };
};
