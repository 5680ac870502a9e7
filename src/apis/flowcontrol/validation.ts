/** Rules of flow control: the requests a schema takes, and what a priority level does with them. */
import { forbidden, invalid, notSupported, required } from '../../apimachinery/field-error.ts';
import { objects, part, text, texts } from '../../apimachinery/members.ts';
import type { ApiObject, JsonObject } from '../../apimachinery/unstructured.ts';
import { checkDns1123Label, checkDns1123Subdomain } from '../../apimachinery/validation/names.ts';
import {
  allErrors,
  among,
  each,
  form,
  noProblems,
  numberOf,
  requiredForm,
} from '../validation/checks.ts';
import type { Problems } from '../validation/checks.ts';
import { uniqueConditions } from '../validation/conditions.ts';
import type { KindRules } from '../validation/kind-rules.ts';
import { lookup } from '../../stdx/lookup.ts';

const precedenceMax = 10_000;

/** The schema that is matched first, before any other, and the level it leads to. */
const first = 'exempt';

/** Of flow schemas and of priority levels. */
function statusRules(object: ApiObject): Problems {
  return uniqueConditions(part(object, 'status'), 'status', (condition, path) =>
    text(condition, 'type') === '' ? [required(`${path}.type`)] : noProblems,
  );
}

export const flowSchemaRules: KindRules = {
  validateStatusUpdate: statusRules,
  validate: (object) => {
    const spec = part(object, 'spec');
    const level = text(part(spec, 'priorityLevelConfiguration'), 'name');
    return allErrors(
      precedenceRules(object, 'spec.matchingPrecedence'),
      form('spec.priorityLevelConfiguration.name', level, checkDns1123Subdomain),
      spec['distinguisherMethod'] === undefined
        ? noProblems
        : known(part(spec, 'distinguisherMethod'), 'spec.distinguisherMethod', methods),
      each(objects(spec, 'rules'), (rule, at) => requestRules(rule, `spec.rules[${at}]`)),
    );
  },
};

const methods = ['ByNamespace', 'ByUser'];

/** The type or kind of something: none is as wrong as another. */
function known(
  object: JsonObject,
  path: string,
  values: readonly string[],
  member: 'type' | 'kind' = 'type',
): Problems {
  return among(`${path}.${member}`, text(object, member), values);
}

function precedenceRules(object: ApiObject, field: string): Problems {
  const precedence = numberOf(part(object, 'spec')['matchingPrecedence']) ?? 0;
  const onlyFirst = `only the schema named '${first}' may have matchingPrecedence 1`;
  return allErrors(
    precedence <= 0 ? [invalid(field, precedence, 'must be a positive value')] : noProblems,
    precedence > precedenceMax
      ? [invalid(field, precedence, `must not be greater than ${precedenceMax}`)]
      : noProblems,
    precedence === 1 && object.metadata.name !== first
      ? [invalid(field, precedence, onlyFirst)]
      : noProblems,
  );
}

function requestRules(rule: JsonObject, path: string): Problems {
  const resources = objects(rule, 'resourceRules');
  const urls = objects(rule, 'nonResourceRules');
  const neither = 'at least one of resourceRules and nonResourceRules has to be non-empty';
  return allErrors(
    each(objects(rule, 'subjects'), (subject, at) =>
      subjectRules(subject, `${path}.subjects[${at}]`),
    ),
    resources.length === 0 && urls.length === 0 ? [required(path, neither)] : noProblems,
    each(resources, (own, at) => resourceRules(own, `${path}.resourceRules[${at}]`)),
    each(urls, (own, at) => urlRules(own, `${path}.nonResourceRules[${at}]`)),
  );
}

/** Each kind of subject under the field that says which one. */
const subjectFields: Readonly<Record<string, string>> = lookup({
  ServiceAccount: 'serviceAccount',
  User: 'user',
  Group: 'group',
});

