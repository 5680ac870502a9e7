/** PodTemplates: the template of a pod as an object of its own. */
import { part } from '../../../apimachinery/members.ts';
import type { ApiObject } from '../../../apimachinery/unstructured.ts';
import { whenChanged } from '../../apps/templates.ts';
import type { TemplateWarnings } from './warnings.ts';
import type { KindWarnings, Warnings } from '../../warnings/kind-warnings.ts';
import { withTemplateAnnotations } from './validation/template-annotations.ts';
import type { KindDefinition } from '../../kind-definition.ts';
import { podTemplateRules } from './validation/pods.ts';
import { templateWarnings } from './warnings.ts';
import { podTemplateTable } from './tables.ts';

function podTemplateWarnings(of: TemplateWarnings): KindWarnings {
  const inTemplate = (object: ApiObject): Warnings => of(part(object, 'template'), 'template');
  return { onCreate: inTemplate, onUpdate: whenChanged(inTemplate) };
}

export const podTemplates: KindDefinition = {
  resource: '/podtemplates',
  returnsDeletedObject: true,
  tracksGeneration: true,
  validation: withTemplateAnnotations(podTemplateRules, 'template'),
  warnings: (identity) => podTemplateWarnings(templateWarnings(identity)),
  table: podTemplateTable,
};
