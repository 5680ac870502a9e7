/**
 * What all workloads share: a pod template, a selector that has to match it, and warnings about the
 * pods that will be created.
 */
import { forbidden, invalid, notSupported } from '../../apimachinery/field-error.ts';
import type { FieldError } from '../../apimachinery/field-error.ts';
import { part, text, textMap } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { templateRules } from '../core/pods/validation/pods.ts';
import type { TemplateWarnings } from '../core/pods/warnings.ts';
import { nameWarnings } from '../core/pods/warnings.ts';
import type { Problems } from '../validation/checks.ts';
import { unchanged } from '../validation/checks.ts';
import { isEmptySelector, labelSelectorRules, selects } from '../validation/labels.ts';
import type { KindWarnings, Warnings } from '../warnings/kind-warnings.ts';
import { allWarnings, noWarnings } from '../warnings/kind-warnings.ts';

/** Of a template that its selector does not select. Labels that are missing are shown as null. */
export function unselected(template: JsonObject): FieldError {
  const labels = part(template, 'metadata')['labels'] ?? null;
  const detail = '`selector` does not match template `labels`';
  return invalid('spec.template.metadata.labels', labels, detail);
}

export interface TemplateOwner {
  /** As messages name the kind of the pods' owner: a replica set for a deployment, too. */
  readonly kind: string;
  /** And of its selector: deployment for a replica set, too. */
  readonly what: string;
  /** Whether a template is looked at whose selector cannot be read. */
  readonly withoutSelector?: boolean | undefined;
}

/** Pods that a workload makes are its own, run for ever, and end when it says. */
export function workloadRules(
  spec: JsonObject,
  owner: TemplateOwner,
  template: JsonObject = part(spec, 'template'),
): Problems {
  const selector = part(spec, 'selector');
  const given = spec['selector'] !== undefined;
  const unreadable = labelSelectorRules(selector, 'spec.selector');
  const empty = given && isEmptySelector(selector);
  const problems = [
    ...unreadable,
    ...(empty
      ? [invalid('spec.selector', selector, `empty selector is invalid for ${owner.what}`)]
      : []),
  ];
  if (unreadable.length > 0) {
    return owner.withoutSelector === true
      ? [...problems, ...podRules(template, owner)]
      : [...problems, invalid('spec.selector', selector, 'invalid label selector')];
  }
  const labels = textMap(part(template, 'metadata'), 'labels');
  // No selector at all selects nothing, an empty one everything.
  const own = given && (empty || selects(selector, labels));
  return [...problems, ...(own ? [] : [unselected(template)]), ...podRules(template, owner)];
}

function podRules(template: JsonObject, { kind }: TemplateOwner): Problems {
  return [...templateRules(template, 'spec.template'), ...endlessRules(template, kind)];
}

/** What is started again for ever has no end of its own. */
export function endlessRules(template: JsonObject, kind: string): Problems {
  const path = 'spec.template';
  const pod = part(template, 'spec');
  const policy = text(pod, 'restartPolicy');
  return [
    ...(policy === '' || policy === 'Always'
      ? []
      : [notSupported(`${path}.spec.restartPolicy`, policy, ['Always'])]),
    ...(pod['activeDeadlineSeconds'] === undefined
      ? []
      : [
          forbidden(
            `${path}.spec.activeDeadlineSeconds`,
            `activeDeadlineSeconds in ${kind} is not Supported`,
          ),
        ]),
  ];
}

export function selectorUnchanged(next: ApiObject, current: ApiObject): Problems {
  return unchanged(
    'spec.selector',
    part(next, 'spec')['selector'],
    part(current, 'spec')['selector'],
  );
}

export const template = 'spec.template';

/** What has been said of a spec is not said again until the spec changes. */
export function whenChanged(of: (object: ApiObject) => Warnings): KindWarnings['onUpdate'] {
  return (next, current) =>
    next.metadata.generation === current.metadata.generation ? noWarnings : of(next);
}

export function workloadWarnings(of: TemplateWarnings): KindWarnings {
  const templateOf = (object: ApiObject): JsonObject => part(part(object, 'spec'), 'template');
  // Many updates leave the template as it is, the very same value.
  const said = new WeakMap<JsonObject, Warnings>();
  const saidOf = (object: ApiObject): Warnings => {
    const its = templateOf(object);
    const known = said.get(its);
    if (known !== undefined) return known;
    const warnings = of(its, template);
    said.set(its, warnings);
    return warnings;
  };
  return {
    onCreate(object) {
      return allWarnings(nameWarnings(object.metadata.name), of(templateOf(object), template));
    },
    onUpdate: whenChanged(saidOf),
  };
}