function subjectRules(subject: JsonObject, path: string): Problems {
  const kind = text(subject, 'kind');
  const own = subjectFields[kind];
  if (own === undefined) return known(subject, path, Object.keys(subjectFields).sort(), 'kind');
  const others = Object.entries(subjectFields).filter(
    ([, name]) => name !== own && subject[name] !== undefined,
  );
  return allErrors(
    subject[own] === undefined
      ? [required(`${path}.${own}`, `${own} is required when subject kind is '${kind}'`)]
      : noProblems,
    subject[own] === undefined ? noProblems : ownerRules(own, part(subject, own), `${path}.${own}`),
    others.map(([other, name]) =>
      forbidden(`${path}.${name}`, `${name} is forbidden when subject kind is not '${other}'`),
    ),
  );
}

/** Of what the kind says, and of nothing else that is given. */
function ownerRules(field: string, owner: JsonObject, path: string): Problems {
  const name = text(owner, 'name');
  if (field !== 'serviceAccount') return name === '' ? [required(`${path}.name`)] : noProblems;
  return allErrors(
    name === '*' ? noProblems : requiredForm(`${path}.name`, name, checkDns1123Subdomain),
    requiredForm(`${path}.namespace`, text(owner, 'namespace'), checkDns1123Label),
  );
}

const verbs = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'proxy',
  'update',
  'watch',
];

function verbRules(rule: JsonObject, path: string): Problems {
  const given = texts(rule, 'verbs');
  if (given.includes('*')) return alone(given, `${path}.verbs`, 'verbs');
  return given.every((verb) => verbs.includes(verb))
    ? noProblems
    : [notSupported(`${path}.verbs`, given, verbs)];
}

function alone(values: readonly string[], field: string, what: string): Problems {
  if (values.length < 2 || !values.includes('*')) return noProblems;
  return [invalid(field, values, `if '*' is present, must not specify other ${what}`)];
}

function resourceRules(rule: JsonObject, path: string): Problems {
  const namespaces = texts(rule, 'namespaces');
  const someNamespace =
    'resource rules that are not cluster scoped must supply at least one namespace';
  const eachNamespace = "each member of this list must be '*' or a DNS-1123 label; ";
  return allErrors(
    verbRules(rule, path),
    alone(texts(rule, 'apiGroups'), `${path}.apiGroups`, 'api groups'),
    alone(texts(rule, 'resources'), `${path}.resources`, 'resources'),
    namespaces.length === 0 && rule['clusterScope'] !== true
      ? [required(`${path}.namespaces`, someNamespace)]
      : noProblems,
    namespaces.includes('*')
      ? alone(namespaces, `${path}.namespaces`, 'namespaces')
      : each(namespaces, (namespace, at) =>
          checkDns1123Label(namespace).map((problem) =>
            invalid(`${path}.namespaces[${at}]`, namespace, eachNamespace + problem),
          ),
        ),
  );
}

function urlRules(rule: JsonObject, path: string): Problems {
  const urls = texts(rule, 'nonResourceURLs');
  const field = `${path}.nonResourceURLs`;
  return allErrors(
    verbRules(rule, path),
    urls.includes('*')
      ? alone(urls, field, 'non-resource URLs')
      : each(urls, (url, at) => {
          const problem = urlProblem(url);
          return problem === undefined ? noProblems : [invalid(`${field}[${at}]`, url, problem)];
        }),
  );
}

function urlProblem(url: string): string | undefined {
  if (url === '') return 'must not be empty';
  if (url === '/') return undefined;
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcard = url.indexOf('*');
  const wrong = wildcard !== -1 && (wildcard !== url.length - 1 || !url.endsWith('/*'));
  return wrong ? 'wildcard can only do suffix matching' : undefined;
}

const levelTypes = ['Exempt', 'Limited'];

export const priorityLevelRules: KindRules = {
  validateStatusUpdate: statusRules,
  validate: (object: ApiObject) => {
    const spec = part(object, 'spec');
    const type = text(spec, 'type');
    const onlyFirst = (object.metadata.name === first) !== (type === 'Exempt');
    return allErrors(
      onlyFirst
        ? [invalid('spec.type', type, "type must be 'Exempt' if and only if name is 'exempt'")]
        : noProblems,
      levelRules(spec, type),
    );
  },
};

