/**
 * Requests with a word in each place where a client may put one: `~` stands for it. Names and kinds
 * of `{domain}` are the identity's.
 */
export interface WordRow {
  readonly request: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

const json = { 'content-type': 'application/json' };
const maps = '/api/v1/namespaces/default/configmaps';
const container = '"containers":[{"name":"a","image":"a"}]';
const template = `"template":{"metadata":{"labels":{"a":"x"}},"spec":{${container}}}`;

const paths = [
  ...['/~', '/apis/~', '/apis/~/v1/pods', '/apis/apps/~', '/api/~', '/api/v1/~', '/livez/~'],
  ...['/api/v1/namespaces/~', '/api/v1/namespaces/~/pods', '/api/v1/watch/~', '/openapi/~'],
  ...['/api/v1/namespaces/default/~', '/api/v1/namespaces/default/~/x', `${maps}/~`],
  ...[`${maps}/x/~`, '/api/v1/namespaces/default/pods/x/~', '/openapi/v3/~', '/openapi/v3/apis/~'],
  ...['/.well-known/~', '/livez?exclude=~', '/readyz/~', '/metrics/~', '/version/~'],
];

const queries = [
  ...['~=~', 'labelSelector=~', 'labelSelector=!~', 'labelSelector=~%3D~', 'labelSelector=~!%3D~'],
  ...['labelSelector=~+in+(~)', 'labelSelector=~+notin+(~)', 'labelSelector=~%3E1'],
  ...['fieldSelector=~%3D~', 'fieldSelector=metadata.~%3D1', 'fieldSelector=metadata.name%3D~'],
  ...['resourceVersion=~', 'resourceVersion=0&resourceVersionMatch=~', 'limit=~', 'continue=~'],
  ...['pretty=~', 'timeoutSeconds=~', 'allowWatchBookmarks=~', 'sendInitialEvents=~'],
];

const writeQueries = ['~=~', 'dryRun=~', 'fieldValidation=~', 'fieldManager=~'];
const deleteQueries = ['~=~', 'propagationPolicy=~', 'gracePeriodSeconds=~', 'orphanDependents=~'];

const accepted = [
  ...['application/~', 'application/json;as=~;g=~;v=~', 'application/json;as=Table;g=~;v=v1'],
  ...['application/json;as=Table;v=~;g=meta.{domain}', 'application/json;~=~', '~/~'],
  ...['application/json;stream=~', 'application/json;profile=~'],
];
const sent = ['application/~', 'application/json;~=~', 'application/json;charset=~', '~'];

const groups = {
  scheduling: '/apis/scheduling.{domain}/v1',
  flow: '/apis/flowcontrol.apiserver.{domain}/v1',
  admission: '/apis/admissionregistration.{domain}/v1',
  rbac: '/apis/rbac.authorization.{domain}/v1/namespaces/default',
};

/** Bodies without metadata: that is put before what is here. */
const created: readonly (readonly [path: string, ...rest: readonly string[]])[] = [
  [maps, '"data":{"~":"~"},"binaryData":{"other":"aGk="}', '"data":{"other":"~"},"~":{"x":1}'],
  [maps, '"binaryData":{"~":"aGk="},"data":{"other":"x"}', '"kind":"~"', '"apiVersion":"~"'],
  [
    '/api/v1/namespaces/default/secrets',
    '"type":"~"',
    '"type":"~","data":{"~":"aGk="}',
    '"stringData":{"~":"x"}',
  ],
  [
    '/api/v1/namespaces/default/services',
    '"spec":{"type":"~","ports":[{"port":80,"protocol":"~"}]}',
    '"spec":{"ports":[{"port":80}],"ipFamilyPolicy":"~","ipFamilies":["~"],"sessionAffinity":"~"}',
    '"spec":{"ports":[{"port":80}],"selector":{"~":"~"}}',
  ],
  [
    '/apis/discovery.{domain}/v1/namespaces/default/endpointslices',
    '"addressType":"~","endpoints":[{"addresses":["1.2.3.4"],"deprecatedTopology":{"~":"~"}}]',
  ],
  [
    '/api/v1/namespaces/default/pods',
    `"spec":{${container},"volumes":[{"name":"v","~":{}}]}`,
    `"spec":{${container},"volumes":[{"name":"v","hostPath":{"path":"/","type":"~"}}]}`,
    `"spec":{${container},"overhead":{"~":"1"},"nodeSelector":{"~":"~"}}`,
    '"spec":{"containers":[{"name":"a","image":"a","resources":{"limits":{"~":"1"}}}]}',
    '"spec":{"containers":[{"name":"a","image":"a","resources":{"requests":{"~":"2"}}}],' +
      '"resources":{"limits":{"cpu":"1"},"requests":{"cpu":"1"}}}',
    '"spec":{"containers":[{"name":"a","image":"a","resources":{"limits":{"~":"2","cpu":"1"},' +
      '"requests":{"cpu":"1"}}}],"resources":{"requests":{"~":"1"}}}',
    `"spec":{${container},"restartPolicy":"~","dnsPolicy":"~","os":{"name":"~"}}`,
    `"spec":{${container},"priorityClassName":"~"}`,
    `"spec":{${container},"preemptionPolicy":"~","tolerations":[{"operator":"~","effect":"~"}]}`,
    '"spec":{"containers":[{"name":"a","image":"a","env":[{"name":"~","valueFrom":' +
      '{"fieldRef":{"fieldPath":"~"}}}],"ports":[{"containerPort":1,"protocol":"~"}]}]}',
  ],
  [
    '/api/v1/namespaces/default/resourcequotas',
    '"spec":{"hard":{"~":"1"},"scopes":["~"]}',
    '"spec":{"scopeSelector":{"matchExpressions":[{"scopeName":"~","operator":"~"}]}}',
  ],
  [
    '/api/v1/namespaces/default/limitranges',
    '"spec":{"limits":[{"type":"~","min":{"~":"1"},"max":{"cpu":"1"},"default":{"cpu":"1"}}]}',
    '"spec":{"limits":[{"type":"Container","default":{"~":"1"},"defaultRequest":{"cpu":"1"}}]}',
  ],
  [
    '/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers',
    '"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"~","name":"a"},"metrics":[{"type":"~"}]}',
  ],
  [
    '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
    '"spec":{"maxReplicas":1,"scaleTargetRef":{"kind":"~","name":"~"}}',
  ],
  [`${groups.scheduling}/priorityclasses`, '"value":5,"preemptionPolicy":"~"'],
  [
    `${groups.flow}/flowschemas`,
    '"spec":{"priorityLevelConfiguration":{"name":"~"},"rules":[{"subjects":[{"kind":"~"}]}]}',
  ],
  [`${groups.flow}/prioritylevelconfigurations`, '"spec":{"type":"~"}'],
  [
    '/apis/certificates.{domain}/v1/certificatesigningrequests',
    '"spec":{"signerName":"a.b/~","usages":["~"],"request":"aGk="}',
  ],
  [
    `${groups.admission}/validatingadmissionpolicies`,
    '"spec":{"failurePolicy":"~","validations":[{"expression":"true","reason":"~"}],' +
      '"matchConstraints":{"resourceRules":[{"apiGroups":["~"],"operations":["~"]}]}}',
  ],
  [
    '/api/v1/persistentvolumes',
    '"spec":{"capacity":{"~":"1"},"accessModes":["~"],"~":{}}',
    '"spec":{"capacity":{"storage":"1"},"volumeMode":"~","persistentVolumeReclaimPolicy":"~"}',
  ],
  [
    '/api/v1/namespaces/default/persistentvolumeclaims',
    '"spec":{"resources":{"requests":{"~":"1"}},"accessModes":["~"],"dataSource":{"kind":"~"}}',
  ],
  [
    '/apis/apps/v1/namespaces/default/deployments',
    `"spec":{"strategy":{"type":"~"},"selector":{"matchLabels":{"~":"x"}},${template}}`,
    `"spec":{"selector":{"matchExpressions":[{"key":"~","operator":"Exists"}]},${template}}`,
    `"spec":{"selector":{"matchExpressions":[{"key":"~","operator":"NotIn","values":["x"]}]},` +
      `${template}}`,
    `"spec":{"selector":{"matchExpressions":[{"key":"a","operator":"~"}]},${template}}`,
  ],
  [
    '/api/v1/namespaces/default/replicationcontrollers',
    `"spec":{"selector":{"~":"x"},${template}}`,
  ],
  [`${groups.rbac}/roles`, '"rules":[{"verbs":["~"],"apiGroups":["~"],"resources":["~"]}]'],
  [
    `${groups.rbac}/rolebindings`,
    '"roleRef":{"apiGroup":"~","kind":"~","name":"~"},"subjects":[{"kind":"~","name":"~"}]',
  ],
];

const metadata = [
  ...['"labels":{"~":"~"}', '"labels":{"a":"~"}', '"annotations":{"~":"~"}', '"~":{"~":1}'],
  ...['"finalizers":["~"]', '"name":"~"', '"namespace":"~"'],
  '"ownerReferences":[{"apiVersion":"~","kind":"~","name":"~","uid":"~"}]',
  '"managedFields":[{"manager":"~","operation":"~","apiVersion":"~"}]',
  '"managedFields":[{"manager":"~","operation":"Update","apiVersion":"v1",' +
    '"fieldsType":"FieldsV1","fieldsV1":{"f:~":{"f:~":{}},"~":{}}}]',
  '"managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","subresource":"~",' +
    '"fieldsType":"~","fieldsV1":{"f:data":{"f:~":{}}}}]',
];

const reviews: readonly WordRow[] = [
  {
    request: 'POST /apis/authorization.{domain}/v1/subjectaccessreviews',
    body:
      '{"spec":{"user":"~","groups":["~"],"extra":{"~":["~"]},' +
      '"resourceAttributes":{"verb":"~","group":"~","resource":"~","namespace":"~"}}}',
  },
  {
    request: 'POST /apis/authorization.{domain}/v1/selfsubjectrulesreviews',
    body: '{"spec":{"namespace":"~"}}',
  },
  {
    request: 'POST /apis/authentication.{domain}/v1/tokenreviews',
    body: '{"spec":{"token":"~","audiences":["~"]}}',
  },
  {
    request: 'POST /api/v1/namespaces/default/serviceaccounts/robot/token',
    body: '{"spec":{"boundObjectRef":{"kind":"~","apiVersion":"v1","name":"x"}}}',
  },
  {
    request: 'POST /api/v1/namespaces/default/bindings',
    body: '{"metadata":{"name":"~"},"target":{"kind":"~","name":"~"}}',
  },
].map((row) => ({ ...row, headers: json }));

const seeded = `${maps}/seeded`;
const pointers = ['/~', '/~/x', '/data/~', '/data/~/x', '/metadata/~/~', '/metadata/labels/~'];
const patches: readonly (readonly [type: string, body: string])[] = [
  ...pointers.flatMap((at) =>
    ['add', 'remove', 'replace', 'test'].map(
      (op) => ['json-patch+json', `[{"op":"${op}","path":"${at}","value":"x"}]`] as const,
    ),
  ),
  ...pointers.flatMap((at) =>
    ['copy', 'move'].map(
      (op) => ['json-patch+json', `[{"op":"${op}","from":"${at}","path":"/data/z"}]`] as const,
    ),
  ),
  ['json-patch+json', '[{"op":"~","path":"/data"}]'],
  ['json-patch+json', '[{"~":"add","op":"add","path":"/data/y","value":"x"}]'],
  ['merge-patch+json', '{"~":{"x":"1"},"data":{"~":"2"},"metadata":{"~":{"x":1}}}'],
  ['merge-patch+json', '{"data":{"~":null},"metadata":{"labels":{"~":null},"~":null},"~":null}'],
  ['merge-patch+json', '{"data":{"~":{"x":"1"}}}'],
  ['strategic-merge-patch+json', '{"~":{"x":"1"},"data":{"~":"2"},"metadata":{"~":{"x":1}}}'],
  ['strategic-merge-patch+json', '{"data":{"~":null},"metadata":{"labels":{"~":null}},"~":null}'],
  ['strategic-merge-patch+json', '{"data":{"$patch":"~"}}'],
  ['strategic-merge-patch+json', '{"$setElementOrder/~":["a"]}'],
  ['strategic-merge-patch+json', '{"$deleteFromPrimitiveList/~":["a"]}'],
  ['strategic-merge-patch+json', '{"$retainKeys":["~"]}'],
  ['~-patch+json', '{}'],
];
const applied = '"apiVersion":"v1","kind":"ConfigMap"';
const applications = [
  `{${applied},"metadata":{"name":"seeded","annotations":{"~":"x"}},"data":{"~":"4"}}`,
  `{${applied},"metadata":{"name":"seeded"},"~":{"~":1}}`,
  `{${applied},"metadata":{"name":"seeded"},"data":{"~":"4","more":"~"}}`,
  `{${applied},"metadata":{"name":"seeded"},"data":{"~":{"~":1}}}`,
  `${'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seeded}'}\ndata:\n  ~: "4"\n`,
];

export const wordRows: readonly WordRow[] = [
  ...paths.flatMap((path) => [
    { request: `GET ${path}` },
    { request: `PUT ${path}`, body: '{}', headers: json },
    { request: `POST ${path}`, body: '{}', headers: json },
  ]),
  ...queries.map((query) => ({ request: `GET /api/v1/namespaces?${query}` })),
  { request: 'GET /api/v1/namespaces?watch=~&timeoutSeconds=1&labelSelector=a%3Db' },
  ...writeQueries.map((query) => ({
    request: `POST ${maps}?${query}${query.startsWith('dryRun') ? '' : '&dryRun=All'}`,
    body: '{"metadata":{"name":"query"}}',
    headers: json,
  })),
  ...deleteQueries.map((query) => ({ request: `DELETE ${seeded}?dryRun=All&${query}` })),
  ...['"propagationPolicy":"~"', '"~":1', '"preconditions":{"~":"x"}', '"kind":"~"'].map(
    (member) => ({ request: `DELETE ${seeded}?dryRun=All`, body: `{${member}}`, headers: json }),
  ),
  ...accepted.map((accept) => ({ request: `GET ${maps}`, headers: { accept } })),
  { request: `GET ${maps}`, headers: { 'accept-encoding': '~' } },
  ...sent.map((type) => ({
    request: `POST ${maps}?dryRun=All`,
    body: '{"metadata":{"name":"typed"}}',
    headers: { 'content-type': type },
  })),
  ...metadata.map((member) => ({
    request: `POST ${maps}?dryRun=All`,
    body: `{"metadata":{"name":"m",${member}}}`.replace('"name":"m","name"', '"name"'),
    headers: json,
  })),
  ...metadata.map((member) => ({
    request: `PATCH ${seeded}?dryRun=All`,
    body: `{"metadata":{${member}}}`,
    headers: { 'content-type': 'application/merge-patch+json' },
  })),
  ...created.flatMap(([path, ...bodies]) =>
    bodies.map((body) => ({
      request: `POST ${path}?dryRun=All`,
      body: `{"metadata":{"name":"made"},${body}}`,
      headers: json,
    })),
  ),
  {
    request: `POST ${groups.scheduling}/priorityclasses?dryRun=All`,
    body: '{"metadata":{"name":"~"},"value":5}',
    headers: json,
  },
  ...reviews,
  ...patches.map(([type, body]) => ({
    request: `PATCH ${seeded}?dryRun=All`,
    body,
    headers: { 'content-type': `application/${type}` },
  })),
  ...applications.map((body) => ({
    request: `PATCH ${seeded}?dryRun=All&force=true&fieldManager=~`,
    body,
    headers: { 'content-type': 'application/apply-patch+yaml' },
  })),
  {
    request: 'GET /api/v1/namespaces',
    headers: { 'impersonate-user': '~', 'impersonate-group': '~' },
  },
];