function levelRules(spec: JsonObject, type: string): Problems {
  switch (type) {
    case 'Exempt':
      return allErrors(
        spec['limited'] === undefined
          ? noProblems
          : [forbidden('spec.limited', 'must be nil if the type is not Limited')],
        shareRules(part(spec, 'exempt'), 'spec.exempt'),
      );
    case 'Limited': {
      if (spec['limited'] === undefined) {
        return [required('spec.limited', 'must not be empty when type is Limited')];
      }
      const limited = part(spec, 'limited');
      return allErrors(
        spec['exempt'] === undefined
          ? noProblems
          : [forbidden('spec.exempt', 'must be nil if the type is Limited')],
        shareRules(limited, 'spec.limited'),
        limitResponseRules(part(limited, 'limitResponse'), 'spec.limited.limitResponse'),
      );
    }
    default:
      return known(spec, 'spec', levelTypes);
  }
}

/** Shares of older versions have another name, and their own rule is in the schema. */
function shareRules(level: JsonObject, path: string): Problems {
  const shares = numberOf(level['nominalConcurrencyShares']) ?? 0;
  const lendable = numberOf(level['lendablePercent']) ?? 0;
  const borrowing = numberOf(level['borrowingLimitPercent']) ?? 0;
  return allErrors(
    shares < 0
      ? [invalid(`${path}.nominalConcurrencyShares`, shares, 'must be a non-negative integer')]
      : noProblems,
    lendable < 0 || lendable > 100
      ? [invalid(`${path}.lendablePercent`, lendable, 'must be between 0 and 100, inclusive')]
      : noProblems,
    borrowing < 0
      ? [
          invalid(
            `${path}.borrowingLimitPercent`,
            borrowing,
            'if specified, must be a non-negative integer',
          ),
        ]
      : noProblems,
  );
}

function limitResponseRules(response: JsonObject, path: string): Problems {
  const queuing = response['queuing'] !== undefined;
  const type = text(response, 'type');
  if (type === 'Reject') {
    const detail = 'must be nil if limited.limitResponse.type is not Limited';
    return queuing ? [forbidden(`${path}.queuing`, detail)] : noProblems;
  }
  if (type !== 'Queue') return known(response, path, ['Queue', 'Reject']);
  if (queuing) return queuingRules(part(response, 'queuing'), `${path}.queuing`);
  const detail = 'must not be empty if limited.limitResponse.type is Limited';
  return [required(`${path}.queuing`, detail)];
}

const queuesMax = 10_000_000;

const hashBitsMax = 60;

function queuingRules(queuing: JsonObject, path: string): Problems {
  const queues = numberOf(queuing['queues']) ?? 0;
  const length = numberOf(queuing['queueLengthLimit']) ?? 0;
  return allErrors(
    length > 0 ? noProblems : [invalid(`${path}.queueLengthLimit`, length, mustBePositive)],
    queues > 0 ? noProblems : [invalid(`${path}.queues`, queues, mustBePositive)],
    queues > queuesMax
      ? [invalid(`${path}.queues`, queues, `must not be greater than ${queuesMax}`)]
      : noProblems,
    handRules(numberOf(queuing['handSize']) ?? 0, queues, `${path}.handSize`),
  );
}

const mustBePositive = 'must be positive';

/** Each flow is dealt a hand of the queues, by bits of one hash. */
function handRules(handSize: number, queues: number, field: string): Problems {
  if (handSize <= 0) return [invalid(field, handSize, mustBePositive)];
  if (handSize > queues) {
    return [invalid(field, handSize, `should not be greater than queues (${queues})`)];
  }
  const bits = Math.ceil(Math.log2(queues) * handSize);
  const needed =
    `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be ` +
    `greater than ${hashBitsMax}`;
  return bits > hashBitsMax ? [invalid(field, handSize, needed)] : noProblems;
}
