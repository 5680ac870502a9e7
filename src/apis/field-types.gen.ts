/**
 * Every type of every built-in kind at every version, field by field. Generated from the facts
 * by generate/field-types.ts.
 * src/apimachinery/typed/type-rows.ts says how rows are read.
 */
export const fieldTypeRows = `
package admission/v1
AdmissionRequest
 uid 1 string !
 kind 2 meta/v1.GroupVersionKind !
 resource 3 meta/v1.GroupVersionResource !
 subResource 4 string
 requestKind 13 meta/v1.GroupVersionKind ?
 requestResource 14 meta/v1.GroupVersionResource ?
 requestSubResource 15 string
 name 5 string
 namespace 6 string
 operation 7 enum ! = CONNECT|CREATE|DELETE|UPDATE
 userInfo 8 authentication/v1.UserInfo !
 object 9 RawExtension
 oldObject 10 RawExtension
 dryRun 11 boolean ?
 options 12 RawExtension
AdmissionResponse
 uid 1 string !
 allowed 2 boolean !
 status 3 meta/v1.Status ?
 patch 4 bytes
 patchType 5 enum ? = JSONPatch
 auditAnnotations 6 {}string
 warnings 7 []string
AdmissionReview kind
 request 1 AdmissionRequest ?
 response 2 AdmissionResponse ?
package admission/v1beta1
AdmissionRequest
 uid 1 string !
 kind 2 meta/v1.GroupVersionKind !
 resource 3 meta/v1.GroupVersionResource !
 subResource 4 string
 requestKind 13 meta/v1.GroupVersionKind ?
 requestResource 14 meta/v1.GroupVersionResource ?
 requestSubResource 15 string
 name 5 string
 namespace 6 string
 operation 7 enum ! = CONNECT|CREATE|DELETE|UPDATE
 userInfo 8 authentication/v1.UserInfo !
 object 9 RawExtension
 oldObject 10 RawExtension
 dryRun 11 boolean ?
 options 12 RawExtension
AdmissionResponse
 uid 1 string !
 allowed 2 boolean !
 status 3 meta/v1.Status ?
 patch 4 bytes
 patchType 5 enum ? = JSONPatch
 auditAnnotations 6 {}string
 warnings 7 []string
AdmissionReview kind
 request 1 AdmissionRequest ?
 response 2 AdmissionResponse ?
package admissionregistration/v1
AuditAnnotation
 key 1 string !
 valueExpression 2 string !
ExpressionWarning
 fieldRef 2 string !
 warning 3 string !
MatchCondition
 name 1 string !
 expression 2 string !
MatchResources atomic
 namespaceSelector 1 meta/v1.LabelSelector ?
 objectSelector 2 meta/v1.LabelSelector ?
 resourceRules 3 []NamedRuleWithOperations list=atomic
 excludeResourceRules 4 []NamedRuleWithOperations list=atomic
 matchPolicy 7 enum ? = Equivalent|Exact
MutatingWebhook
 name 1 string !
 clientConfig 2 WebhookClientConfig !
 rules 3 []RuleWithOperations list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 matchPolicy 9 enum ? = Equivalent|Exact
 namespaceSelector 5 meta/v1.LabelSelector ?
 objectSelector 11 meta/v1.LabelSelector ?
 sideEffects 6 enum ! ? = None|NoneOnDryRun|Some|Unknown
 timeoutSeconds 7 int32 ?
 admissionReviewVersions 8 []string ! list=atomic
 reinvocationPolicy 10 enum ? = IfNeeded|Never
 matchConditions 12 []MatchCondition list=map:name patch=merge:name
MutatingWebhookConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []MutatingWebhook list=map:name patch=merge:name
MutatingWebhookConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []MutatingWebhookConfiguration !
NamedRuleWithOperations atomic
 resourceNames 1 []string list=atomic
 - 2 RuleWithOperations
ParamKind atomic
 apiVersion 1 string
 kind 2 string
ParamRef atomic
 name 1 string
 namespace 2 string
 selector 3 meta/v1.LabelSelector ?
 parameterNotFoundAction 4 enum ? = Allow|Deny
Rule
 apiGroups 1 []string list=atomic
 apiVersions 2 []string list=atomic
 resources 3 []string list=atomic
 scope 4 enum ? = *|Cluster|Namespaced
RuleWithOperations
 operations 1 []enum list=atomic = *|CONNECT|CREATE|DELETE|UPDATE
 - 2 Rule
ServiceReference
 namespace 1 string !
 name 2 string !
 path 3 string ?
 port 4 int32 ?
TypeChecking
 expressionWarnings 1 []ExpressionWarning list=atomic
ValidatingAdmissionPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicySpec
 status 3 ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicyBinding !
ValidatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 ParamRef ?
 matchResources 3 MatchResources ?
 validationActions 4 []enum list=set = Audit|Deny|Warn
ValidatingAdmissionPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicy !
ValidatingAdmissionPolicySpec
 paramKind 1 ParamKind ?
 matchConstraints 2 MatchResources ?
 validations 3 []Validation list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 auditAnnotations 5 []AuditAnnotation list=atomic
 matchConditions 6 []MatchCondition list=map:name patch=merge:name
 variables 7 []Variable list=map:name patch=merge:name
ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64
 typeChecking 2 TypeChecking ?
 conditions 3 []meta/v1.Condition list=map:type
ValidatingWebhook
 name 1 string !
 clientConfig 2 WebhookClientConfig !
 rules 3 []RuleWithOperations list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 matchPolicy 9 enum ? = Equivalent|Exact
 namespaceSelector 5 meta/v1.LabelSelector ?
 objectSelector 10 meta/v1.LabelSelector ?
 sideEffects 6 enum ! ? = None|NoneOnDryRun|Some|Unknown
 timeoutSeconds 7 int32 ?
 admissionReviewVersions 8 []string ! list=atomic
 matchConditions 11 []MatchCondition list=map:name patch=merge:name
ValidatingWebhookConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []ValidatingWebhook list=map:name patch=merge:name
ValidatingWebhookConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingWebhookConfiguration !
Validation
 expression 1 string !
 message 2 string
 reason 3 enum ? = |AlreadyExists|BadRequest|Conflict|Expired|Forbidden|Gone|InternalError|Invalid|MethodNotAllowed|NotAcceptable|NotFound|RequestEntityTooLarge|ServerTimeout|ServiceUnavailable|StorageReadError|Timeout|TooManyRequests|Unauthorized|UnsupportedMediaType
 messageExpression 4 string
Variable atomic
 name 1 string !
 expression 2 string !
WebhookClientConfig
 url 3 string ?
 service 1 ServiceReference ?
 caBundle 2 bytes
package admissionregistration/v1alpha1
ApplyConfiguration
 expression 1 string
AuditAnnotation
 key 1 string !
 valueExpression 2 string !
ExpressionWarning
 fieldRef 2 string !
 warning 3 string !
JSONPatch
 expression 1 string
MatchResources atomic
 namespaceSelector 1 meta/v1.LabelSelector ?
 objectSelector 2 meta/v1.LabelSelector ?
 resourceRules 3 []NamedRuleWithOperations list=atomic
 excludeResourceRules 4 []NamedRuleWithOperations list=atomic
 matchPolicy 7 enum ? = Equivalent|Exact
MutatingAdmissionPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 MutatingAdmissionPolicySpec
MutatingAdmissionPolicyBinding kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 MutatingAdmissionPolicyBindingSpec
MutatingAdmissionPolicyBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []MutatingAdmissionPolicyBinding !
MutatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 ParamRef ?
 matchResources 3 MatchResources ?
MutatingAdmissionPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []MutatingAdmissionPolicy !
MutatingAdmissionPolicySpec
 paramKind 1 ParamKind ?
 matchConstraints 2 MatchResources ?
 variables 3 []Variable list=atomic
 mutations 4 []Mutation list=atomic
 failurePolicy 5 enum ? = Fail|Ignore
 matchConditions 6 []admissionregistration/v1.MatchCondition list=map:name patch=merge:name
 reinvocationPolicy 7 string
Mutation
 patchType 2 enum ! = ApplyConfiguration|JSONPatch
 applyConfiguration 3 ApplyConfiguration ?
 jsonPatch 4 JSONPatch ?
NamedRuleWithOperations atomic
 resourceNames 1 []string list=atomic
 - 2 admissionregistration/v1.RuleWithOperations
ParamKind atomic
 apiVersion 1 string
 kind 2 string
ParamRef atomic
 name 1 string
 namespace 2 string
 selector 3 meta/v1.LabelSelector ?
 parameterNotFoundAction 4 enum ? = Allow|Deny
TypeChecking
 expressionWarnings 1 []ExpressionWarning list=atomic
ValidatingAdmissionPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicySpec
 status 3 ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicyBinding !
ValidatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 ParamRef ?
 matchResources 3 MatchResources ?
 validationActions 4 []enum list=set = Audit|Deny|Warn
ValidatingAdmissionPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicy !
ValidatingAdmissionPolicySpec
 paramKind 1 ParamKind ?
 matchConstraints 2 MatchResources ?
 validations 3 []Validation list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 auditAnnotations 5 []AuditAnnotation list=atomic
 matchConditions 6 []admissionregistration/v1.MatchCondition list=map:name patch=merge:name
 variables 7 []Variable list=map:name patch=merge:name
ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64
 typeChecking 2 TypeChecking ?
 conditions 3 []meta/v1.Condition list=map:type
Validation
 expression 1 string !
 message 2 string
 reason 3 enum ? = |AlreadyExists|BadRequest|Conflict|Expired|Forbidden|Gone|InternalError|Invalid|MethodNotAllowed|NotAcceptable|NotFound|RequestEntityTooLarge|ServerTimeout|ServiceUnavailable|StorageReadError|Timeout|TooManyRequests|Unauthorized|UnsupportedMediaType
 messageExpression 4 string
Variable
 name 1 string !
 expression 2 string !
package admissionregistration/v1beta1
AuditAnnotation
 key 1 string !
 valueExpression 2 string !
ExpressionWarning
 fieldRef 2 string !
 warning 3 string !
MatchCondition
 name 1 string !
 expression 2 string !
MatchResources atomic
 namespaceSelector 1 meta/v1.LabelSelector ?
 objectSelector 2 meta/v1.LabelSelector ?
 resourceRules 3 []NamedRuleWithOperations list=atomic
 excludeResourceRules 4 []NamedRuleWithOperations list=atomic
 matchPolicy 7 enum ? = Equivalent|Exact
MutatingWebhook
 name 1 string !
 clientConfig 2 WebhookClientConfig !
 rules 3 []admissionregistration/v1.RuleWithOperations list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 matchPolicy 9 enum ? = Equivalent|Exact
 namespaceSelector 5 meta/v1.LabelSelector ?
 objectSelector 11 meta/v1.LabelSelector ?
 sideEffects 6 enum ? = None|NoneOnDryRun|Some|Unknown
 timeoutSeconds 7 int32 ?
 admissionReviewVersions 8 []string list=atomic
 reinvocationPolicy 10 enum ? = IfNeeded|Never
 matchConditions 12 []MatchCondition list=map:name patch=merge:name
MutatingWebhookConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []MutatingWebhook list=map:name patch=merge:name
MutatingWebhookConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []MutatingWebhookConfiguration !
NamedRuleWithOperations atomic
 resourceNames 1 []string list=atomic
 - 2 admissionregistration/v1.RuleWithOperations
ParamKind atomic
 apiVersion 1 string
 kind 2 string
ParamRef atomic
 name 1 string
 namespace 2 string
 selector 3 meta/v1.LabelSelector ?
 parameterNotFoundAction 4 enum ? = Allow|Deny
ServiceReference
 namespace 1 string !
 name 2 string !
 path 3 string ?
 port 4 int32 ?
TypeChecking
 expressionWarnings 1 []ExpressionWarning list=atomic
ValidatingAdmissionPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicySpec
 status 3 ValidatingAdmissionPolicyStatus
ValidatingAdmissionPolicyBinding kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ValidatingAdmissionPolicyBindingSpec
ValidatingAdmissionPolicyBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicyBinding !
ValidatingAdmissionPolicyBindingSpec
 policyName 1 string
 paramRef 2 ParamRef ?
 matchResources 3 MatchResources ?
 validationActions 4 []enum list=set = Audit|Deny|Warn
ValidatingAdmissionPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingAdmissionPolicy !
ValidatingAdmissionPolicySpec
 paramKind 1 ParamKind ?
 matchConstraints 2 MatchResources ?
 validations 3 []Validation list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 auditAnnotations 5 []AuditAnnotation list=atomic
 matchConditions 6 []MatchCondition list=map:name patch=merge:name
 variables 7 []Variable list=map:name patch=merge:name
ValidatingAdmissionPolicyStatus
 observedGeneration 1 int64
 typeChecking 2 TypeChecking ?
 conditions 3 []meta/v1.Condition list=map:type
ValidatingWebhook
 name 1 string !
 clientConfig 2 WebhookClientConfig !
 rules 3 []admissionregistration/v1.RuleWithOperations list=atomic
 failurePolicy 4 enum ? = Fail|Ignore
 matchPolicy 9 enum ? = Equivalent|Exact
 namespaceSelector 5 meta/v1.LabelSelector ?
 objectSelector 10 meta/v1.LabelSelector ?
 sideEffects 6 enum ? list=atomic = None|NoneOnDryRun|Some|Unknown
 timeoutSeconds 7 int32 ?
 admissionReviewVersions 8 []string list=atomic
 matchConditions 11 []MatchCondition list=map:name patch=merge:name
ValidatingWebhookConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 webhooks 2 []ValidatingWebhook list=map:name patch=merge:name
ValidatingWebhookConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ValidatingWebhookConfiguration !
Validation
 expression 1 string !
 message 2 string
 reason 3 enum ? = |AlreadyExists|BadRequest|Conflict|Expired|Forbidden|Gone|InternalError|Invalid|MethodNotAllowed|NotAcceptable|NotFound|RequestEntityTooLarge|ServerTimeout|ServiceUnavailable|StorageReadError|Timeout|TooManyRequests|Unauthorized|UnsupportedMediaType
 messageExpression 4 string
Variable atomic
 name 1 string !
 expression 2 string !
WebhookClientConfig
 url 3 string ?
 service 1 ServiceReference ?
 caBundle 2 bytes
package apidiscovery/v2
APIGroupDiscovery kind
 metadata 1 meta/v1.ObjectMeta
 versions 2 []APIVersionDiscovery list=map:version
APIGroupDiscoveryList kind
 metadata 1 meta/v1.ListMeta
 items 2 []APIGroupDiscovery !
APIResourceDiscovery
 resource 1 string !
 responseKind 2 meta/v1.GroupVersionKind ?
 scope 3 enum ! = Cluster|Namespaced
 singularResource 4 string !
 verbs 5 []string ! list=set
 shortNames 6 []string list=set
 categories 7 []string list=set
 subresources 8 []APISubresourceDiscovery list=map:subresource
APISubresourceDiscovery
 subresource 1 string !
 responseKind 2 meta/v1.GroupVersionKind ?
 acceptedTypes 3 []meta/v1.GroupVersionKind list=map:group,version,kind
 verbs 4 []string ! list=set
APIVersionDiscovery
 version 1 string !
 resources 2 []APIResourceDiscovery list=map:resource
 freshness 3 enum = Current|Stale
package apidiscovery/v2beta1
APIGroupDiscovery kind
 metadata 1 meta/v1.ObjectMeta
 versions 2 []APIVersionDiscovery list=map:version
APIGroupDiscoveryList kind
 metadata 1 meta/v1.ListMeta
 items 2 []APIGroupDiscovery !
APIResourceDiscovery
 resource 1 string !
 responseKind 2 meta/v1.GroupVersionKind ?
 scope 3 enum ! = Cluster|Namespaced
 singularResource 4 string !
 verbs 5 []string ! list=set
 shortNames 6 []string list=set
 categories 7 []string list=set
 subresources 8 []APISubresourceDiscovery list=map:subresource
APISubresourceDiscovery
 subresource 1 string !
 responseKind 2 meta/v1.GroupVersionKind ?
 acceptedTypes 3 []meta/v1.GroupVersionKind list=map:group,version,kind
 verbs 4 []string ! list=set
APIVersionDiscovery
 version 1 string !
 resources 2 []APIResourceDiscovery list=map:resource
 freshness 3 enum = Current|Stale
package apiextensions/v1
ConversionRequest
 uid 1 string !
 desiredAPIVersion 2 string !
 objects 3 []RawExtension ! list=atomic
ConversionResponse
 uid 1 string !
 convertedObjects 2 []RawExtension ! list=atomic
 result 3 meta/v1.Status !
ConversionReview kind
 request 1 ConversionRequest ?
 response 2 ConversionResponse ?
CustomResourceColumnDefinition
 name 1 string !
 type 2 string !
 format 3 string
 description 4 string
 priority 5 int32
 jsonPath 6 string !
CustomResourceConversion
 strategy 1 enum ! = None|Webhook
 webhook 2 WebhookConversion ?
CustomResourceDefinition kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CustomResourceDefinitionSpec !
 status 3 CustomResourceDefinitionStatus
CustomResourceDefinitionCondition
 type 1 enum ! = Established|KubernetesAPIApprovalPolicyConformant|NamesAccepted|NonStructuralSchema|Terminating
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
CustomResourceDefinitionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CustomResourceDefinition !
CustomResourceDefinitionNames
 plural 1 string !
 singular 2 string
 shortNames 3 []string list=atomic
 kind 4 string !
 listKind 5 string
 categories 6 []string list=atomic
CustomResourceDefinitionSpec
 group 1 string !
 names 3 CustomResourceDefinitionNames !
 scope 4 enum ! = Cluster|Namespaced
 versions 7 []CustomResourceDefinitionVersion ! list=atomic
 conversion 9 CustomResourceConversion ?
 preserveUnknownFields 10 boolean
CustomResourceDefinitionStatus
 conditions 1 []CustomResourceDefinitionCondition list=map:type
 acceptedNames 2 CustomResourceDefinitionNames
 storedVersions 3 []string list=atomic
CustomResourceDefinitionVersion
 name 1 string !
 served 2 boolean !
 storage 3 boolean !
 deprecated 7 boolean
 deprecationWarning 8 string ?
 schema 4 CustomResourceValidation ?
 subresources 5 CustomResourceSubresources ?
 additionalPrinterColumns 6 []CustomResourceColumnDefinition list=atomic
 selectableFields 9 []SelectableField list=atomic
CustomResourceSubresourceScale
 specReplicasPath 1 string !
 statusReplicasPath 2 string !
 labelSelectorPath 3 string ?
CustomResourceSubresourceStatus
CustomResourceSubresources
 status 1 CustomResourceSubresourceStatus ?
 scale 2 CustomResourceSubresourceScale ?
CustomResourceValidation
 openAPIV3Schema 1 JSONSchemaProps ?
ExternalDocumentation
 description 1 string
 url 2 string
JSON raw
JSONSchemaProps
 id 1 string
 $schema 2 string
 $ref 3 string ?
 description 4 string
 type 5 string
 format 6 string
 title 7 string
 default 8 JSON ?
 maximum 9 double ?
 exclusiveMaximum 10 boolean
 minimum 11 double ?
 exclusiveMinimum 12 boolean
 maxLength 13 int64 ?
 minLength 14 int64 ?
 pattern 15 string
 maxItems 16 int64 ?
 minItems 17 int64 ?
 uniqueItems 18 boolean
 multipleOf 19 double ?
 enum 20 []JSON list=atomic
 maxProperties 21 int64 ?
 minProperties 22 int64 ?
 required 23 []string list=atomic
 items 24 JSONSchemaPropsOrArray ?
 allOf 25 []JSONSchemaProps list=atomic
 oneOf 26 []JSONSchemaProps list=atomic
 anyOf 27 []JSONSchemaProps list=atomic
 not 28 JSONSchemaProps ?
 properties 29 {}JSONSchemaProps
 additionalProperties 30 JSONSchemaPropsOrBool ?
 patternProperties 31 {}JSONSchemaProps
 dependencies 32 {}JSONSchemaPropsOrStringArray
 additionalItems 33 JSONSchemaPropsOrBool ?
 definitions 34 {}JSONSchemaProps
 externalDocs 35 ExternalDocumentation ?
 example 36 JSON ?
 nullable 37 boolean
 x-kubernetes-preserve-unknown-fields 38 boolean ?
 x-kubernetes-embedded-resource 39 boolean
 x-kubernetes-int-or-string 40 boolean
 x-kubernetes-list-map-keys 41 []string list=atomic
 x-kubernetes-list-type 42 string ?
 x-kubernetes-map-type 43 string ?
 x-kubernetes-validations 44 []ValidationRule list=map:rule patch=merge:rule
JSONSchemaPropsOrArray union
 - 1 JSONSchemaProps ! ?
 - 2 []JSONSchemaProps ! list=atomic
JSONSchemaPropsOrBool union
 - 1 boolean !
 - 2 JSONSchemaProps ! ?
JSONSchemaPropsOrStringArray union
 - 1 JSONSchemaProps ! ?
 - 2 []string ! list=atomic
SelectableField
 jsonPath 1 string !
ServiceReference
 namespace 1 string !
 name 2 string !
 path 3 string ?
 port 4 int32 ?
ValidationRule
 rule 1 string !
 message 2 string
 messageExpression 3 string
 reason 4 enum ? = FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired
 fieldPath 5 string
 optionalOldSelf 6 boolean ?
WebhookClientConfig
 url 3 string ?
 service 1 ServiceReference ?
 caBundle 2 bytes
WebhookConversion
 clientConfig 2 WebhookClientConfig ?
 conversionReviewVersions 3 []string ! list=atomic
package apiextensions/v1beta1
ConversionRequest
 uid 1 string !
 desiredAPIVersion 2 string !
 objects 3 []RawExtension ! list=atomic
ConversionResponse
 uid 1 string !
 convertedObjects 2 []RawExtension ! list=atomic
 result 3 meta/v1.Status !
ConversionReview kind
 request 1 ConversionRequest ?
 response 2 ConversionResponse ?
CustomResourceColumnDefinition
 name 1 string !
 type 2 string !
 format 3 string
 description 4 string
 priority 5 int32
 JSONPath 6 string !
CustomResourceConversion
 strategy 1 enum ! = None|Webhook
 webhookClientConfig 2 WebhookClientConfig ?
 conversionReviewVersions 3 []string list=atomic
CustomResourceDefinition kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CustomResourceDefinitionSpec !
 status 3 CustomResourceDefinitionStatus
CustomResourceDefinitionCondition
 type 1 enum ! = Established|KubernetesAPIApprovalPolicyConformant|NamesAccepted|NonStructuralSchema|Terminating
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
CustomResourceDefinitionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CustomResourceDefinition !
CustomResourceDefinitionNames
 plural 1 string !
 singular 2 string
 shortNames 3 []string list=atomic
 kind 4 string !
 listKind 5 string
 categories 6 []string list=atomic
CustomResourceDefinitionSpec
 group 1 string !
 version 2 string
 names 3 CustomResourceDefinitionNames !
 scope 4 enum ! = Cluster|Namespaced
 validation 5 CustomResourceValidation ?
 subresources 6 CustomResourceSubresources ?
 versions 7 []CustomResourceDefinitionVersion list=atomic
 additionalPrinterColumns 8 []CustomResourceColumnDefinition list=atomic
 selectableFields 11 []SelectableField list=atomic
 conversion 9 CustomResourceConversion ?
 preserveUnknownFields 10 boolean ?
CustomResourceDefinitionStatus
 conditions 1 []CustomResourceDefinitionCondition list=map:type
 acceptedNames 2 CustomResourceDefinitionNames
 storedVersions 3 []string list=atomic
CustomResourceDefinitionVersion
 name 1 string !
 served 2 boolean !
 storage 3 boolean !
 deprecated 7 boolean
 deprecationWarning 8 string ?
 schema 4 CustomResourceValidation ?
 subresources 5 CustomResourceSubresources ?
 additionalPrinterColumns 6 []CustomResourceColumnDefinition list=atomic
 selectableFields 9 []SelectableField list=atomic
CustomResourceSubresourceScale
 specReplicasPath 1 string !
 statusReplicasPath 2 string !
 labelSelectorPath 3 string ?
CustomResourceSubresourceStatus
CustomResourceSubresources
 status 1 CustomResourceSubresourceStatus ?
 scale 2 CustomResourceSubresourceScale ?
CustomResourceValidation
 openAPIV3Schema 1 JSONSchemaProps ?
ExternalDocumentation
 description 1 string
 url 2 string
JSON raw
JSONSchemaProps
 id 1 string
 $schema 2 string
 $ref 3 string ?
 description 4 string
 type 5 string
 format 6 string
 title 7 string
 default 8 JSON ?
 maximum 9 double ?
 exclusiveMaximum 10 boolean
 minimum 11 double ?
 exclusiveMinimum 12 boolean
 maxLength 13 int64 ?
 minLength 14 int64 ?
 pattern 15 string
 maxItems 16 int64 ?
 minItems 17 int64 ?
 uniqueItems 18 boolean
 multipleOf 19 double ?
 enum 20 []JSON list=atomic
 maxProperties 21 int64 ?
 minProperties 22 int64 ?
 required 23 []string list=atomic
 items 24 JSONSchemaPropsOrArray ?
 allOf 25 []JSONSchemaProps list=atomic
 oneOf 26 []JSONSchemaProps list=atomic
 anyOf 27 []JSONSchemaProps list=atomic
 not 28 JSONSchemaProps ?
 properties 29 {}JSONSchemaProps
 additionalProperties 30 JSONSchemaPropsOrBool ?
 patternProperties 31 {}JSONSchemaProps
 dependencies 32 {}JSONSchemaPropsOrStringArray
 additionalItems 33 JSONSchemaPropsOrBool ?
 definitions 34 {}JSONSchemaProps
 externalDocs 35 ExternalDocumentation ?
 example 36 JSON ?
 nullable 37 boolean
 x-kubernetes-preserve-unknown-fields 38 boolean ?
 x-kubernetes-embedded-resource 39 boolean
 x-kubernetes-int-or-string 40 boolean
 x-kubernetes-list-map-keys 41 []string list=atomic
 x-kubernetes-list-type 42 string ?
 x-kubernetes-map-type 43 string ?
 x-kubernetes-validations 44 []ValidationRule list=map:rule patch=merge:rule
JSONSchemaPropsOrArray union
 - 1 JSONSchemaProps ! ?
 - 2 []JSONSchemaProps ! list=atomic
JSONSchemaPropsOrBool union
 - 1 boolean !
 - 2 JSONSchemaProps ! ?
JSONSchemaPropsOrStringArray union
 - 1 JSONSchemaProps ! ?
 - 2 []string ! list=atomic
SelectableField
 jsonPath 1 string !
ServiceReference
 namespace 1 string !
 name 2 string !
 path 3 string ?
 port 4 int32 ?
ValidationRule
 rule 1 string !
 message 2 string
 messageExpression 3 string
 reason 4 enum ? = FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired
 fieldPath 5 string
 optionalOldSelf 6 boolean ?
WebhookClientConfig
 url 3 string ?
 service 1 ServiceReference ?
 caBundle 2 bytes
package apiserverinternal/v1alpha1
ServerStorageVersion
 apiServerID 1 string
 encodingVersion 2 string
 decodableVersions 3 []string list=set
 servedVersions 4 []string list=set
StorageVersion kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 StorageVersionSpec !
 status 3 StorageVersionStatus !
StorageVersionCondition
 type 1 enum ! = AllEncodingVersionsEqual
 status 2 enum ! = False|True|Unknown
 observedGeneration 3 int64
 lastTransitionTime 4 Time
 reason 5 string !
 message 6 string !
StorageVersionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StorageVersion !
StorageVersionSpec
StorageVersionStatus
 storageVersions 1 []ServerStorageVersion list=map:apiServerID
 commonEncodingVersion 2 string ?
 conditions 3 []StorageVersionCondition list=map:type
package apps/v1
ControllerRevision kind
 metadata 1 meta/v1.ObjectMeta
 data 2 RawExtension
 revision 3 int64 !
ControllerRevisionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ControllerRevision !
DaemonSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DaemonSetSpec
 status 3 DaemonSetStatus
DaemonSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
DaemonSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DaemonSet !
DaemonSetSpec
 selector 1 meta/v1.LabelSelector ! ?
 template 2 core/v1.PodTemplateSpec !
 updateStrategy 3 DaemonSetUpdateStrategy
 minReadySeconds 4 int32
 revisionHistoryLimit 6 int32 ?
DaemonSetStatus
 currentNumberScheduled 1 int32 !
 numberMisscheduled 2 int32 !
 desiredNumberScheduled 3 int32 !
 numberReady 4 int32 !
 observedGeneration 5 int64
 updatedNumberScheduled 6 int32
 numberAvailable 7 int32
 numberUnavailable 8 int32
 collisionCount 9 int32 ?
 conditions 10 []DaemonSetCondition list=map:type patch=merge:type
DaemonSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateDaemonSet ?
Deployment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeploymentSpec
 status 3 DeploymentStatus
DeploymentCondition
 type 1 enum ! = Available|Progressing|ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastUpdateTime 6 Time
 lastTransitionTime 7 Time
 reason 4 string
 message 5 string
DeploymentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Deployment !
DeploymentSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec !
 strategy 4 DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 int32 ?
 paused 7 boolean
 progressDeadlineSeconds 9 int32 ?
DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 int32 ?
 conditions 6 []DeploymentCondition list=map:type patch=merge:type
 collisionCount 8 int32 ?
DeploymentStrategy
 type 1 enum = Recreate|RollingUpdate
 rollingUpdate 2 RollingUpdateDeployment ?
ReplicaSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ReplicaSetSpec
 status 3 ReplicaSetStatus
ReplicaSetCondition
 type 1 enum ! = ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicaSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ReplicaSet !
ReplicaSetSpec
 replicas 1 int32 ?
 minReadySeconds 4 int32
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec
ReplicaSetStatus
 replicas 1 int32 !
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 terminatingReplicas 7 int32 ?
 observedGeneration 3 int64
 conditions 6 []ReplicaSetCondition list=map:type patch=merge:type
RollingUpdateDaemonSet
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateDeployment
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateStatefulSetStrategy
 partition 1 int32 ?
 maxUnavailable 2 IntOrString ?
StatefulSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 StatefulSetSpec
 status 3 StatefulSetStatus
StatefulSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
StatefulSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StatefulSet !
StatefulSetOrdinals
 start 1 int32 written
StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 enum = Delete|Retain
 whenScaled 2 enum = Delete|Retain
StatefulSetSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec !
 volumeClaimTemplates 4 []core/v1.PersistentVolumeClaim list=atomic
 serviceName 5 string written
 podManagementPolicy 6 enum = OrderedReady|Parallel
 updateStrategy 7 StatefulSetUpdateStrategy
 revisionHistoryLimit 8 int32 ?
 minReadySeconds 9 int32
 persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy ?
 ordinals 11 StatefulSetOrdinals ?
StatefulSetStatus
 observedGeneration 1 int64
 replicas 2 int32 !
 readyReplicas 3 int32
 currentReplicas 4 int32
 updatedReplicas 5 int32
 currentRevision 6 string
 updateRevision 7 string
 collisionCount 9 int32 ?
 conditions 10 []StatefulSetCondition list=map:type patch=merge:type
 availableReplicas 11 int32 written
StatefulSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateStatefulSetStrategy ?
package apps/v1beta1
ControllerRevision kind
 metadata 1 meta/v1.ObjectMeta
 data 2 RawExtension
 revision 3 int64 !
ControllerRevisionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ControllerRevision !
Deployment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeploymentSpec
 status 3 DeploymentStatus
DeploymentCondition
 type 1 enum ! = Available|Progressing|ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastUpdateTime 6 Time
 lastTransitionTime 7 Time
 reason 4 string
 message 5 string
DeploymentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Deployment !
DeploymentRollback kind
 name 1 string !
 updatedAnnotations 2 {}string
 rollbackTo 3 RollbackConfig !
DeploymentSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ?
 template 3 core/v1.PodTemplateSpec !
 strategy 4 DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 int32 ?
 paused 7 boolean
 rollbackTo 8 RollbackConfig ?
 progressDeadlineSeconds 9 int32 ?
DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 int32 ?
 conditions 6 []DeploymentCondition list=map:type patch=merge:type
 collisionCount 8 int32 ?
DeploymentStrategy
 type 1 enum = Recreate|RollingUpdate
 rollingUpdate 2 RollingUpdateDeployment ?
RollbackConfig
 revision 1 int64
RollingUpdateDeployment
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateStatefulSetStrategy
 partition 1 int32 ?
 maxUnavailable 2 IntOrString ?
Scale kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ScaleSpec
 status 3 ScaleStatus
ScaleSpec
 replicas 1 int32
ScaleStatus
 replicas 1 int32 !
 selector 2 {}string
 targetSelector 3 string
StatefulSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 StatefulSetSpec
 status 3 StatefulSetStatus
StatefulSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
StatefulSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StatefulSet !
StatefulSetOrdinals
 start 1 int32 written
StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 enum = Delete|Retain
 whenScaled 2 enum = Delete|Retain
StatefulSetSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ?
 template 3 core/v1.PodTemplateSpec !
 volumeClaimTemplates 4 []core/v1.PersistentVolumeClaim list=atomic
 serviceName 5 string written
 podManagementPolicy 6 enum = OrderedReady|Parallel
 updateStrategy 7 StatefulSetUpdateStrategy
 revisionHistoryLimit 8 int32 ?
 minReadySeconds 9 int32
 persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy ?
 ordinals 11 StatefulSetOrdinals ?
StatefulSetStatus
 observedGeneration 1 int64 ?
 replicas 2 int32 !
 readyReplicas 3 int32
 currentReplicas 4 int32
 updatedReplicas 5 int32
 currentRevision 6 string
 updateRevision 7 string
 collisionCount 9 int32 ?
 conditions 10 []StatefulSetCondition list=map:type patch=merge:type
 availableReplicas 11 int32 written
StatefulSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateStatefulSetStrategy ?
package apps/v1beta2
ControllerRevision kind
 metadata 1 meta/v1.ObjectMeta
 data 2 RawExtension
 revision 3 int64 !
ControllerRevisionList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ControllerRevision !
DaemonSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DaemonSetSpec
 status 3 DaemonSetStatus
DaemonSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
DaemonSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DaemonSet !
DaemonSetSpec
 selector 1 meta/v1.LabelSelector ! ?
 template 2 core/v1.PodTemplateSpec !
 updateStrategy 3 DaemonSetUpdateStrategy
 minReadySeconds 4 int32
 revisionHistoryLimit 6 int32 ?
DaemonSetStatus
 currentNumberScheduled 1 int32 !
 numberMisscheduled 2 int32 !
 desiredNumberScheduled 3 int32 !
 numberReady 4 int32 !
 observedGeneration 5 int64
 updatedNumberScheduled 6 int32
 numberAvailable 7 int32
 numberUnavailable 8 int32
 collisionCount 9 int32 ?
 conditions 10 []DaemonSetCondition list=map:type patch=merge:type
DaemonSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateDaemonSet ?
Deployment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeploymentSpec
 status 3 DeploymentStatus
DeploymentCondition
 type 1 enum ! = Available|Progressing|ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastUpdateTime 6 Time
 lastTransitionTime 7 Time
 reason 4 string
 message 5 string
DeploymentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Deployment !
DeploymentSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec !
 strategy 4 DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 int32 ?
 paused 7 boolean
 progressDeadlineSeconds 9 int32 ?
DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 int32 ?
 conditions 6 []DeploymentCondition list=map:type patch=merge:type
 collisionCount 8 int32 ?
DeploymentStrategy
 type 1 enum = Recreate|RollingUpdate
 rollingUpdate 2 RollingUpdateDeployment ?
ReplicaSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ReplicaSetSpec
 status 3 ReplicaSetStatus
ReplicaSetCondition
 type 1 enum ! = ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicaSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ReplicaSet !
ReplicaSetSpec
 replicas 1 int32 ?
 minReadySeconds 4 int32
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec
ReplicaSetStatus
 replicas 1 int32 !
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 terminatingReplicas 7 int32 ?
 observedGeneration 3 int64
 conditions 6 []ReplicaSetCondition list=map:type patch=merge:type
RollingUpdateDaemonSet
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateDeployment
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateStatefulSetStrategy
 partition 1 int32 ?
 maxUnavailable 2 IntOrString ?
Scale kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ScaleSpec
 status 3 ScaleStatus
ScaleSpec
 replicas 1 int32
ScaleStatus
 replicas 1 int32 !
 selector 2 {}string map=atomic
 targetSelector 3 string
StatefulSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 StatefulSetSpec
 status 3 StatefulSetStatus
StatefulSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
StatefulSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StatefulSet !
StatefulSetOrdinals
 start 1 int32 written
StatefulSetPersistentVolumeClaimRetentionPolicy
 whenDeleted 1 enum = Delete|Retain
 whenScaled 2 enum = Delete|Retain
StatefulSetSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ! ?
 template 3 core/v1.PodTemplateSpec !
 volumeClaimTemplates 4 []core/v1.PersistentVolumeClaim list=atomic
 serviceName 5 string written
 podManagementPolicy 6 enum = OrderedReady|Parallel
 updateStrategy 7 StatefulSetUpdateStrategy
 revisionHistoryLimit 8 int32 ?
 minReadySeconds 9 int32
 persistentVolumeClaimRetentionPolicy 10 StatefulSetPersistentVolumeClaimRetentionPolicy ?
 ordinals 11 StatefulSetOrdinals ?
StatefulSetStatus
 observedGeneration 1 int64
 replicas 2 int32 !
 readyReplicas 3 int32
 currentReplicas 4 int32
 updatedReplicas 5 int32
 currentRevision 6 string
 updateRevision 7 string
 collisionCount 9 int32 ?
 conditions 10 []StatefulSetCondition list=map:type patch=merge:type
 availableReplicas 11 int32 written
StatefulSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateStatefulSetStrategy ?
package authentication/v1
BoundObjectReference
 kind 1 string
 apiVersion 2 string
 name 3 string
 uid 4 string
SelfSubjectReview kind
 metadata 1 meta/v1.ObjectMeta
 status 2 SelfSubjectReviewStatus
SelfSubjectReviewStatus
 userInfo 1 UserInfo
TokenRequest kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 TokenRequestSpec !
 status 3 TokenRequestStatus
TokenRequestSpec
 audiences 1 []string ! list=atomic
 expirationSeconds 4 int64 ?
 boundObjectRef 3 BoundObjectReference ?
TokenRequestStatus
 token 1 string !
 expirationTimestamp 2 Time !
TokenReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 TokenReviewSpec !
 status 3 TokenReviewStatus
TokenReviewSpec
 token 1 string
 audiences 2 []string list=atomic
TokenReviewStatus
 authenticated 1 boolean
 user 2 UserInfo
 audiences 4 []string list=atomic
 error 3 string
UserInfo
 username 1 string
 uid 2 string
 groups 3 []string list=atomic
 extra 4 {}[]string
package authentication/v1alpha1
SelfSubjectReview kind
 metadata 1 meta/v1.ObjectMeta
 status 2 SelfSubjectReviewStatus
SelfSubjectReviewStatus
 userInfo 1 authentication/v1.UserInfo
package authentication/v1beta1
SelfSubjectReview kind
 metadata 1 meta/v1.ObjectMeta
 status 2 SelfSubjectReviewStatus
SelfSubjectReviewStatus
 userInfo 1 authentication/v1.UserInfo
TokenReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 TokenReviewSpec !
 status 3 TokenReviewStatus
TokenReviewSpec
 token 1 string
 audiences 2 []string list=atomic
TokenReviewStatus
 authenticated 1 boolean
 user 2 UserInfo
 audiences 4 []string list=atomic
 error 3 string
UserInfo
 username 1 string
 uid 2 string
 groups 3 []string list=atomic
 extra 4 {}[]string
package authorization/v1
FieldSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta/v1.FieldSelectorRequirement list=atomic
LabelSelectorAttributes
 rawSelector 1 string
 requirements 2 []meta/v1.LabelSelectorRequirement list=atomic
LocalSubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
NonResourceAttributes
 path 1 string
 verb 2 string
NonResourceRule
 verbs 1 []string ! list=atomic
 nonResourceURLs 2 []string list=atomic
ResourceAttributes
 namespace 1 string
 verb 2 string
 group 3 string
 version 4 string
 resource 5 string
 subresource 6 string
 name 7 string
 fieldSelector 8 FieldSelectorAttributes ?
 labelSelector 9 LabelSelectorAttributes ?
ResourceRule
 verbs 1 []string ! list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
SelfSubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SelfSubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec
 resourceAttributes 1 ResourceAttributes ?
 nonResourceAttributes 2 NonResourceAttributes ?
SelfSubjectRulesReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SelfSubjectRulesReviewSpec !
 status 3 SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec
 namespace 1 string
SubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
SubjectAccessReviewSpec
 resourceAttributes 1 ResourceAttributes ?
 nonResourceAttributes 2 NonResourceAttributes ?
 user 3 string
 groups 4 []string list=atomic
 extra 5 {}[]string
 uid 6 string
SubjectAccessReviewStatus
 allowed 1 boolean !
 denied 4 boolean
 reason 2 string
 evaluationError 3 string
SubjectRulesReviewStatus
 resourceRules 1 []ResourceRule ! list=atomic
 nonResourceRules 2 []NonResourceRule ! list=atomic
 incomplete 3 boolean !
 evaluationError 4 string
package authorization/v1beta1
LocalSubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
NonResourceAttributes
 path 1 string
 verb 2 string
NonResourceRule
 verbs 1 []string ! list=atomic
 nonResourceURLs 2 []string list=atomic
ResourceAttributes
 namespace 1 string
 verb 2 string
 group 3 string
 version 4 string
 resource 5 string
 subresource 6 string
 name 7 string
 fieldSelector 8 authorization/v1.FieldSelectorAttributes ?
 labelSelector 9 authorization/v1.LabelSelectorAttributes ?
ResourceRule
 verbs 1 []string ! list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
SelfSubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SelfSubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
SelfSubjectAccessReviewSpec
 resourceAttributes 1 ResourceAttributes ?
 nonResourceAttributes 2 NonResourceAttributes ?
SelfSubjectRulesReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SelfSubjectRulesReviewSpec !
 status 3 SubjectRulesReviewStatus
SelfSubjectRulesReviewSpec
 namespace 1 string
SubjectAccessReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 SubjectAccessReviewSpec !
 status 3 SubjectAccessReviewStatus
SubjectAccessReviewSpec
 resourceAttributes 1 ResourceAttributes ?
 nonResourceAttributes 2 NonResourceAttributes ?
 user 3 string
 group 4 []string list=atomic
 extra 5 {}[]string
 uid 6 string
SubjectAccessReviewStatus
 allowed 1 boolean !
 denied 4 boolean
 reason 2 string
 evaluationError 3 string
SubjectRulesReviewStatus
 resourceRules 1 []ResourceRule ! list=atomic
 nonResourceRules 2 []NonResourceRule ! list=atomic
 incomplete 3 boolean !
 evaluationError 4 string
package autoscaling/v1
ContainerResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 targetAverageUtilization 2 int32 ?
 targetAverageValue 3 Quantity ?
 container 5 string !
ContainerResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 currentAverageUtilization 2 int32 ?
 currentAverageValue 3 Quantity !
 container 4 string !
CrossVersionObjectReference atomic
 kind 1 string !
 name 2 string !
 apiVersion 3 string
ExternalMetricSource
 metricName 1 string !
 metricSelector 2 meta/v1.LabelSelector ?
 targetValue 3 Quantity ?
 targetAverageValue 4 Quantity ?
ExternalMetricStatus
 metricName 1 string !
 metricSelector 2 meta/v1.LabelSelector ?
 currentValue 3 Quantity !
 currentAverageValue 4 Quantity ?
HorizontalPodAutoscaler kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition
 type 1 enum ! = AbleToScale|ScalingActive|ScalingLimited
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
HorizontalPodAutoscalerList kind
 metadata 1 meta/v1.ListMeta
 items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference !
 minReplicas 2 int32 ?
 maxReplicas 3 int32 !
 targetCPUUtilizationPercentage 4 int32 ?
HorizontalPodAutoscalerStatus
 observedGeneration 1 int64 ?
 lastScaleTime 2 Time ?
 currentReplicas 3 int32 !
 desiredReplicas 4 int32 !
 currentCPUUtilizationPercentage 5 int32 ?
MetricSpec
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricSource ?
 pods 3 PodsMetricSource ?
 resource 4 ResourceMetricSource ?
 containerResource 7 ContainerResourceMetricSource ?
 external 5 ExternalMetricSource ?
MetricStatus
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricStatus ?
 pods 3 PodsMetricStatus ?
 resource 4 ResourceMetricStatus ?
 containerResource 7 ContainerResourceMetricStatus ?
 external 5 ExternalMetricStatus ?
ObjectMetricSource
 target 1 CrossVersionObjectReference !
 metricName 2 string !
 targetValue 3 Quantity !
 selector 4 meta/v1.LabelSelector ?
 averageValue 5 Quantity ?
ObjectMetricStatus
 target 1 CrossVersionObjectReference !
 metricName 2 string !
 currentValue 3 Quantity !
 selector 4 meta/v1.LabelSelector ?
 averageValue 5 Quantity ?
PodsMetricSource
 metricName 1 string !
 targetAverageValue 2 Quantity !
 selector 3 meta/v1.LabelSelector ?
PodsMetricStatus
 metricName 1 string !
 currentAverageValue 2 Quantity !
 selector 3 meta/v1.LabelSelector ?
ResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 targetAverageUtilization 2 int32 ?
 targetAverageValue 3 Quantity ?
ResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 currentAverageUtilization 2 int32 ?
 currentAverageValue 3 Quantity !
Scale kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ScaleSpec
 status 3 ScaleStatus
ScaleSpec
 replicas 1 int32
ScaleStatus
 replicas 1 int32 !
 selector 2 string
package autoscaling/v2
ContainerResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 target 2 MetricTarget !
 container 3 string !
ContainerResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 current 2 MetricValueStatus !
 container 3 string !
CrossVersionObjectReference
 kind 1 string !
 name 2 string !
 apiVersion 3 string
ExternalMetricSource
 metric 1 MetricIdentifier !
 target 2 MetricTarget !
ExternalMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
HPAScalingPolicy
 type 1 enum ! = Percent|Pods
 value 2 int32 !
 periodSeconds 3 int32 !
HPAScalingRules
 stabilizationWindowSeconds 3 int32 ?
 selectPolicy 1 enum ? = Disabled|Max|Min
 policies 2 []HPAScalingPolicy written list=atomic
 tolerance 4 Quantity ?
HorizontalPodAutoscaler kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior
 scaleUp 1 HPAScalingRules ?
 scaleDown 2 HPAScalingRules ?
HorizontalPodAutoscalerCondition
 type 1 enum ! = AbleToScale|ScalingActive|ScalingLimited
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
HorizontalPodAutoscalerList kind
 metadata 1 meta/v1.ListMeta
 items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference !
 minReplicas 2 int32 ?
 maxReplicas 3 int32 !
 metrics 4 []MetricSpec list=atomic
 behavior 5 HorizontalPodAutoscalerBehavior ?
HorizontalPodAutoscalerStatus
 observedGeneration 1 int64 ?
 lastScaleTime 2 Time ?
 currentReplicas 3 int32
 desiredReplicas 4 int32 !
 currentMetrics 5 []MetricStatus list=atomic
 conditions 6 []HorizontalPodAutoscalerCondition list=map:type patch=merge:type
MetricIdentifier
 name 1 string !
 selector 2 meta/v1.LabelSelector ?
MetricSpec
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricSource ?
 pods 3 PodsMetricSource ?
 resource 4 ResourceMetricSource ?
 containerResource 7 ContainerResourceMetricSource ?
 external 5 ExternalMetricSource ?
MetricStatus
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricStatus ?
 pods 3 PodsMetricStatus ?
 resource 4 ResourceMetricStatus ?
 containerResource 7 ContainerResourceMetricStatus ?
 external 5 ExternalMetricStatus ?
MetricTarget
 type 1 enum ! = AverageValue|Utilization|Value
 value 2 Quantity ?
 averageValue 3 Quantity ?
 averageUtilization 4 int32 ?
MetricValueStatus
 value 1 Quantity ?
 averageValue 2 Quantity ?
 averageUtilization 3 int32 ?
ObjectMetricSource
 describedObject 1 CrossVersionObjectReference !
 target 2 MetricTarget !
 metric 3 MetricIdentifier !
ObjectMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
 describedObject 3 CrossVersionObjectReference !
PodsMetricSource
 metric 1 MetricIdentifier !
 target 2 MetricTarget !
PodsMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
ResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 target 2 MetricTarget !
ResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 current 2 MetricValueStatus !
package autoscaling/v2beta1
ContainerResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 targetAverageUtilization 2 int32 ?
 targetAverageValue 3 Quantity ?
 container 4 string !
ContainerResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 currentAverageUtilization 2 int32 ?
 currentAverageValue 3 Quantity !
 container 4 string !
CrossVersionObjectReference
 kind 1 string !
 name 2 string !
 apiVersion 3 string
ExternalMetricSource
 metricName 1 string !
 metricSelector 2 meta/v1.LabelSelector ?
 targetValue 3 Quantity ?
 targetAverageValue 4 Quantity ?
ExternalMetricStatus
 metricName 1 string !
 metricSelector 2 meta/v1.LabelSelector ?
 currentValue 3 Quantity !
 currentAverageValue 4 Quantity ?
HorizontalPodAutoscaler kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerCondition
 type 1 enum ! = AbleToScale|ScalingActive|ScalingLimited
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
HorizontalPodAutoscalerList kind
 metadata 1 meta/v1.ListMeta
 items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference !
 minReplicas 2 int32 ?
 maxReplicas 3 int32 !
 metrics 4 []MetricSpec list=atomic
HorizontalPodAutoscalerStatus
 observedGeneration 1 int64 ?
 lastScaleTime 2 Time ?
 currentReplicas 3 int32 !
 desiredReplicas 4 int32 !
 currentMetrics 5 []MetricStatus list=atomic
 conditions 6 []HorizontalPodAutoscalerCondition list=atomic
MetricSpec
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricSource ?
 pods 3 PodsMetricSource ?
 resource 4 ResourceMetricSource ?
 containerResource 7 ContainerResourceMetricSource ?
 external 5 ExternalMetricSource ?
MetricStatus
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricStatus ?
 pods 3 PodsMetricStatus ?
 resource 4 ResourceMetricStatus ?
 containerResource 7 ContainerResourceMetricStatus ?
 external 5 ExternalMetricStatus ?
ObjectMetricSource
 target 1 CrossVersionObjectReference !
 metricName 2 string !
 targetValue 3 Quantity !
 selector 4 meta/v1.LabelSelector ?
 averageValue 5 Quantity ?
ObjectMetricStatus
 target 1 CrossVersionObjectReference !
 metricName 2 string !
 currentValue 3 Quantity !
 selector 4 meta/v1.LabelSelector ?
 averageValue 5 Quantity ?
PodsMetricSource
 metricName 1 string !
 targetAverageValue 2 Quantity !
 selector 3 meta/v1.LabelSelector ?
PodsMetricStatus
 metricName 1 string !
 currentAverageValue 2 Quantity !
 selector 3 meta/v1.LabelSelector ?
ResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 targetAverageUtilization 2 int32 ?
 targetAverageValue 3 Quantity ?
ResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 currentAverageUtilization 2 int32 ?
 currentAverageValue 3 Quantity !
package autoscaling/v2beta2
ContainerResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 target 2 MetricTarget !
 container 3 string !
ContainerResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 current 2 MetricValueStatus !
 container 3 string !
CrossVersionObjectReference
 kind 1 string !
 name 2 string !
 apiVersion 3 string
ExternalMetricSource
 metric 1 MetricIdentifier !
 target 2 MetricTarget !
ExternalMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
HPAScalingPolicy
 type 1 enum ! = Percent|Pods
 value 2 int32 !
 periodSeconds 3 int32 !
HPAScalingRules
 stabilizationWindowSeconds 3 int32 ?
 selectPolicy 1 enum ? = Disabled|Max|Min
 policies 2 []HPAScalingPolicy written list=atomic
HorizontalPodAutoscaler kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 HorizontalPodAutoscalerSpec
 status 3 HorizontalPodAutoscalerStatus
HorizontalPodAutoscalerBehavior
 scaleUp 1 HPAScalingRules ?
 scaleDown 2 HPAScalingRules ?
HorizontalPodAutoscalerCondition
 type 1 enum ! = AbleToScale|ScalingActive|ScalingLimited
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
HorizontalPodAutoscalerList kind
 metadata 1 meta/v1.ListMeta
 items 2 []HorizontalPodAutoscaler !
HorizontalPodAutoscalerSpec
 scaleTargetRef 1 CrossVersionObjectReference !
 minReplicas 2 int32 ?
 maxReplicas 3 int32 !
 metrics 4 []MetricSpec list=atomic
 behavior 5 HorizontalPodAutoscalerBehavior ?
HorizontalPodAutoscalerStatus
 observedGeneration 1 int64 ?
 lastScaleTime 2 Time ?
 currentReplicas 3 int32 !
 desiredReplicas 4 int32 !
 currentMetrics 5 []MetricStatus list=atomic
 conditions 6 []HorizontalPodAutoscalerCondition list=atomic
MetricIdentifier
 name 1 string !
 selector 2 meta/v1.LabelSelector ?
MetricSpec
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricSource ?
 pods 3 PodsMetricSource ?
 resource 4 ResourceMetricSource ?
 containerResource 7 ContainerResourceMetricSource ?
 external 5 ExternalMetricSource ?
MetricStatus
 type 1 enum ! = ContainerResource|External|Object|Pods|Resource
 object 2 ObjectMetricStatus ?
 pods 3 PodsMetricStatus ?
 resource 4 ResourceMetricStatus ?
 containerResource 7 ContainerResourceMetricStatus ?
 external 5 ExternalMetricStatus ?
MetricTarget
 type 1 enum ! = AverageValue|Utilization|Value
 value 2 Quantity ?
 averageValue 3 Quantity ?
 averageUtilization 4 int32 ?
MetricValueStatus
 value 1 Quantity ?
 averageValue 2 Quantity ?
 averageUtilization 3 int32 ?
ObjectMetricSource
 describedObject 1 CrossVersionObjectReference !
 target 2 MetricTarget !
 metric 3 MetricIdentifier !
ObjectMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
 describedObject 3 CrossVersionObjectReference !
PodsMetricSource
 metric 1 MetricIdentifier !
 target 2 MetricTarget !
PodsMetricStatus
 metric 1 MetricIdentifier !
 current 2 MetricValueStatus !
ResourceMetricSource
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 target 2 MetricTarget !
ResourceMetricStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 current 2 MetricValueStatus !
package batch/v1
CronJob kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CronJobSpec
 status 3 CronJobStatus
CronJobList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CronJob !
CronJobSpec
 schedule 1 string !
 timeZone 8 string ?
 startingDeadlineSeconds 2 int64 ?
 concurrencyPolicy 3 enum = Allow|Forbid|Replace
 suspend 4 boolean ?
 jobTemplate 5 JobTemplateSpec !
 successfulJobsHistoryLimit 6 int32 ?
 failedJobsHistoryLimit 7 int32 ?
CronJobStatus
 active 1 []core/v1.ObjectReference list=atomic
 lastScheduleTime 4 Time ?
 lastSuccessfulTime 5 Time ?
Job kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 JobSpec
 status 3 JobStatus
JobCondition
 type 1 enum ! = Complete|Failed|FailureTarget|SuccessCriteriaMet|Suspended
 status 2 enum ! = False|True|Unknown
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
JobList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Job !
JobSpec
 parallelism 1 int32 ?
 completions 2 int32 ?
 activeDeadlineSeconds 3 int64 ?
 podFailurePolicy 11 PodFailurePolicy ?
 successPolicy 16 SuccessPolicy ?
 backoffLimit 7 int32 ?
 backoffLimitPerIndex 12 int32 ?
 maxFailedIndexes 13 int32 ?
 selector 4 meta/v1.LabelSelector ?
 manualSelector 5 boolean ?
 template 6 core/v1.PodTemplateSpec !
 ttlSecondsAfterFinished 8 int32 ?
 completionMode 9 enum ? = Indexed|NonIndexed
 suspend 10 boolean ?
 podReplacementPolicy 14 enum ? = Failed|TerminatingOrFailed
 managedBy 15 string ?
JobStatus
 conditions 1 []JobCondition list=atomic patch=merge:type
 startTime 2 Time ?
 completionTime 3 Time ?
 active 4 int32
 succeeded 5 int32
 failed 6 int32
 terminating 11 int32 ?
 completedIndexes 7 string
 failedIndexes 10 string ?
 uncountedTerminatedPods 8 UncountedTerminatedPods ?
 ready 9 int32 ?
JobTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 JobSpec
PodFailurePolicy
 rules 1 []PodFailurePolicyRule ! list=atomic
PodFailurePolicyOnExitCodesRequirement
 containerName 1 string ?
 operator 2 enum ! = In|NotIn
 values 3 []int32 ! list=set
PodFailurePolicyOnPodConditionsPattern
 type 1 enum ! = ContainersReady|DisruptionTarget|Initialized|PodReadyToStartContainers|PodResizeInProgress|PodResizePending|PodScheduled|Ready
 status 2 enum ! = False|True|Unknown
PodFailurePolicyRule
 action 1 enum ! = Count|FailIndex|FailJob|Ignore
 onExitCodes 2 PodFailurePolicyOnExitCodesRequirement ?
 onPodConditions 3 []PodFailurePolicyOnPodConditionsPattern list=atomic
SuccessPolicy
 rules 1 []SuccessPolicyRule ! list=atomic
SuccessPolicyRule
 succeededIndexes 1 string ?
 succeededCount 2 int32 ?
UncountedTerminatedPods
 succeeded 1 []string list=set
 failed 2 []string list=set
package batch/v1beta1
CronJob kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CronJobSpec
 status 3 CronJobStatus
CronJobList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CronJob !
CronJobSpec
 schedule 1 string !
 timeZone 8 string ?
 startingDeadlineSeconds 2 int64 ?
 concurrencyPolicy 3 enum = Allow|Forbid|Replace
 suspend 4 boolean ?
 jobTemplate 5 JobTemplateSpec !
 successfulJobsHistoryLimit 6 int32 ?
 failedJobsHistoryLimit 7 int32 ?
CronJobStatus
 active 1 []core/v1.ObjectReference list=atomic
 lastScheduleTime 4 Time ?
 lastSuccessfulTime 5 Time ?
JobTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 batch/v1.JobSpec
package certificates/v1
CertificateSigningRequest kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CertificateSigningRequestSpec !
 status 3 CertificateSigningRequestStatus
CertificateSigningRequestCondition
 type 1 enum ! = Approved|Denied|Failed
 status 6 enum ! = False|True|Unknown
 reason 2 string
 message 3 string
 lastUpdateTime 4 Time
 lastTransitionTime 5 Time
CertificateSigningRequestList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CertificateSigningRequest !
CertificateSigningRequestSpec
 request 1 bytes ! list=atomic
 signerName 7 string !
 expirationSeconds 8 int32 ?
 usages 5 []enum list=atomic = any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping
 username 2 string
 uid 3 string
 groups 4 []string list=atomic
 extra 6 {}[]string
CertificateSigningRequestStatus
 conditions 1 []CertificateSigningRequestCondition list=map:type
 certificate 2 bytes list=atomic
package certificates/v1alpha1
ClusterTrustBundle kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ClusterTrustBundleSpec !
ClusterTrustBundleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterTrustBundle !
ClusterTrustBundleSpec
 signerName 1 string
 trustBundle 2 string !
package certificates/v1beta1
CertificateSigningRequest kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CertificateSigningRequestSpec !
 status 3 CertificateSigningRequestStatus
CertificateSigningRequestCondition
 type 1 enum ! = Approved|Denied|Failed
 status 6 enum = False|True|Unknown
 reason 2 string
 message 3 string
 lastUpdateTime 4 Time
 lastTransitionTime 5 Time
CertificateSigningRequestList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CertificateSigningRequest !
CertificateSigningRequestSpec
 request 1 bytes ! list=atomic
 signerName 7 string ?
 expirationSeconds 8 int32 ?
 usages 5 []enum list=atomic = any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server auth|signing|timestamping
 username 2 string
 uid 3 string
 groups 4 []string list=atomic
 extra 6 {}[]string
CertificateSigningRequestStatus
 conditions 1 []CertificateSigningRequestCondition list=map:type
 certificate 2 bytes list=atomic
ClusterTrustBundle kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ClusterTrustBundleSpec !
ClusterTrustBundleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterTrustBundle !
ClusterTrustBundleSpec
 signerName 1 string
 trustBundle 2 string !
package coordination/v1
Lease kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LeaseSpec
LeaseList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Lease !
LeaseSpec
 holderIdentity 1 string ?
 leaseDurationSeconds 2 int32 ?
 acquireTime 3 MicroTime ?
 renewTime 4 MicroTime ?
 leaseTransitions 5 int32 ?
 strategy 6 enum ? = OldestEmulationVersion
 preferredHolder 7 string ?
package coordination/v1alpha2
LeaseCandidate kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LeaseCandidateSpec
LeaseCandidateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []LeaseCandidate !
LeaseCandidateSpec
 leaseName 1 string !
 pingTime 2 MicroTime ?
 renewTime 3 MicroTime ?
 binaryVersion 4 string !
 emulationVersion 5 string
 strategy 6 enum ! = OldestEmulationVersion
package coordination/v1beta1
Lease kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LeaseSpec
LeaseCandidate kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LeaseCandidateSpec
LeaseCandidateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []LeaseCandidate !
LeaseCandidateSpec
 leaseName 1 string !
 pingTime 2 MicroTime ?
 renewTime 3 MicroTime ?
 binaryVersion 4 string !
 emulationVersion 5 string
 strategy 6 enum ! = OldestEmulationVersion
LeaseList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Lease !
LeaseSpec
 holderIdentity 1 string ?
 leaseDurationSeconds 2 int32 ?
 acquireTime 3 MicroTime ?
 renewTime 4 MicroTime ?
 leaseTransitions 5 int32 ?
 strategy 6 enum ? = OldestEmulationVersion
 preferredHolder 7 string ?
package core/v1
AWSElasticBlockStoreVolumeSource
 volumeID 1 string !
 fsType 2 string
 partition 3 int32
 readOnly 4 boolean
Affinity
 nodeAffinity 1 NodeAffinity ?
 podAffinity 2 PodAffinity ?
 podAntiAffinity 3 PodAntiAffinity ?
AppArmorProfile
 type 1 enum ! = Localhost|RuntimeDefault|Unconfined
 localhostProfile 2 string ?
AttachedVolume
 name 1 string !
 devicePath 2 string !
AvoidPods
 preferAvoidPods 1 []PreferAvoidPodsEntry list=atomic
AzureDiskVolumeSource
 diskName 1 string !
 diskURI 2 string !
 cachingMode 3 enum ? default=ref(AzureDataDiskCachingReadWrite) = None|ReadOnly|ReadWrite
 fsType 4 string ? default="ext4"
 readOnly 5 boolean ? default=false
 kind 6 enum ? default=ref(AzureSharedBlobDisk) = Dedicated|Managed|Shared
AzureFilePersistentVolumeSource
 secretName 1 string !
 shareName 2 string !
 readOnly 3 boolean
 secretNamespace 4 string ?
AzureFileVolumeSource
 secretName 1 string !
 shareName 2 string !
 readOnly 3 boolean
Binding kind
 metadata 1 meta/v1.ObjectMeta
 target 2 ObjectReference !
CSIPersistentVolumeSource
 driver 1 string !
 volumeHandle 2 string !
 readOnly 3 boolean
 fsType 4 string
 volumeAttributes 5 {}string
 controllerPublishSecretRef 6 SecretReference ?
 nodeStageSecretRef 7 SecretReference ?
 nodePublishSecretRef 8 SecretReference ?
 controllerExpandSecretRef 9 SecretReference ?
 nodeExpandSecretRef 10 SecretReference ?
CSIVolumeSource
 driver 1 string !
 readOnly 2 boolean ?
 fsType 3 string ?
 volumeAttributes 4 {}string
 nodePublishSecretRef 5 LocalObjectReference ?
Capabilities
 add 1 []string list=atomic
 drop 2 []string list=atomic
CephFSPersistentVolumeSource
 monitors 1 []string ! list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 SecretReference ?
 readOnly 6 boolean
CephFSVolumeSource
 monitors 1 []string ! list=atomic
 path 2 string
 user 3 string
 secretFile 4 string
 secretRef 5 LocalObjectReference ?
 readOnly 6 boolean
CinderPersistentVolumeSource
 volumeID 1 string !
 fsType 2 string
 readOnly 3 boolean
 secretRef 4 SecretReference ?
CinderVolumeSource
 volumeID 1 string !
 fsType 2 string
 readOnly 3 boolean
 secretRef 4 LocalObjectReference ?
ClientIPConfig
 timeoutSeconds 1 int32 ?
ClusterTrustBundleProjection
 name 1 string ?
 signerName 2 string ?
 labelSelector 3 meta/v1.LabelSelector ?
 optional 5 boolean ?
 path 4 string !
ComponentCondition
 type 1 enum ! = Healthy
 status 2 enum ! = False|True|Unknown
 message 3 string
 error 4 string
ComponentStatus kind
 metadata 1 meta/v1.ObjectMeta
 conditions 2 []ComponentCondition list=map:type patch=merge:type
ComponentStatusList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ComponentStatus !
ConfigMap kind
 metadata 1 meta/v1.ObjectMeta
 immutable 4 boolean ?
 data 2 {}string
 binaryData 3 {}bytes
ConfigMapEnvSource
 - 1 LocalObjectReference
 optional 2 boolean ?
ConfigMapKeySelector atomic
 - 1 LocalObjectReference
 key 2 string !
 optional 3 boolean ?
ConfigMapList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ConfigMap !
ConfigMapNodeConfigSource
 namespace 1 string !
 name 2 string !
 uid 3 string
 resourceVersion 4 string
 kubeletConfigKey 5 string !
ConfigMapProjection
 - 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 optional 4 boolean ?
ConfigMapVolumeSource
 - 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 defaultMode 3 int32 ?
 optional 4 boolean ?
Container
 name 1 string !
 image 2 string
 command 3 []string list=atomic
 args 4 []string list=atomic
 workingDir 5 string
 ports 6 []ContainerPort list=map:containerPort,protocol patch=merge:containerPort
 envFrom 19 []EnvFromSource list=atomic
 env 7 []EnvVar list=map:name patch=merge:name
 resources 8 ResourceRequirements
 resizePolicy 23 []ContainerResizePolicy list=atomic
 restartPolicy 24 enum ? = Always
 volumeMounts 9 []VolumeMount list=map:mountPath patch=merge:mountPath
 volumeDevices 21 []VolumeDevice list=map:devicePath patch=merge:devicePath
 livenessProbe 10 Probe ?
 readinessProbe 11 Probe ?
 startupProbe 22 Probe ?
 lifecycle 12 Lifecycle ?
 terminationMessagePath 13 string
 terminationMessagePolicy 20 enum = FallbackToLogsOnError|File
 imagePullPolicy 14 enum = Always|IfNotPresent|Never
 securityContext 15 SecurityContext ?
 stdin 16 boolean
 stdinOnce 17 boolean
 tty 18 boolean
ContainerImage
 names 1 []string list=atomic
 sizeBytes 2 int64
ContainerPort
 name 1 string
 hostPort 2 int32
 containerPort 3 int32 !
 protocol 4 enum default="TCP" = SCTP|TCP|UDP
 hostIP 5 string
ContainerResizePolicy
 resourceName 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 restartPolicy 2 enum ! = NotRequired|RestartContainer
ContainerState
 waiting 1 ContainerStateWaiting ?
 running 2 ContainerStateRunning ?
 terminated 3 ContainerStateTerminated ?
ContainerStateRunning
 startedAt 1 Time
ContainerStateTerminated
 exitCode 1 int32 !
 signal 2 int32
 reason 3 string
 message 4 string
 startedAt 5 Time
 finishedAt 6 Time
 containerID 7 string
ContainerStateWaiting
 reason 1 string
 message 2 string
ContainerStatus
 name 1 string !
 state 2 ContainerState
 lastState 3 ContainerState
 ready 4 boolean !
 restartCount 5 int32 !
 image 6 string !
 imageID 7 string !
 containerID 8 string
 started 9 boolean ?
 allocatedResources 10 {}Quantity
 resources 11 ResourceRequirements ?
 volumeMounts 12 []VolumeMountStatus list=map:mountPath patch=merge:mountPath
 user 13 ContainerUser ?
 allocatedResourcesStatus 14 []ResourceStatus list=map:name patch=merge:name
 stopSignal 15 enum ? = SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ
ContainerUser
 linux 1 LinuxContainerUser ?
DaemonEndpoint
 Port 1 int32 !
DownwardAPIProjection
 items 1 []DownwardAPIVolumeFile list=atomic
DownwardAPIVolumeFile
 path 1 string !
 fieldRef 2 ObjectFieldSelector ?
 resourceFieldRef 3 ResourceFieldSelector ?
 mode 4 int32 ?
DownwardAPIVolumeSource
 items 1 []DownwardAPIVolumeFile list=atomic
 defaultMode 2 int32 ?
EmptyDirVolumeSource
 medium 1 enum = |HugePages|HugePages-|Memory
 sizeLimit 2 Quantity ?
EndpointAddress atomic
 ip 1 string !
 hostname 3 string
 nodeName 4 string ?
 targetRef 2 ObjectReference ?
EndpointPort atomic
 name 1 string
 port 2 int32 !
 protocol 3 enum = SCTP|TCP|UDP
 appProtocol 4 string ?
EndpointSubset
 addresses 1 []EndpointAddress list=atomic
 notReadyAddresses 2 []EndpointAddress list=atomic
 ports 3 []EndpointPort list=atomic
Endpoints kind
 metadata 1 meta/v1.ObjectMeta
 subsets 2 []EndpointSubset list=atomic
EndpointsList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Endpoints !
EnvFromSource
 prefix 1 string
 configMapRef 2 ConfigMapEnvSource ?
 secretRef 3 SecretEnvSource ?
EnvVar
 name 1 string !
 value 2 string
 valueFrom 3 EnvVarSource ?
EnvVarSource
 fieldRef 1 ObjectFieldSelector ?
 resourceFieldRef 2 ResourceFieldSelector ?
 configMapKeyRef 3 ConfigMapKeySelector ?
 secretKeyRef 4 SecretKeySelector ?
EphemeralContainer
 - 1 EphemeralContainerCommon
 targetContainerName 2 string
EphemeralContainerCommon
 name 1 string !
 image 2 string
 command 3 []string list=atomic
 args 4 []string list=atomic
 workingDir 5 string
 ports 6 []ContainerPort list=map:containerPort,protocol patch=merge:containerPort
 envFrom 19 []EnvFromSource list=atomic
 env 7 []EnvVar list=map:name patch=merge:name
 resources 8 ResourceRequirements
 resizePolicy 23 []ContainerResizePolicy list=atomic
 restartPolicy 24 enum ? = Always
 volumeMounts 9 []VolumeMount list=map:mountPath patch=merge:mountPath
 volumeDevices 21 []VolumeDevice list=map:devicePath patch=merge:devicePath
 livenessProbe 10 Probe ?
 readinessProbe 11 Probe ?
 startupProbe 22 Probe ?
 lifecycle 12 Lifecycle ?
 terminationMessagePath 13 string
 terminationMessagePolicy 20 enum = FallbackToLogsOnError|File
 imagePullPolicy 14 enum = Always|IfNotPresent|Never
 securityContext 15 SecurityContext ?
 stdin 16 boolean
 stdinOnce 17 boolean
 tty 18 boolean
EphemeralVolumeSource
 volumeClaimTemplate 1 PersistentVolumeClaimTemplate ?
Event kind
 metadata 1 meta/v1.ObjectMeta !
 involvedObject 2 ObjectReference !
 reason 3 string
 message 4 string
 source 5 EventSource
 firstTimestamp 6 Time
 lastTimestamp 7 Time
 count 8 int32
 type 9 string
 eventTime 10 MicroTime
 series 11 EventSeries ?
 action 12 string
 related 13 ObjectReference ?
 reportingComponent 14 string written
 reportingInstance 15 string written
EventList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Event !
EventSeries
 count 1 int32
 lastObservedTime 2 MicroTime
EventSource
 component 1 string
 host 2 string
ExecAction
 command 1 []string list=atomic
FCVolumeSource
 targetWWNs 1 []string list=atomic
 lun 2 int32 ?
 fsType 3 string
 readOnly 4 boolean
 wwids 5 []string list=atomic
FlexPersistentVolumeSource
 driver 1 string !
 fsType 2 string
 secretRef 3 SecretReference ?
 readOnly 4 boolean
 options 5 {}string
FlexVolumeSource
 driver 1 string !
 fsType 2 string
 secretRef 3 LocalObjectReference ?
 readOnly 4 boolean
 options 5 {}string
FlockerVolumeSource
 datasetName 1 string
 datasetUUID 2 string
GCEPersistentDiskVolumeSource
 pdName 1 string !
 fsType 2 string
 partition 3 int32
 readOnly 4 boolean
GRPCAction
 port 1 int32 !
 service 2 string ? default=""
GitRepoVolumeSource
 repository 1 string !
 revision 2 string
 directory 3 string
GlusterfsPersistentVolumeSource
 endpoints 1 string !
 path 2 string !
 readOnly 3 boolean
 endpointsNamespace 4 string ?
GlusterfsVolumeSource
 endpoints 1 string !
 path 2 string !
 readOnly 3 boolean
HTTPGetAction
 path 1 string
 port 2 IntOrString !
 host 3 string
 scheme 4 enum = HTTP|HTTPS
 httpHeaders 5 []HTTPHeader list=atomic
HTTPHeader
 name 1 string !
 value 2 string !
HostAlias
 ip 1 string !
 hostnames 2 []string list=atomic
HostIP
 ip 1 string !
HostPathVolumeSource
 path 1 string !
 type 2 enum ? = |BlockDevice|CharDevice|Directory|DirectoryOrCreate|File|FileOrCreate|Socket
ISCSIPersistentVolumeSource
 targetPortal 1 string !
 iqn 2 string !
 lun 3 int32 !
 iscsiInterface 4 string default="default"
 fsType 5 string
 readOnly 6 boolean
 portals 7 []string list=atomic
 chapAuthDiscovery 8 boolean
 chapAuthSession 11 boolean
 secretRef 10 SecretReference ?
 initiatorName 12 string ?
ISCSIVolumeSource
 targetPortal 1 string !
 iqn 2 string !
 lun 3 int32 !
 iscsiInterface 4 string default="default"
 fsType 5 string
 readOnly 6 boolean
 portals 7 []string list=atomic
 chapAuthDiscovery 8 boolean
 chapAuthSession 11 boolean
 secretRef 10 LocalObjectReference ?
 initiatorName 12 string ?
ImageVolumeSource
 reference 1 string
 pullPolicy 2 enum = Always|IfNotPresent|Never
KeyToPath
 key 1 string !
 path 2 string !
 mode 3 int32 ?
Lifecycle
 postStart 1 LifecycleHandler ?
 preStop 2 LifecycleHandler ?
 stopSignal 3 enum ? = SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ
LifecycleHandler
 exec 1 ExecAction ?
 httpGet 2 HTTPGetAction ?
 tcpSocket 3 TCPSocketAction ?
 sleep 4 SleepAction ?
LimitRange kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 LimitRangeSpec
LimitRangeItem
 type 1 enum ! = Container|PersistentVolumeClaim|Pod
 max 2 {}Quantity
 min 3 {}Quantity
 default 4 {}Quantity
 defaultRequest 5 {}Quantity
 maxLimitRequestRatio 6 {}Quantity
LimitRangeList kind
 metadata 1 meta/v1.ListMeta
 items 2 []LimitRange !
LimitRangeSpec
 limits 1 []LimitRangeItem ! list=atomic
LinuxContainerUser
 uid 1 int64 !
 gid 2 int64 !
 supplementalGroups 3 []int64 list=atomic
LoadBalancerIngress
 ip 1 string
 hostname 2 string
 ipMode 3 enum ? = Proxy|VIP
 ports 4 []PortStatus list=atomic
LoadBalancerStatus
 ingress 1 []LoadBalancerIngress list=atomic
LocalObjectReference atomic
 name 1 string default=""
LocalVolumeSource
 path 1 string !
 fsType 2 string ?
ModifyVolumeStatus
 targetVolumeAttributesClassName 1 string
 status 2 enum ! = InProgress|Infeasible|Pending
NFSVolumeSource
 server 1 string !
 path 2 string !
 readOnly 3 boolean
Namespace kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 NamespaceSpec
 status 3 NamespaceStatus
NamespaceCondition
 type 1 enum ! = NamespaceContentRemaining|NamespaceDeletionContentFailure|NamespaceDeletionDiscoveryFailure|NamespaceDeletionGroupVersionParsingFailure|NamespaceFinalizersRemaining
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
NamespaceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Namespace !
NamespaceSpec
 finalizers 1 []enum list=atomic = kubernetes
NamespaceStatus
 phase 1 enum = Active|Terminating
 conditions 2 []NamespaceCondition list=map:type patch=merge:type
Node kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 NodeSpec
 status 3 NodeStatus
NodeAddress
 type 1 enum ! = ExternalDNS|ExternalIP|Hostname|InternalDNS|InternalIP
 address 2 string !
NodeAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 NodeSelector ?
 preferredDuringSchedulingIgnoredDuringExecution 2 []PreferredSchedulingTerm list=atomic
NodeCondition
 type 1 enum ! = DiskPressure|MemoryPressure|NetworkUnavailable|PIDPressure|Ready
 status 2 enum ! = False|True|Unknown
 lastHeartbeatTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
NodeConfigSource
 configMap 2 ConfigMapNodeConfigSource ?
NodeConfigStatus
 assigned 1 NodeConfigSource ?
 active 2 NodeConfigSource ?
 lastKnownGood 3 NodeConfigSource ?
 error 4 string
NodeDaemonEndpoints
 kubeletEndpoint 1 DaemonEndpoint
NodeFeatures
 supplementalGroupsPolicy 1 boolean ?
NodeList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Node !
NodeProxyOptions kind
 path 1 string
NodeRuntimeHandler
 name 1 string written
 features 2 NodeRuntimeHandlerFeatures ?
NodeRuntimeHandlerFeatures
 recursiveReadOnlyMounts 1 boolean ?
 userNamespaces 2 boolean ?
NodeSelector atomic
 nodeSelectorTerms 1 []NodeSelectorTerm ! list=atomic
NodeSelectorRequirement
 key 1 string !
 operator 2 enum ! = DoesNotExist|Exists|Gt|In|Lt|NotIn
 values 3 []string list=atomic
NodeSelectorTerm atomic
 matchExpressions 1 []NodeSelectorRequirement list=atomic
 matchFields 2 []NodeSelectorRequirement list=atomic
NodeSpec
 podCIDR 1 string
 podCIDRs 7 []string list=set patch=merge
 providerID 3 string
 unschedulable 4 boolean
 taints 5 []Taint list=atomic
 configSource 6 NodeConfigSource ?
 externalID 2 string
NodeStatus
 capacity 1 {}Quantity
 allocatable 2 {}Quantity
 phase 3 enum = Pending|Running|Terminated
 conditions 4 []NodeCondition list=map:type patch=merge:type
 addresses 5 []NodeAddress list=map:type patch=merge:type
 daemonEndpoints 6 NodeDaemonEndpoints
 nodeInfo 7 NodeSystemInfo
 images 8 []ContainerImage list=atomic
 volumesInUse 9 []string list=atomic
 volumesAttached 10 []AttachedVolume list=atomic
 config 11 NodeConfigStatus ?
 runtimeHandlers 12 []NodeRuntimeHandler list=atomic
 features 13 NodeFeatures ?
NodeSwapStatus
 capacity 1 int64 ?
NodeSystemInfo
 machineID 1 string !
 systemUUID 2 string !
 bootID 3 string !
 kernelVersion 4 string !
 osImage 5 string !
 containerRuntimeVersion 6 string !
 kubeletVersion 7 string !
 kubeProxyVersion 8 string !
 operatingSystem 9 string !
 architecture 10 string !
 swap 11 NodeSwapStatus ?
ObjectFieldSelector atomic
 apiVersion 1 string
 fieldPath 2 string !
ObjectReference atomic
 kind 1 string
 namespace 2 string
 name 3 string
 uid 4 string
 apiVersion 5 string
 resourceVersion 6 string
 fieldPath 7 string
PersistentVolume kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PersistentVolumeSpec
 status 3 PersistentVolumeStatus
PersistentVolumeClaim kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PersistentVolumeClaimSpec
 status 3 PersistentVolumeClaimStatus
PersistentVolumeClaimCondition
 type 1 enum ! = ControllerResizeError|FileSystemResizePending|ModifyVolumeError|ModifyingVolume|NodeResizeError|Resizing
 status 2 enum ! = False|True|Unknown
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
PersistentVolumeClaimList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PersistentVolumeClaim !
PersistentVolumeClaimSpec
 accessModes 1 []enum list=atomic = ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
 selector 4 meta/v1.LabelSelector ?
 resources 2 VolumeResourceRequirements
 volumeName 3 string
 storageClassName 5 string ?
 volumeMode 6 enum ? = Block|Filesystem
 dataSource 7 TypedLocalObjectReference ?
 dataSourceRef 8 TypedObjectReference ?
 volumeAttributesClassName 9 string ?
PersistentVolumeClaimStatus
 phase 1 enum = Bound|Lost|Pending
 accessModes 2 []enum list=atomic = ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
 capacity 3 {}Quantity
 conditions 4 []PersistentVolumeClaimCondition list=map:type patch=merge:type
 allocatedResources 5 {}Quantity
 allocatedResourceStatuses 7 {}enum map=granular = ControllerResizeInProgress|ControllerResizeInfeasible|NodeResizeInProgress|NodeResizeInfeasible|NodeResizePending
 currentVolumeAttributesClassName 8 string ?
 modifyVolumeStatus 9 ModifyVolumeStatus ?
PersistentVolumeClaimTemplate
 metadata 1 meta/v1.ObjectMeta
 spec 2 PersistentVolumeClaimSpec !
PersistentVolumeClaimVolumeSource
 claimName 1 string !
 readOnly 2 boolean
PersistentVolumeList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PersistentVolume !
PersistentVolumeSource
 gcePersistentDisk 1 GCEPersistentDiskVolumeSource ?
 awsElasticBlockStore 2 AWSElasticBlockStoreVolumeSource ?
 hostPath 3 HostPathVolumeSource ?
 glusterfs 4 GlusterfsPersistentVolumeSource ?
 nfs 5 NFSVolumeSource ?
 rbd 6 RBDPersistentVolumeSource ?
 iscsi 7 ISCSIPersistentVolumeSource ?
 cinder 8 CinderPersistentVolumeSource ?
 cephfs 9 CephFSPersistentVolumeSource ?
 fc 10 FCVolumeSource ?
 flocker 11 FlockerVolumeSource ?
 flexVolume 12 FlexPersistentVolumeSource ?
 azureFile 13 AzureFilePersistentVolumeSource ?
 vsphereVolume 14 VsphereVirtualDiskVolumeSource ?
 quobyte 15 QuobyteVolumeSource ?
 azureDisk 16 AzureDiskVolumeSource ?
 photonPersistentDisk 17 PhotonPersistentDiskVolumeSource ?
 portworxVolume 18 PortworxVolumeSource ?
 scaleIO 19 ScaleIOPersistentVolumeSource ?
 local 20 LocalVolumeSource ?
 storageos 21 StorageOSPersistentVolumeSource ?
 csi 22 CSIPersistentVolumeSource ?
PersistentVolumeSpec
 capacity 1 {}Quantity
 - 2 PersistentVolumeSource
 accessModes 3 []enum list=atomic = ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod
 claimRef 4 ObjectReference ? struct=granular
 persistentVolumeReclaimPolicy 5 enum = Delete|Recycle|Retain
 storageClassName 6 string
 mountOptions 7 []string list=atomic
 volumeMode 8 enum ? = Block|Filesystem
 nodeAffinity 9 VolumeNodeAffinity ?
 volumeAttributesClassName 10 string ?
PersistentVolumeStatus
 phase 1 enum = Available|Bound|Failed|Pending|Released
 message 2 string
 reason 3 string
 lastPhaseTransitionTime 4 Time ?
PhotonPersistentDiskVolumeSource
 pdID 1 string !
 fsType 2 string
Pod kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodSpec
 status 3 PodStatus
PodAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic
PodAffinityTerm
 labelSelector 1 meta/v1.LabelSelector ?
 namespaces 2 []string list=atomic
 topologyKey 3 string !
 namespaceSelector 4 meta/v1.LabelSelector ?
 matchLabelKeys 5 []string list=atomic
 mismatchLabelKeys 6 []string list=atomic
PodAntiAffinity
 requiredDuringSchedulingIgnoredDuringExecution 1 []PodAffinityTerm list=atomic
 preferredDuringSchedulingIgnoredDuringExecution 2 []WeightedPodAffinityTerm list=atomic
PodAttachOptions kind
 stdin 1 boolean
 stdout 2 boolean
 stderr 3 boolean
 tty 4 boolean
 container 5 string
PodCondition
 type 1 enum ! = ContainersReady|DisruptionTarget|Initialized|PodReadyToStartContainers|PodResizeInProgress|PodResizePending|PodScheduled|Ready
 observedGeneration 7 int64
 status 2 enum ! = False|True|Unknown
 lastProbeTime 3 Time
 lastTransitionTime 4 Time
 reason 5 string
 message 6 string
PodDNSConfig
 nameservers 1 []string list=atomic
 searches 2 []string list=atomic
 options 3 []PodDNSConfigOption list=atomic
PodDNSConfigOption
 name 1 string
 value 2 string ?
PodExecOptions kind
 stdin 1 boolean
 stdout 2 boolean
 stderr 3 boolean
 tty 4 boolean
 container 5 string
 command 6 []string ! list=atomic
PodIP
 ip 1 string !
PodList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Pod !
PodLogOptions kind
 container 1 string
 follow 2 boolean
 previous 3 boolean
 sinceSeconds 4 int64 ?
 sinceTime 5 Time ?
 timestamps 6 boolean
 tailLines 7 int64 ?
 limitBytes 8 int64 ?
 insecureSkipTLSVerifyBackend 9 boolean
 stream 10 string ?
PodOS
 name 1 enum ! = linux|windows
PodPortForwardOptions kind
 ports 1 []int32 list=atomic
PodProxyOptions kind
 path 1 string
PodReadinessGate
 conditionType 1 enum ! = ContainersReady|DisruptionTarget|Initialized|PodReadyToStartContainers|PodResizeInProgress|PodResizePending|PodScheduled|Ready
PodResourceClaim
 name 1 string !
 resourceClaimName 3 string ?
 resourceClaimTemplateName 4 string ?
PodResourceClaimStatus
 name 1 string !
 resourceClaimName 2 string ?
PodSchedulingGate
 name 1 string !
PodSecurityContext
 seLinuxOptions 1 SELinuxOptions ?
 windowsOptions 8 WindowsSecurityContextOptions ?
 runAsUser 2 int64 ?
 runAsGroup 6 int64 ?
 runAsNonRoot 3 boolean ?
 supplementalGroups 4 []int64 list=atomic
 supplementalGroupsPolicy 12 enum ? = Merge|Strict
 fsGroup 5 int64 ?
 sysctls 7 []Sysctl list=atomic
 fsGroupChangePolicy 9 enum ? = Always|OnRootMismatch
 seccompProfile 10 SeccompProfile ?
 appArmorProfile 11 AppArmorProfile ?
 seLinuxChangePolicy 13 enum ? = MountOption|Recursive
PodSignature
 podController 1 meta/v1.OwnerReference ?
PodSpec
 volumes 1 []Volume list=map:name patch=merge,retainKeys:name
 initContainers 20 []Container list=map:name patch=merge:name
 containers 2 []Container ! list=map:name patch=merge:name
 ephemeralContainers 34 []EphemeralContainer list=map:name patch=merge:name
 restartPolicy 3 enum = Always|Never|OnFailure
 terminationGracePeriodSeconds 4 int64 ?
 activeDeadlineSeconds 5 int64 ?
 dnsPolicy 6 enum = ClusterFirst|ClusterFirstWithHostNet|Default|None
 nodeSelector 7 {}string map=atomic
 serviceAccountName 8 string
 serviceAccount 9 string
 automountServiceAccountToken 21 boolean ?
 nodeName 10 string
 hostNetwork 11 boolean
 hostPID 12 boolean
 hostIPC 13 boolean
 shareProcessNamespace 27 boolean ?
 securityContext 14 PodSecurityContext ?
 imagePullSecrets 15 []LocalObjectReference list=map:name patch=merge:name
 hostname 16 string
 subdomain 17 string
 affinity 18 Affinity ?
 schedulerName 19 string
 tolerations 22 []Toleration list=atomic
 hostAliases 23 []HostAlias list=map:ip patch=merge:ip
 priorityClassName 24 string
 priority 25 int32 ?
 dnsConfig 26 PodDNSConfig ?
 readinessGates 28 []PodReadinessGate list=atomic
 runtimeClassName 29 string ?
 enableServiceLinks 30 boolean ?
 preemptionPolicy 31 enum ? = Never|PreemptLowerPriority
 overhead 32 {}Quantity
 topologySpreadConstraints 33 []TopologySpreadConstraint list=map:topologyKey,whenUnsatisfiable patch=merge:topologyKey
 setHostnameAsFQDN 35 boolean ?
 os 36 PodOS ?
 hostUsers 37 boolean ?
 schedulingGates 38 []PodSchedulingGate list=map:name patch=merge:name
 resourceClaims 39 []PodResourceClaim list=map:name patch=merge,retainKeys:name
 resources 40 ResourceRequirements ?
PodStatus
 observedGeneration 17 int64
 phase 1 enum = Failed|Pending|Running|Succeeded|Unknown
 conditions 2 []PodCondition list=map:type patch=merge:type
 message 3 string
 reason 4 string
 nominatedNodeName 11 string
 hostIP 5 string
 hostIPs 16 []HostIP list=atomic patch=merge:ip
 podIP 6 string
 podIPs 12 []PodIP list=map:ip patch=merge:ip
 startTime 7 Time ?
 initContainerStatuses 10 []ContainerStatus list=atomic
 containerStatuses 8 []ContainerStatus list=atomic
 qosClass 9 enum = BestEffort|Burstable|Guaranteed
 ephemeralContainerStatuses 13 []ContainerStatus list=atomic
 resize 14 enum = Deferred|InProgress|Infeasible
 resourceClaimStatuses 15 []PodResourceClaimStatus list=map:name patch=merge,retainKeys:name
PodStatusResult kind
 metadata 1 meta/v1.ObjectMeta
 status 2 PodStatus
PodTemplate kind
 metadata 1 meta/v1.ObjectMeta
 template 2 PodTemplateSpec
PodTemplateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PodTemplate !
PodTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodSpec
PortStatus
 port 1 int32 !
 protocol 2 enum ! = SCTP|TCP|UDP
 error 3 string ?
PortworxVolumeSource
 volumeID 1 string !
 fsType 2 string
 readOnly 3 boolean
Preconditions
 uid 1 string ?
PreferAvoidPodsEntry
 podSignature 1 PodSignature !
 evictionTime 2 Time
 reason 3 string
 message 4 string
PreferredSchedulingTerm
 weight 1 int32 !
 preference 2 NodeSelectorTerm !
Probe
 - 1 ProbeHandler
 initialDelaySeconds 2 int32
 timeoutSeconds 3 int32
 periodSeconds 4 int32
 successThreshold 5 int32
 failureThreshold 6 int32
 terminationGracePeriodSeconds 7 int64 ?
ProbeHandler
 exec 1 ExecAction ?
 httpGet 2 HTTPGetAction ?
 tcpSocket 3 TCPSocketAction ?
 grpc 4 GRPCAction ?
ProjectedVolumeSource
 sources 1 []VolumeProjection list=atomic
 defaultMode 2 int32 ?
QuobyteVolumeSource
 registry 1 string !
 volume 2 string !
 readOnly 3 boolean
 user 4 string
 group 5 string
 tenant 6 string
RBDPersistentVolumeSource
 monitors 1 []string ! list=atomic
 image 2 string !
 fsType 3 string
 pool 4 string default="rbd"
 user 5 string default="admin"
 keyring 6 string default="/etc/ceph/keyring"
 secretRef 7 SecretReference ?
 readOnly 8 boolean
RBDVolumeSource
 monitors 1 []string ! list=atomic
 image 2 string !
 fsType 3 string
 pool 4 string default="rbd"
 user 5 string default="admin"
 keyring 6 string default="/etc/ceph/keyring"
 secretRef 7 LocalObjectReference ?
 readOnly 8 boolean
RangeAllocation kind
 metadata 1 meta/v1.ObjectMeta
 range 2 string !
 data 3 bytes !
ReplicationController kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ReplicationControllerSpec
 status 3 ReplicationControllerStatus
ReplicationControllerCondition
 type 1 enum ! = ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicationControllerList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ReplicationController !
ReplicationControllerSpec
 replicas 1 int32 ? default=1
 minReadySeconds 4 int32 default=0
 selector 2 {}string map=atomic
 template 3 PodTemplateSpec ?
ReplicationControllerStatus
 replicas 1 int32 !
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 observedGeneration 3 int64
 conditions 6 []ReplicationControllerCondition list=map:type patch=merge:type
ResourceClaim
 name 1 string !
 request 2 string
ResourceFieldSelector atomic
 containerName 1 string
 resource 2 string !
 divisor 3 Quantity
ResourceHealth
 resourceID 1 string !
 health 2 enum = Healthy|Unhealthy|Unknown
ResourceQuota kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceQuotaSpec
 status 3 ResourceQuotaStatus
ResourceQuotaList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceQuota !
ResourceQuotaSpec
 hard 1 {}Quantity
 scopes 2 []enum list=atomic = BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
 scopeSelector 3 ScopeSelector ?
ResourceQuotaStatus
 hard 1 {}Quantity
 used 2 {}Quantity
ResourceRequirements
 limits 1 {}Quantity
 requests 2 {}Quantity
 claims 3 []ResourceClaim list=map:name
ResourceStatus
 name 1 enum ! = configmaps|cpu|ephemeral-storage|limits.cpu|limits.ephemeral-storage|limits.memory|memory|persistentvolumeclaims|pods|replicationcontrollers|requests.cpu|requests.ephemeral-storage|requests.memory|requests.storage|resourcequotas|secrets|services|services.loadbalancers|services.nodeports|storage
 resources 2 []ResourceHealth list=map:resourceID
SELinuxOptions
 user 1 string
 role 2 string
 type 3 string
 level 4 string
ScaleIOPersistentVolumeSource
 gateway 1 string !
 system 2 string !
 secretRef 3 SecretReference ! ?
 sslEnabled 4 boolean
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string default="ThinProvisioned"
 volumeName 8 string
 fsType 9 string default="xfs"
 readOnly 10 boolean
ScaleIOVolumeSource
 gateway 1 string !
 system 2 string !
 secretRef 3 LocalObjectReference ! ?
 sslEnabled 4 boolean
 protectionDomain 5 string
 storagePool 6 string
 storageMode 7 string default="ThinProvisioned"
 volumeName 8 string
 fsType 9 string default="xfs"
 readOnly 10 boolean
ScopeSelector atomic
 matchExpressions 1 []ScopedResourceSelectorRequirement list=atomic
ScopedResourceSelectorRequirement
 scopeName 1 enum ! = BestEffort|CrossNamespacePodAffinity|NotBestEffort|NotTerminating|PriorityClass|Terminating|VolumeAttributesClass
 operator 2 enum ! = DoesNotExist|Exists|In|NotIn
 values 3 []string list=atomic
SeccompProfile
 type 1 enum ! = Localhost|RuntimeDefault|Unconfined
 localhostProfile 2 string ?
Secret kind
 metadata 1 meta/v1.ObjectMeta
 immutable 5 boolean ?
 data 2 {}bytes
 stringData 4 {}string
 type 3 enum = Opaque|bootstrap.{labelDomain}/token|{labelDomain}/basic-auth|{labelDomain}/dockercfg|{labelDomain}/dockerconfigjson|{labelDomain}/service-account-token|{labelDomain}/ssh-auth|{labelDomain}/tls
SecretEnvSource
 - 1 LocalObjectReference
 optional 2 boolean ?
SecretKeySelector atomic
 - 1 LocalObjectReference
 key 2 string !
 optional 3 boolean ?
SecretList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Secret !
SecretProjection
 - 1 LocalObjectReference
 items 2 []KeyToPath list=atomic
 optional 4 boolean ?
SecretReference atomic
 name 1 string
 namespace 2 string
SecretVolumeSource
 secretName 1 string
 items 2 []KeyToPath list=atomic
 defaultMode 3 int32 ?
 optional 4 boolean ?
SecurityContext
 capabilities 1 Capabilities ?
 privileged 2 boolean ?
 seLinuxOptions 3 SELinuxOptions ?
 windowsOptions 10 WindowsSecurityContextOptions ?
 runAsUser 4 int64 ?
 runAsGroup 8 int64 ?
 runAsNonRoot 5 boolean ?
 readOnlyRootFilesystem 6 boolean ?
 allowPrivilegeEscalation 7 boolean ?
 procMount 9 enum ? = Default|Unmasked
 seccompProfile 11 SeccompProfile ?
 appArmorProfile 12 AppArmorProfile ?
SerializedReference kind
 reference 1 ObjectReference
Service kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ServiceSpec
 status 3 ServiceStatus
ServiceAccount kind
 metadata 1 meta/v1.ObjectMeta
 secrets 2 []ObjectReference list=map:name patch=merge:name
 imagePullSecrets 3 []LocalObjectReference list=atomic
 automountServiceAccountToken 4 boolean ?
ServiceAccountList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ServiceAccount !
ServiceAccountTokenProjection
 audience 1 string
 expirationSeconds 2 int64 ?
 path 3 string !
ServiceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Service !
ServicePort
 name 1 string
 protocol 2 enum default="TCP" = SCTP|TCP|UDP
 appProtocol 6 string ?
 port 3 int32 !
 targetPort 4 IntOrString
 nodePort 5 int32
ServiceProxyOptions kind
 path 1 string
ServiceSpec
 ports 1 []ServicePort list=map:port,protocol patch=merge:port
 selector 2 {}string map=atomic
 clusterIP 3 string
 clusterIPs 18 []string list=atomic
 type 4 enum = ClusterIP|ExternalName|LoadBalancer|NodePort
 externalIPs 5 []string list=atomic
 sessionAffinity 7 enum = ClientIP|None
 loadBalancerIP 8 string
 loadBalancerSourceRanges 9 []string list=atomic
 externalName 10 string
 externalTrafficPolicy 11 enum = Cluster|Local
 healthCheckNodePort 12 int32
 publishNotReadyAddresses 13 boolean
 sessionAffinityConfig 14 SessionAffinityConfig ?
 ipFamilies 19 []enum list=atomic = |IPv4|IPv6
 ipFamilyPolicy 17 enum ? = PreferDualStack|RequireDualStack|SingleStack
 allocateLoadBalancerNodePorts 20 boolean ?
 loadBalancerClass 21 string ?
 internalTrafficPolicy 22 enum ? = Cluster|Local
 trafficDistribution 23 string ?
ServiceStatus
 loadBalancer 1 LoadBalancerStatus
 conditions 2 []meta/v1.Condition list=map:type patch=merge:type
SessionAffinityConfig
 clientIP 1 ClientIPConfig ?
SleepAction
 seconds 1 int64 !
StorageOSPersistentVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 boolean
 secretRef 5 ObjectReference ?
StorageOSVolumeSource
 volumeName 1 string
 volumeNamespace 2 string
 fsType 3 string
 readOnly 4 boolean
 secretRef 5 LocalObjectReference ?
Sysctl
 name 1 string !
 value 2 string !
TCPSocketAction
 port 1 IntOrString !
 host 2 string
Taint
 key 1 string !
 value 2 string
 effect 3 enum ! = NoExecute|NoSchedule|PreferNoSchedule
 timeAdded 4 Time ?
Toleration
 key 1 string
 operator 2 enum = Equal|Exists
 value 3 string
 effect 4 enum = NoExecute|NoSchedule|PreferNoSchedule
 tolerationSeconds 5 int64 ?
TopologySelectorLabelRequirement
 key 1 string !
 values 2 []string ! list=atomic
TopologySelectorTerm atomic
 matchLabelExpressions 1 []TopologySelectorLabelRequirement list=atomic
TopologySpreadConstraint
 maxSkew 1 int32 !
 topologyKey 2 string !
 whenUnsatisfiable 3 enum ! = DoNotSchedule|ScheduleAnyway
 labelSelector 4 meta/v1.LabelSelector ?
 minDomains 5 int32 ?
 nodeAffinityPolicy 6 enum ? = Honor|Ignore
 nodeTaintsPolicy 7 enum ? = Honor|Ignore
 matchLabelKeys 8 []string list=atomic
TypedLocalObjectReference atomic
 apiGroup 1 string ?
 kind 2 string !
 name 3 string !
TypedObjectReference
 apiGroup 1 string ?
 kind 2 string !
 name 3 string !
 namespace 4 string ?
Volume
 name 1 string !
 - 2 VolumeSource
VolumeDevice
 name 1 string !
 devicePath 2 string !
VolumeMount
 name 1 string !
 readOnly 2 boolean
 recursiveReadOnly 7 enum ? = Disabled|Enabled|IfPossible
 mountPath 3 string !
 subPath 4 string
 mountPropagation 5 enum ? = Bidirectional|HostToContainer|None
 subPathExpr 6 string
VolumeMountStatus
 name 1 string !
 mountPath 2 string !
 readOnly 3 boolean
 recursiveReadOnly 4 enum ? = Disabled|Enabled|IfPossible
VolumeNodeAffinity
 required 1 NodeSelector ?
VolumeProjection
 secret 1 SecretProjection ?
 downwardAPI 2 DownwardAPIProjection ?
 configMap 3 ConfigMapProjection ?
 serviceAccountToken 4 ServiceAccountTokenProjection ?
 clusterTrustBundle 5 ClusterTrustBundleProjection ?
VolumeResourceRequirements
 limits 1 {}Quantity
 requests 2 {}Quantity
VolumeSource
 hostPath 1 HostPathVolumeSource ?
 emptyDir 2 EmptyDirVolumeSource ?
 gcePersistentDisk 3 GCEPersistentDiskVolumeSource ?
 awsElasticBlockStore 4 AWSElasticBlockStoreVolumeSource ?
 gitRepo 5 GitRepoVolumeSource ?
 secret 6 SecretVolumeSource ?
 nfs 7 NFSVolumeSource ?
 iscsi 8 ISCSIVolumeSource ?
 glusterfs 9 GlusterfsVolumeSource ?
 persistentVolumeClaim 10 PersistentVolumeClaimVolumeSource ?
 rbd 11 RBDVolumeSource ?
 flexVolume 12 FlexVolumeSource ?
 cinder 13 CinderVolumeSource ?
 cephfs 14 CephFSVolumeSource ?
 flocker 15 FlockerVolumeSource ?
 downwardAPI 16 DownwardAPIVolumeSource ?
 fc 17 FCVolumeSource ?
 azureFile 18 AzureFileVolumeSource ?
 configMap 19 ConfigMapVolumeSource ?
 vsphereVolume 20 VsphereVirtualDiskVolumeSource ?
 quobyte 21 QuobyteVolumeSource ?
 azureDisk 22 AzureDiskVolumeSource ?
 photonPersistentDisk 23 PhotonPersistentDiskVolumeSource ?
 projected 26 ProjectedVolumeSource ?
 portworxVolume 24 PortworxVolumeSource ?
 scaleIO 25 ScaleIOVolumeSource ?
 storageos 27 StorageOSVolumeSource ?
 csi 28 CSIVolumeSource ?
 ephemeral 29 EphemeralVolumeSource ?
 image 30 ImageVolumeSource ?
VsphereVirtualDiskVolumeSource
 volumePath 1 string !
 fsType 2 string
 storagePolicyName 3 string
 storagePolicyID 4 string
WeightedPodAffinityTerm
 weight 1 int32 !
 podAffinityTerm 2 PodAffinityTerm !
WindowsSecurityContextOptions
 gmsaCredentialSpecName 1 string ?
 gmsaCredentialSpec 2 string ?
 runAsUserName 3 string ?
 hostProcess 4 boolean ?
package discovery/v1
Endpoint
 addresses 1 []string ! list=set
 conditions 2 EndpointConditions
 hostname 3 string ?
 targetRef 4 core/v1.ObjectReference ?
 deprecatedTopology 5 {}string
 nodeName 6 string ?
 zone 7 string ?
 hints 8 EndpointHints ?
EndpointConditions
 ready 1 boolean ?
 serving 2 boolean ?
 terminating 3 boolean ?
EndpointHints
 forZones 1 []ForZone list=atomic
 forNodes 2 []ForNode list=atomic
EndpointPort atomic
 name 1 string ?
 protocol 2 enum ? = SCTP|TCP|UDP
 port 3 int32 ?
 appProtocol 4 string ?
EndpointSlice kind
 metadata 1 meta/v1.ObjectMeta
 addressType 4 string !
 endpoints 2 []Endpoint ! list=atomic
 ports 3 []EndpointPort list=atomic
EndpointSliceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []EndpointSlice !
ForNode
 name 1 string !
ForZone
 name 1 string !
package discovery/v1beta1
Endpoint
 addresses 1 []string ! list=set
 conditions 2 EndpointConditions
 hostname 3 string ?
 targetRef 4 core/v1.ObjectReference ?
 topology 5 {}string
 nodeName 6 string ?
 hints 7 EndpointHints ?
EndpointConditions
 ready 1 boolean ?
 serving 2 boolean ?
 terminating 3 boolean ?
EndpointHints
 forZones 1 []ForZone list=atomic
 forNodes 2 []ForNode list=atomic
EndpointPort
 name 1 string ?
 protocol 2 enum ? = SCTP|TCP|UDP
 port 3 int32 ?
 appProtocol 4 string ?
EndpointSlice kind
 metadata 1 meta/v1.ObjectMeta
 addressType 4 string !
 endpoints 2 []Endpoint ! list=atomic
 ports 3 []EndpointPort list=atomic
EndpointSliceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []EndpointSlice !
ForNode
 name 1 string !
ForZone
 name 1 string !
package events/v1
Event kind
 metadata 1 meta/v1.ObjectMeta
 eventTime 2 MicroTime !
 series 3 EventSeries ?
 reportingController 4 string
 reportingInstance 5 string
 action 6 string
 reason 7 string
 regarding 8 core/v1.ObjectReference
 related 9 core/v1.ObjectReference ?
 note 10 string
 type 11 string
 deprecatedSource 12 core/v1.EventSource
 deprecatedFirstTimestamp 13 Time
 deprecatedLastTimestamp 14 Time
 deprecatedCount 15 int32
EventList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Event !
EventSeries
 count 1 int32 !
 lastObservedTime 2 MicroTime !
package events/v1beta1
Event kind
 metadata 1 meta/v1.ObjectMeta
 eventTime 2 MicroTime !
 series 3 EventSeries ?
 reportingController 4 string
 reportingInstance 5 string
 action 6 string
 reason 7 string
 regarding 8 core/v1.ObjectReference
 related 9 core/v1.ObjectReference ?
 note 10 string
 type 11 string
 deprecatedSource 12 core/v1.EventSource
 deprecatedFirstTimestamp 13 Time
 deprecatedLastTimestamp 14 Time
 deprecatedCount 15 int32
EventList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Event !
EventSeries
 count 1 int32 !
 lastObservedTime 2 MicroTime !
package extensions/v1beta1
DaemonSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DaemonSetSpec
 status 3 DaemonSetStatus
DaemonSetCondition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
DaemonSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DaemonSet !
DaemonSetSpec
 selector 1 meta/v1.LabelSelector ?
 template 2 core/v1.PodTemplateSpec !
 updateStrategy 3 DaemonSetUpdateStrategy
 minReadySeconds 4 int32
 templateGeneration 5 int64
 revisionHistoryLimit 6 int32 ?
DaemonSetStatus
 currentNumberScheduled 1 int32 !
 numberMisscheduled 2 int32 !
 desiredNumberScheduled 3 int32 !
 numberReady 4 int32 !
 observedGeneration 5 int64
 updatedNumberScheduled 6 int32
 numberAvailable 7 int32
 numberUnavailable 8 int32
 collisionCount 9 int32 ?
 conditions 10 []DaemonSetCondition list=map:type patch=merge:type
DaemonSetUpdateStrategy
 type 1 enum = OnDelete|RollingUpdate
 rollingUpdate 2 RollingUpdateDaemonSet ?
Deployment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeploymentSpec
 status 3 DeploymentStatus
DeploymentCondition
 type 1 enum ! = Available|Progressing|ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastUpdateTime 6 Time
 lastTransitionTime 7 Time
 reason 4 string
 message 5 string
DeploymentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Deployment !
DeploymentRollback kind
 name 1 string !
 updatedAnnotations 2 {}string
 rollbackTo 3 RollbackConfig !
DeploymentSpec
 replicas 1 int32 ?
 selector 2 meta/v1.LabelSelector ?
 template 3 core/v1.PodTemplateSpec !
 strategy 4 DeploymentStrategy patch=retainKeys
 minReadySeconds 5 int32
 revisionHistoryLimit 6 int32 ?
 paused 7 boolean
 rollbackTo 8 RollbackConfig ?
 progressDeadlineSeconds 9 int32 ?
DeploymentStatus
 observedGeneration 1 int64
 replicas 2 int32
 updatedReplicas 3 int32
 readyReplicas 7 int32
 availableReplicas 4 int32
 unavailableReplicas 5 int32
 terminatingReplicas 9 int32 ?
 conditions 6 []DeploymentCondition list=map:type patch=merge:type
 collisionCount 8 int32 ?
DeploymentStrategy
 type 1 enum = Recreate|RollingUpdate
 rollingUpdate 2 RollingUpdateDeployment ?
HTTPIngressPath
 path 1 string
 pathType 3 string ?
 backend 2 IngressBackend !
HTTPIngressRuleValue
 paths 1 []HTTPIngressPath ! list=atomic
IPBlock
 cidr 1 string !
 except 2 []string list=atomic
Ingress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IngressSpec
 status 3 IngressStatus
IngressBackend
 serviceName 1 string
 servicePort 2 IntOrString
 resource 3 core/v1.TypedLocalObjectReference ?
IngressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Ingress !
IngressLoadBalancerIngress
 ip 1 string
 hostname 2 string
 ports 4 []IngressPortStatus list=atomic
IngressLoadBalancerStatus
 ingress 1 []IngressLoadBalancerIngress list=atomic
IngressPortStatus
 port 1 int32 !
 protocol 2 enum ! = SCTP|TCP|UDP
 error 3 string ?
IngressRule
 host 1 string
 - 2 IngressRuleValue
IngressRuleValue
 http 1 HTTPIngressRuleValue ?
IngressSpec
 ingressClassName 4 string ?
 backend 1 IngressBackend ?
 tls 2 []IngressTLS list=atomic
 rules 3 []IngressRule list=atomic
IngressStatus
 loadBalancer 1 IngressLoadBalancerStatus
IngressTLS
 hosts 1 []string list=atomic
 secretName 2 string
NetworkPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 NetworkPolicySpec
NetworkPolicyEgressRule
 ports 1 []NetworkPolicyPort list=atomic
 to 2 []NetworkPolicyPeer list=atomic
NetworkPolicyIngressRule
 ports 1 []NetworkPolicyPort list=atomic
 from 2 []NetworkPolicyPeer list=atomic
NetworkPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []NetworkPolicy !
NetworkPolicyPeer
 podSelector 1 meta/v1.LabelSelector ?
 namespaceSelector 2 meta/v1.LabelSelector ?
 ipBlock 3 IPBlock ?
NetworkPolicyPort
 protocol 1 enum ? = SCTP|TCP|UDP
 port 2 IntOrString ?
 endPort 3 int32 ?
NetworkPolicySpec
 podSelector 1 meta/v1.LabelSelector !
 ingress 2 []NetworkPolicyIngressRule list=atomic
 egress 3 []NetworkPolicyEgressRule list=atomic
 policyTypes 4 []enum list=atomic = Egress|Ingress
ReplicaSet kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ReplicaSetSpec
 status 3 ReplicaSetStatus
ReplicaSetCondition
 type 1 enum ! = ReplicaFailure
 status 2 enum ! = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
ReplicaSetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ReplicaSet !
ReplicaSetSpec
 replicas 1 int32 ?
 minReadySeconds 4 int32
 selector 2 meta/v1.LabelSelector ?
 template 3 core/v1.PodTemplateSpec
ReplicaSetStatus
 replicas 1 int32 !
 fullyLabeledReplicas 2 int32
 readyReplicas 4 int32
 availableReplicas 5 int32
 terminatingReplicas 7 int32 ?
 observedGeneration 3 int64
 conditions 6 []ReplicaSetCondition list=map:type patch=merge:type
RollbackConfig
 revision 1 int64
RollingUpdateDaemonSet
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
RollingUpdateDeployment
 maxUnavailable 1 IntOrString ?
 maxSurge 2 IntOrString ?
Scale kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ScaleSpec
 status 3 ScaleStatus
ScaleSpec
 replicas 1 int32
ScaleStatus
 replicas 1 int32 !
 selector 2 {}string map=atomic
 targetSelector 3 string
package flowcontrol/v1
ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32 ?
 lendablePercent 2 int32 ?
FlowDistinguisherMethod
 type 1 enum ! = ByNamespace|ByUser
FlowSchema kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 FlowSchemaSpec
 status 3 FlowSchemaStatus
FlowSchemaCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
FlowSchemaList kind
 metadata 1 meta/v1.ListMeta
 items 2 []FlowSchema !
FlowSchemaSpec
 priorityLevelConfiguration 1 PriorityLevelConfigurationReference !
 matchingPrecedence 2 int32
 distinguisherMethod 3 FlowDistinguisherMethod ?
 rules 4 []PolicyRulesWithSubjects list=atomic
FlowSchemaStatus
 conditions 1 []FlowSchemaCondition list=map:type patch=merge:type
GroupSubject
 name 1 string !
LimitResponse
 type 1 enum ! = Queue|Reject
 queuing 2 QueuingConfiguration ?
LimitedPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32 ?
 limitResponse 2 LimitResponse
 lendablePercent 3 int32 ?
 borrowingLimitPercent 4 int32 ?
NonResourcePolicyRule
 verbs 1 []string ! list=set
 nonResourceURLs 6 []string ! list=set
PolicyRulesWithSubjects
 subjects 1 []Subject ! list=atomic
 resourceRules 2 []ResourcePolicyRule list=atomic
 nonResourceRules 3 []NonResourcePolicyRule list=atomic
PriorityLevelConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PriorityLevelConfigurationSpec
 status 3 PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
PriorityLevelConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityLevelConfiguration !
PriorityLevelConfigurationReference
 name 1 string !
PriorityLevelConfigurationSpec
 type 1 enum ! = Exempt|Limited
 limited 2 LimitedPriorityLevelConfiguration ?
 exempt 3 ExemptPriorityLevelConfiguration ?
PriorityLevelConfigurationStatus
 conditions 1 []PriorityLevelConfigurationCondition list=map:type patch=merge:type
QueuingConfiguration
 queues 1 int32
 handSize 2 int32
 queueLengthLimit 3 int32
ResourcePolicyRule
 verbs 1 []string ! list=set
 apiGroups 2 []string ! list=set
 resources 3 []string ! list=set
 clusterScope 4 boolean
 namespaces 5 []string list=set
ServiceAccountSubject
 namespace 1 string !
 name 2 string !
Subject
 kind 1 enum ! = Group|ServiceAccount|User
 user 2 UserSubject ?
 group 3 GroupSubject ?
 serviceAccount 4 ServiceAccountSubject ?
UserSubject
 name 1 string !
package flowcontrol/v1beta1
ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32 ?
 lendablePercent 2 int32 ?
FlowDistinguisherMethod
 type 1 enum ! = ByNamespace|ByUser
FlowSchema kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 FlowSchemaSpec
 status 3 FlowSchemaStatus
FlowSchemaCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
FlowSchemaList kind
 metadata 1 meta/v1.ListMeta
 items 2 []FlowSchema !
FlowSchemaSpec
 priorityLevelConfiguration 1 PriorityLevelConfigurationReference !
 matchingPrecedence 2 int32
 distinguisherMethod 3 FlowDistinguisherMethod ?
 rules 4 []PolicyRulesWithSubjects list=atomic
FlowSchemaStatus
 conditions 1 []FlowSchemaCondition list=map:type
GroupSubject
 name 1 string !
LimitResponse
 type 1 enum ! = Queue|Reject
 queuing 2 QueuingConfiguration ?
LimitedPriorityLevelConfiguration
 assuredConcurrencyShares 1 int32
 limitResponse 2 LimitResponse
 lendablePercent 3 int32 ?
 borrowingLimitPercent 4 int32 ?
NonResourcePolicyRule
 verbs 1 []string ! list=set
 nonResourceURLs 6 []string ! list=set
PolicyRulesWithSubjects
 subjects 1 []Subject ! list=atomic
 resourceRules 2 []ResourcePolicyRule list=atomic
 nonResourceRules 3 []NonResourcePolicyRule list=atomic
PriorityLevelConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PriorityLevelConfigurationSpec
 status 3 PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
PriorityLevelConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityLevelConfiguration !
PriorityLevelConfigurationReference
 name 1 string !
PriorityLevelConfigurationSpec
 type 1 enum ! = Exempt|Limited
 limited 2 LimitedPriorityLevelConfiguration ?
 exempt 3 ExemptPriorityLevelConfiguration ?
PriorityLevelConfigurationStatus
 conditions 1 []PriorityLevelConfigurationCondition list=map:type
QueuingConfiguration
 queues 1 int32
 handSize 2 int32
 queueLengthLimit 3 int32
ResourcePolicyRule
 verbs 1 []string ! list=set
 apiGroups 2 []string ! list=set
 resources 3 []string ! list=set
 clusterScope 4 boolean
 namespaces 5 []string list=set
ServiceAccountSubject
 namespace 1 string !
 name 2 string !
Subject
 kind 1 enum ! = Group|ServiceAccount|User
 user 2 UserSubject ?
 group 3 GroupSubject ?
 serviceAccount 4 ServiceAccountSubject ?
UserSubject
 name 1 string !
package flowcontrol/v1beta2
ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32 ?
 lendablePercent 2 int32 ?
FlowDistinguisherMethod
 type 1 enum ! = ByNamespace|ByUser
FlowSchema kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 FlowSchemaSpec
 status 3 FlowSchemaStatus
FlowSchemaCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
FlowSchemaList kind
 metadata 1 meta/v1.ListMeta
 items 2 []FlowSchema !
FlowSchemaSpec
 priorityLevelConfiguration 1 PriorityLevelConfigurationReference !
 matchingPrecedence 2 int32
 distinguisherMethod 3 FlowDistinguisherMethod ?
 rules 4 []PolicyRulesWithSubjects list=atomic
FlowSchemaStatus
 conditions 1 []FlowSchemaCondition list=map:type
GroupSubject
 name 1 string !
LimitResponse
 type 1 enum ! = Queue|Reject
 queuing 2 QueuingConfiguration ?
LimitedPriorityLevelConfiguration
 assuredConcurrencyShares 1 int32
 limitResponse 2 LimitResponse
 lendablePercent 3 int32 ?
 borrowingLimitPercent 4 int32 ?
NonResourcePolicyRule
 verbs 1 []string ! list=set
 nonResourceURLs 6 []string ! list=set
PolicyRulesWithSubjects
 subjects 1 []Subject ! list=atomic
 resourceRules 2 []ResourcePolicyRule list=atomic
 nonResourceRules 3 []NonResourcePolicyRule list=atomic
PriorityLevelConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PriorityLevelConfigurationSpec
 status 3 PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
PriorityLevelConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityLevelConfiguration !
PriorityLevelConfigurationReference
 name 1 string !
PriorityLevelConfigurationSpec
 type 1 enum ! = Exempt|Limited
 limited 2 LimitedPriorityLevelConfiguration ?
 exempt 3 ExemptPriorityLevelConfiguration ?
PriorityLevelConfigurationStatus
 conditions 1 []PriorityLevelConfigurationCondition list=map:type
QueuingConfiguration
 queues 1 int32
 handSize 2 int32
 queueLengthLimit 3 int32
ResourcePolicyRule
 verbs 1 []string ! list=set
 apiGroups 2 []string ! list=set
 resources 3 []string ! list=set
 clusterScope 4 boolean
 namespaces 5 []string list=set
ServiceAccountSubject
 namespace 1 string !
 name 2 string !
Subject
 kind 1 enum ! = Group|ServiceAccount|User
 user 2 UserSubject ?
 group 3 GroupSubject ?
 serviceAccount 4 ServiceAccountSubject ?
UserSubject
 name 1 string !
package flowcontrol/v1beta3
ExemptPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32 ?
 lendablePercent 2 int32 ?
FlowDistinguisherMethod
 type 1 enum ! = ByNamespace|ByUser
FlowSchema kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 FlowSchemaSpec
 status 3 FlowSchemaStatus
FlowSchemaCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
FlowSchemaList kind
 metadata 1 meta/v1.ListMeta
 items 2 []FlowSchema !
FlowSchemaSpec
 priorityLevelConfiguration 1 PriorityLevelConfigurationReference !
 matchingPrecedence 2 int32
 distinguisherMethod 3 FlowDistinguisherMethod ?
 rules 4 []PolicyRulesWithSubjects list=atomic
FlowSchemaStatus
 conditions 1 []FlowSchemaCondition list=map:type patch=merge:type
GroupSubject
 name 1 string !
LimitResponse
 type 1 enum ! = Queue|Reject
 queuing 2 QueuingConfiguration ?
LimitedPriorityLevelConfiguration
 nominalConcurrencyShares 1 int32
 limitResponse 2 LimitResponse
 lendablePercent 3 int32 ?
 borrowingLimitPercent 4 int32 ?
NonResourcePolicyRule
 verbs 1 []string ! list=set
 nonResourceURLs 6 []string ! list=set
PolicyRulesWithSubjects
 subjects 1 []Subject ! list=atomic
 resourceRules 2 []ResourcePolicyRule list=atomic
 nonResourceRules 3 []NonResourcePolicyRule list=atomic
PriorityLevelConfiguration kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PriorityLevelConfigurationSpec
 status 3 PriorityLevelConfigurationStatus
PriorityLevelConfigurationCondition
 type 1 string
 status 2 enum = False|True|Unknown
 lastTransitionTime 3 Time
 reason 4 string
 message 5 string
PriorityLevelConfigurationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityLevelConfiguration !
PriorityLevelConfigurationReference
 name 1 string !
PriorityLevelConfigurationSpec
 type 1 enum ! = Exempt|Limited
 limited 2 LimitedPriorityLevelConfiguration ?
 exempt 3 ExemptPriorityLevelConfiguration ?
PriorityLevelConfigurationStatus
 conditions 1 []PriorityLevelConfigurationCondition list=map:type patch=merge:type
QueuingConfiguration
 queues 1 int32
 handSize 2 int32
 queueLengthLimit 3 int32
ResourcePolicyRule
 verbs 1 []string ! list=set
 apiGroups 2 []string ! list=set
 resources 3 []string ! list=set
 clusterScope 4 boolean
 namespaces 5 []string list=set
ServiceAccountSubject
 namespace 1 string !
 name 2 string !
Subject
 kind 1 enum ! = Group|ServiceAccount|User
 user 2 UserSubject ?
 group 3 GroupSubject ?
 serviceAccount 4 ServiceAccountSubject ?
UserSubject
 name 1 string !
package imagepolicy/v1alpha1
ImageReview kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ImageReviewSpec !
 status 3 ImageReviewStatus
ImageReviewContainerSpec
 image 1 string
ImageReviewSpec
 containers 1 []ImageReviewContainerSpec list=atomic
 annotations 2 {}string
 namespace 3 string
ImageReviewStatus
 allowed 1 boolean !
 reason 2 string
 auditAnnotations 3 {}string
package networking/v1
HTTPIngressPath
 path 1 string
 pathType 3 string ! ?
 backend 2 IngressBackend !
HTTPIngressRuleValue
 paths 1 []HTTPIngressPath ! list=atomic
IPAddress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IPAddressSpec
IPAddressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []IPAddress !
IPAddressSpec
 parentRef 1 ParentReference ! ?
IPBlock
 cidr 1 string !
 except 2 []string list=atomic
Ingress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IngressSpec
 status 3 IngressStatus
IngressBackend
 service 4 IngressServiceBackend ?
 resource 3 core/v1.TypedLocalObjectReference ?
IngressClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IngressClassSpec
IngressClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []IngressClass !
IngressClassParametersReference
 apiGroup 1 string ?
 kind 2 string !
 name 3 string !
 scope 4 string ?
 namespace 5 string ?
IngressClassSpec
 controller 1 string
 parameters 2 IngressClassParametersReference ?
IngressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Ingress !
IngressLoadBalancerIngress
 ip 1 string
 hostname 2 string
 ports 4 []IngressPortStatus list=atomic
IngressLoadBalancerStatus
 ingress 1 []IngressLoadBalancerIngress list=atomic
IngressPortStatus
 port 1 int32 !
 protocol 2 enum ! = SCTP|TCP|UDP
 error 3 string ?
IngressRule
 host 1 string
 - 2 IngressRuleValue
IngressRuleValue
 http 1 HTTPIngressRuleValue ?
IngressServiceBackend
 name 1 string !
 port 2 ServiceBackendPort
IngressSpec
 ingressClassName 4 string ?
 defaultBackend 1 IngressBackend ?
 tls 2 []IngressTLS list=atomic
 rules 3 []IngressRule list=atomic
IngressStatus
 loadBalancer 1 IngressLoadBalancerStatus
IngressTLS
 hosts 1 []string list=atomic
 secretName 2 string
NetworkPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 NetworkPolicySpec
NetworkPolicyEgressRule
 ports 1 []NetworkPolicyPort list=atomic
 to 2 []NetworkPolicyPeer list=atomic
NetworkPolicyIngressRule
 ports 1 []NetworkPolicyPort list=atomic
 from 2 []NetworkPolicyPeer list=atomic
NetworkPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []NetworkPolicy !
NetworkPolicyPeer
 podSelector 1 meta/v1.LabelSelector ?
 namespaceSelector 2 meta/v1.LabelSelector ?
 ipBlock 3 IPBlock ?
NetworkPolicyPort
 protocol 1 enum ? = SCTP|TCP|UDP
 port 2 IntOrString ?
 endPort 3 int32 ?
NetworkPolicySpec
 podSelector 1 meta/v1.LabelSelector !
 ingress 2 []NetworkPolicyIngressRule list=atomic
 egress 3 []NetworkPolicyEgressRule list=atomic
 policyTypes 4 []enum list=atomic = Egress|Ingress
ParentReference
 group 1 string
 resource 2 string !
 namespace 3 string
 name 4 string !
ServiceBackendPort atomic
 name 1 string
 number 2 int32
ServiceCIDR kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ServiceCIDRSpec
 status 3 ServiceCIDRStatus
ServiceCIDRList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ServiceCIDR !
ServiceCIDRSpec
 cidrs 1 []string list=atomic
ServiceCIDRStatus
 conditions 1 []meta/v1.Condition list=map:type patch=merge:type
package networking/v1alpha1
IPAddress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IPAddressSpec
IPAddressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []IPAddress !
IPAddressSpec
 parentRef 1 ParentReference ! ?
ParentReference
 group 1 string
 resource 2 string !
 namespace 3 string
 name 4 string !
ServiceCIDR kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ServiceCIDRSpec
 status 3 ServiceCIDRStatus
ServiceCIDRList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ServiceCIDR !
ServiceCIDRSpec
 cidrs 1 []string list=atomic
ServiceCIDRStatus
 conditions 1 []meta/v1.Condition list=map:type patch=merge:type
package networking/v1beta1
HTTPIngressPath
 path 1 string
 pathType 3 string ?
 backend 2 IngressBackend !
HTTPIngressRuleValue
 paths 1 []HTTPIngressPath ! list=atomic
IPAddress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IPAddressSpec
IPAddressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []IPAddress !
IPAddressSpec
 parentRef 1 ParentReference ! ?
Ingress kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IngressSpec
 status 3 IngressStatus
IngressBackend
 serviceName 1 string
 servicePort 2 IntOrString
 resource 3 core/v1.TypedLocalObjectReference ?
IngressClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 IngressClassSpec
IngressClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []IngressClass !
IngressClassParametersReference
 apiGroup 1 string ?
 kind 2 string !
 name 3 string !
 scope 4 string ! ?
 namespace 5 string ?
IngressClassSpec
 controller 1 string
 parameters 2 IngressClassParametersReference ?
IngressList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Ingress !
IngressLoadBalancerIngress
 ip 1 string
 hostname 2 string
 ports 4 []IngressPortStatus list=atomic
IngressLoadBalancerStatus
 ingress 1 []IngressLoadBalancerIngress list=atomic
IngressPortStatus
 port 1 int32 !
 protocol 2 enum ! = SCTP|TCP|UDP
 error 3 string ?
IngressRule
 host 1 string
 - 2 IngressRuleValue
IngressRuleValue
 http 1 HTTPIngressRuleValue ?
IngressSpec
 ingressClassName 4 string ?
 backend 1 IngressBackend ?
 tls 2 []IngressTLS list=atomic
 rules 3 []IngressRule list=atomic
IngressStatus
 loadBalancer 1 IngressLoadBalancerStatus
IngressTLS
 hosts 1 []string list=atomic
 secretName 2 string
ParentReference
 group 1 string
 resource 2 string !
 namespace 3 string
 name 4 string !
ServiceCIDR kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ServiceCIDRSpec
 status 3 ServiceCIDRStatus
ServiceCIDRList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ServiceCIDR !
ServiceCIDRSpec
 cidrs 1 []string list=atomic
ServiceCIDRStatus
 conditions 1 []meta/v1.Condition list=map:type patch=merge:type
package node/v1
Overhead
 podFixed 1 {}Quantity
RuntimeClass kind
 metadata 1 meta/v1.ObjectMeta
 handler 2 string !
 overhead 3 Overhead ?
 scheduling 4 Scheduling ?
RuntimeClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RuntimeClass !
Scheduling
 nodeSelector 1 {}string map=atomic
 tolerations 2 []core/v1.Toleration list=atomic
package node/v1alpha1
Overhead
 podFixed 1 {}Quantity
RuntimeClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 RuntimeClassSpec !
RuntimeClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RuntimeClass !
RuntimeClassSpec
 runtimeHandler 1 string !
 overhead 2 Overhead ?
 scheduling 3 Scheduling ?
Scheduling
 nodeSelector 1 {}string map=atomic
 tolerations 2 []core/v1.Toleration list=atomic
package node/v1beta1
Overhead
 podFixed 1 {}Quantity
RuntimeClass kind
 metadata 1 meta/v1.ObjectMeta
 handler 2 string !
 overhead 3 Overhead ?
 scheduling 4 Scheduling ?
RuntimeClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RuntimeClass !
Scheduling
 nodeSelector 1 {}string map=atomic
 tolerations 2 []core/v1.Toleration list=atomic
package policy/v1
Eviction kind
 metadata 1 meta/v1.ObjectMeta
 deleteOptions 2 meta/v1.DeleteOptions ?
PodDisruptionBudget kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodDisruptionBudgetSpec
 status 3 PodDisruptionBudgetStatus
PodDisruptionBudgetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PodDisruptionBudget !
PodDisruptionBudgetSpec
 minAvailable 1 IntOrString ?
 selector 2 meta/v1.LabelSelector ? patch=replace
 maxUnavailable 3 IntOrString ?
 unhealthyPodEvictionPolicy 4 enum ? = AlwaysAllow|IfHealthyBudget
PodDisruptionBudgetStatus
 observedGeneration 1 int64
 disruptedPods 2 {}Time
 disruptionsAllowed 3 int32 !
 currentHealthy 4 int32 !
 desiredHealthy 5 int32 !
 expectedPods 6 int32 !
 conditions 7 []meta/v1.Condition list=map:type patch=merge:type
package policy/v1beta1
Eviction kind
 metadata 1 meta/v1.ObjectMeta
 deleteOptions 2 meta/v1.DeleteOptions ?
PodDisruptionBudget kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodDisruptionBudgetSpec
 status 3 PodDisruptionBudgetStatus
PodDisruptionBudgetList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PodDisruptionBudget !
PodDisruptionBudgetSpec
 minAvailable 1 IntOrString ?
 selector 2 meta/v1.LabelSelector ?
 maxUnavailable 3 IntOrString ?
 unhealthyPodEvictionPolicy 4 enum ? = AlwaysAllow|IfHealthyBudget
PodDisruptionBudgetStatus
 observedGeneration 1 int64
 disruptedPods 2 {}Time
 disruptionsAllowed 3 int32 !
 currentHealthy 4 int32 !
 desiredHealthy 5 int32 !
 expectedPods 6 int32 !
 conditions 7 []meta/v1.Condition list=map:type patch=merge:type
package rbac/v1
AggregationRule
 clusterRoleSelectors 1 []meta/v1.LabelSelector list=atomic
ClusterRole kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
 aggregationRule 3 AggregationRule ?
ClusterRoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
ClusterRoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRoleBinding !
ClusterRoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRole !
PolicyRule
 verbs 1 []string ! list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
 nonResourceURLs 5 []string list=atomic
Role kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
RoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
RoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RoleBinding !
RoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Role !
RoleRef atomic
 apiGroup 1 string !
 kind 2 string !
 name 3 string !
Subject atomic
 kind 1 string !
 apiGroup 2 string
 name 3 string !
 namespace 4 string
package rbac/v1alpha1
AggregationRule
 clusterRoleSelectors 1 []meta/v1.LabelSelector list=atomic
ClusterRole kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
 aggregationRule 3 AggregationRule ?
ClusterRoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
ClusterRoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRoleBinding !
ClusterRoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRole !
PolicyRule
 verbs 1 []string ! list=atomic
 apiGroups 3 []string list=atomic
 resources 4 []string list=atomic
 resourceNames 5 []string list=atomic
 nonResourceURLs 6 []string list=atomic
Role kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
RoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
RoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RoleBinding !
RoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Role !
RoleRef
 apiGroup 1 string !
 kind 2 string !
 name 3 string !
Subject
 kind 1 string !
 apiVersion 2 string
 name 3 string !
 namespace 4 string
package rbac/v1beta1
AggregationRule
 clusterRoleSelectors 1 []meta/v1.LabelSelector list=atomic
ClusterRole kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
 aggregationRule 3 AggregationRule ?
ClusterRoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
ClusterRoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRoleBinding !
ClusterRoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ClusterRole !
PolicyRule
 verbs 1 []string ! list=atomic
 apiGroups 2 []string list=atomic
 resources 3 []string list=atomic
 resourceNames 4 []string list=atomic
 nonResourceURLs 5 []string list=atomic
Role kind
 metadata 1 meta/v1.ObjectMeta
 rules 2 []PolicyRule list=atomic
RoleBinding kind
 metadata 1 meta/v1.ObjectMeta
 subjects 2 []Subject list=atomic
 roleRef 3 RoleRef !
RoleBindingList kind
 metadata 1 meta/v1.ListMeta
 items 2 []RoleBinding !
RoleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []Role !
RoleRef
 apiGroup 1 string !
 kind 2 string !
 name 3 string !
Subject
 kind 1 string !
 apiGroup 2 string
 name 3 string !
 namespace 4 string
package resource/v1alpha3
AllocatedDeviceStatus
 driver 1 string !
 pool 2 string !
 device 3 string !
 conditions 4 []meta/v1.Condition list=map:type
 data 5 RawExtension ?
 networkData 6 NetworkDeviceData ?
AllocationResult
 devices 1 DeviceAllocationResult
 nodeSelector 3 core/v1.NodeSelector ?
BasicDevice
 attributes 1 {}DeviceAttribute
 capacity 2 {}Quantity
 consumesCounters 3 []DeviceCounterConsumption list=atomic
 nodeName 4 string ?
 nodeSelector 5 core/v1.NodeSelector ?
 allNodes 6 boolean ?
 taints 7 []DeviceTaint list=atomic
CELDeviceSelector
 expression 1 string !
Counter
 value 1 Quantity !
CounterSet
 name 1 string !
 counters 2 {}Counter !
Device
 name 1 string !
 basic 2 BasicDevice ?
DeviceAllocationConfiguration
 source 1 string !
 requests 2 []string list=atomic
 - 3 DeviceConfiguration
DeviceAllocationResult
 results 1 []DeviceRequestAllocationResult list=atomic
 config 2 []DeviceAllocationConfiguration list=atomic
DeviceAttribute
 int 2 int64 ?
 bool 3 boolean ?
 string 4 string ?
 version 5 string ?
DeviceClaim
 requests 1 []DeviceRequest list=atomic
 constraints 2 []DeviceConstraint list=atomic
 config 3 []DeviceClaimConfiguration list=atomic
DeviceClaimConfiguration
 requests 1 []string list=atomic
 - 2 DeviceConfiguration
DeviceClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeviceClassSpec !
DeviceClassConfiguration
 - 1 DeviceConfiguration
DeviceClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DeviceClass !
DeviceClassSpec
 selectors 1 []DeviceSelector list=atomic
 config 2 []DeviceClassConfiguration list=atomic
DeviceConfiguration
 opaque 1 OpaqueDeviceConfiguration ?
DeviceConstraint
 requests 1 []string list=atomic
 matchAttribute 2 string ?
DeviceCounterConsumption
 counterSet 1 string !
 counters 2 {}Counter !
DeviceRequest
 name 1 string !
 deviceClassName 2 string
 selectors 3 []DeviceSelector list=atomic
 allocationMode 4 string
 count 5 int64
 adminAccess 6 boolean ?
 firstAvailable 7 []DeviceSubRequest list=atomic
 tolerations 8 []DeviceToleration list=atomic
DeviceRequestAllocationResult
 request 1 string !
 driver 2 string !
 pool 3 string !
 device 4 string !
 adminAccess 5 boolean ?
 tolerations 6 []DeviceToleration list=atomic
DeviceSelector
 cel 1 CELDeviceSelector ?
DeviceSubRequest
 name 1 string !
 deviceClassName 2 string !
 selectors 3 []DeviceSelector list=atomic
 allocationMode 4 string
 count 5 int64
 tolerations 7 []DeviceToleration list=atomic
DeviceTaint
 key 1 string !
 value 2 string
 effect 3 enum ! = NoExecute|NoSchedule
 timeAdded 4 Time ?
DeviceTaintRule kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeviceTaintRuleSpec !
DeviceTaintRuleList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DeviceTaintRule !
DeviceTaintRuleSpec
 deviceSelector 1 DeviceTaintSelector ?
 taint 2 DeviceTaint !
DeviceTaintSelector
 deviceClassName 1 string ?
 driver 2 string ?
 pool 3 string ?
 device 4 string ?
 selectors 5 []DeviceSelector list=atomic
DeviceToleration
 key 1 string
 operator 2 enum default="Equal" = Equal|Exists
 value 3 string
 effect 4 enum = NoExecute|NoSchedule
 tolerationSeconds 5 int64 ?
NetworkDeviceData
 interfaceName 1 string
 ips 2 []string list=atomic
 hardwareAddress 3 string
OpaqueDeviceConfiguration
 driver 1 string !
 parameters 2 RawExtension !
ResourceClaim kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
 status 3 ResourceClaimStatus
ResourceClaimConsumerReference
 apiGroup 1 string
 resource 3 string !
 name 4 string !
 uid 5 string !
ResourceClaimList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaim !
ResourceClaimSpec
 devices 1 DeviceClaim
ResourceClaimStatus
 allocation 1 AllocationResult ?
 reservedFor 2 []ResourceClaimConsumerReference list=map:uid patch=merge:uid
 devices 4 []AllocatedDeviceStatus list=map:driver,device,pool
ResourceClaimTemplate kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimTemplateSpec !
ResourceClaimTemplateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaimTemplate !
ResourceClaimTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
ResourcePool
 name 1 string !
 generation 2 int64 !
 resourceSliceCount 3 int64 !
ResourceSlice kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceSliceSpec !
ResourceSliceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceSlice !
ResourceSliceSpec
 driver 1 string !
 pool 2 ResourcePool !
 nodeName 3 string
 nodeSelector 4 core/v1.NodeSelector ?
 allNodes 5 boolean
 devices 6 []Device list=atomic
 perDeviceNodeSelection 7 boolean ?
 sharedCounters 8 []CounterSet list=atomic
package resource/v1beta1
AllocatedDeviceStatus
 driver 1 string !
 pool 2 string !
 device 3 string !
 conditions 4 []meta/v1.Condition list=map:type
 data 5 RawExtension ?
 networkData 6 NetworkDeviceData ?
AllocationResult
 devices 1 DeviceAllocationResult
 nodeSelector 3 core/v1.NodeSelector ?
BasicDevice
 attributes 1 {}DeviceAttribute
 capacity 2 {}DeviceCapacity
 consumesCounters 3 []DeviceCounterConsumption list=atomic
 nodeName 4 string ?
 nodeSelector 5 core/v1.NodeSelector ?
 allNodes 6 boolean ?
 taints 7 []DeviceTaint list=atomic
CELDeviceSelector
 expression 1 string !
Counter
 value 1 Quantity !
CounterSet
 name 1 string !
 counters 2 {}Counter !
Device
 name 1 string !
 basic 2 BasicDevice ?
DeviceAllocationConfiguration
 source 1 string !
 requests 2 []string list=atomic
 - 3 DeviceConfiguration
DeviceAllocationResult
 results 1 []DeviceRequestAllocationResult list=atomic
 config 2 []DeviceAllocationConfiguration list=atomic
DeviceAttribute
 int 2 int64 ?
 bool 3 boolean ?
 string 4 string ?
 version 5 string ?
DeviceCapacity
 value 1 Quantity !
DeviceClaim
 requests 1 []DeviceRequest list=atomic
 constraints 2 []DeviceConstraint list=atomic
 config 3 []DeviceClaimConfiguration list=atomic
DeviceClaimConfiguration
 requests 1 []string list=atomic
 - 2 DeviceConfiguration
DeviceClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeviceClassSpec !
DeviceClassConfiguration
 - 1 DeviceConfiguration
DeviceClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DeviceClass !
DeviceClassSpec
 selectors 1 []DeviceSelector list=atomic
 config 2 []DeviceClassConfiguration list=atomic
DeviceConfiguration
 opaque 1 OpaqueDeviceConfiguration ?
DeviceConstraint
 requests 1 []string list=atomic
 matchAttribute 2 string ?
DeviceCounterConsumption
 counterSet 1 string !
 counters 2 {}Counter !
DeviceRequest
 name 1 string !
 deviceClassName 2 string
 selectors 3 []DeviceSelector list=atomic
 allocationMode 4 string
 count 5 int64
 adminAccess 6 boolean ?
 firstAvailable 7 []DeviceSubRequest list=atomic
 tolerations 8 []DeviceToleration list=atomic
DeviceRequestAllocationResult
 request 1 string !
 driver 2 string !
 pool 3 string !
 device 4 string !
 adminAccess 5 boolean ?
 tolerations 6 []DeviceToleration list=atomic
DeviceSelector
 cel 1 CELDeviceSelector ?
DeviceSubRequest
 name 1 string !
 deviceClassName 2 string !
 selectors 3 []DeviceSelector list=atomic
 allocationMode 4 string
 count 5 int64
 tolerations 7 []DeviceToleration list=atomic
DeviceTaint
 key 1 string !
 value 2 string
 effect 3 enum ! = NoExecute|NoSchedule
 timeAdded 4 Time ?
DeviceToleration
 key 1 string
 operator 2 enum default="Equal" = Equal|Exists
 value 3 string
 effect 4 enum = NoExecute|NoSchedule
 tolerationSeconds 5 int64 ?
NetworkDeviceData
 interfaceName 1 string
 ips 2 []string list=atomic
 hardwareAddress 3 string
OpaqueDeviceConfiguration
 driver 1 string !
 parameters 2 RawExtension !
ResourceClaim kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
 status 3 ResourceClaimStatus
ResourceClaimConsumerReference
 apiGroup 1 string
 resource 3 string !
 name 4 string !
 uid 5 string !
ResourceClaimList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaim !
ResourceClaimSpec
 devices 1 DeviceClaim
ResourceClaimStatus
 allocation 1 AllocationResult ?
 reservedFor 2 []ResourceClaimConsumerReference list=map:uid patch=merge:uid
 devices 4 []AllocatedDeviceStatus list=map:driver,device,pool
ResourceClaimTemplate kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimTemplateSpec !
ResourceClaimTemplateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaimTemplate !
ResourceClaimTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
ResourcePool
 name 1 string !
 generation 2 int64 !
 resourceSliceCount 3 int64 !
ResourceSlice kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceSliceSpec !
ResourceSliceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceSlice !
ResourceSliceSpec
 driver 1 string !
 pool 2 ResourcePool !
 nodeName 3 string
 nodeSelector 4 core/v1.NodeSelector ?
 allNodes 5 boolean
 devices 6 []Device list=atomic
 perDeviceNodeSelection 7 boolean ?
 sharedCounters 8 []CounterSet list=atomic
package resource/v1beta2
AllocatedDeviceStatus
 driver 1 string !
 pool 2 string !
 device 3 string !
 conditions 4 []meta/v1.Condition list=map:type
 data 5 RawExtension ?
 networkData 6 NetworkDeviceData ?
AllocationResult
 devices 1 DeviceAllocationResult
 nodeSelector 3 core/v1.NodeSelector ?
CELDeviceSelector
 expression 1 string !
Counter
 value 1 Quantity !
CounterSet
 name 1 string !
 counters 2 {}Counter !
Device
 name 1 string !
 attributes 2 {}DeviceAttribute
 capacity 3 {}DeviceCapacity
 consumesCounters 4 []DeviceCounterConsumption list=atomic
 nodeName 5 string ?
 nodeSelector 6 core/v1.NodeSelector ?
 allNodes 7 boolean ?
 taints 8 []DeviceTaint list=atomic
DeviceAllocationConfiguration
 source 1 string !
 requests 2 []string list=atomic
 - 3 DeviceConfiguration
DeviceAllocationResult
 results 1 []DeviceRequestAllocationResult list=atomic
 config 2 []DeviceAllocationConfiguration list=atomic
DeviceAttribute
 int 2 int64 ?
 bool 3 boolean ?
 string 4 string ?
 version 5 string ?
DeviceCapacity
 value 1 Quantity !
DeviceClaim
 requests 1 []DeviceRequest list=atomic
 constraints 2 []DeviceConstraint list=atomic
 config 3 []DeviceClaimConfiguration list=atomic
DeviceClaimConfiguration
 requests 1 []string list=atomic
 - 2 DeviceConfiguration
DeviceClass kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 DeviceClassSpec !
DeviceClassConfiguration
 - 1 DeviceConfiguration
DeviceClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []DeviceClass !
DeviceClassSpec
 selectors 1 []DeviceSelector list=atomic
 config 2 []DeviceClassConfiguration list=atomic
DeviceConfiguration
 opaque 1 OpaqueDeviceConfiguration ?
DeviceConstraint
 requests 1 []string list=atomic
 matchAttribute 2 string ?
DeviceCounterConsumption
 counterSet 1 string !
 counters 2 {}Counter !
DeviceRequest
 name 1 string !
 exactly 2 ExactDeviceRequest ?
 firstAvailable 3 []DeviceSubRequest list=atomic
DeviceRequestAllocationResult
 request 1 string !
 driver 2 string !
 pool 3 string !
 device 4 string !
 adminAccess 5 boolean ?
 tolerations 6 []DeviceToleration list=atomic
DeviceSelector
 cel 1 CELDeviceSelector ?
DeviceSubRequest
 name 1 string !
 deviceClassName 2 string !
 selectors 3 []DeviceSelector list=atomic
 allocationMode 4 string
 count 5 int64
 tolerations 6 []DeviceToleration list=atomic
DeviceTaint
 key 1 string !
 value 2 string
 effect 3 enum ! = NoExecute|NoSchedule
 timeAdded 4 Time ?
DeviceToleration
 key 1 string
 operator 2 enum default="Equal" = Equal|Exists
 value 3 string
 effect 4 enum = NoExecute|NoSchedule
 tolerationSeconds 5 int64 ?
ExactDeviceRequest
 deviceClassName 1 string !
 selectors 2 []DeviceSelector list=atomic
 allocationMode 3 string
 count 4 int64
 adminAccess 5 boolean ?
 tolerations 6 []DeviceToleration list=atomic
NetworkDeviceData
 interfaceName 1 string
 ips 2 []string list=atomic
 hardwareAddress 3 string
OpaqueDeviceConfiguration
 driver 1 string !
 parameters 2 RawExtension !
ResourceClaim kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
 status 3 ResourceClaimStatus
ResourceClaimConsumerReference
 apiGroup 1 string
 resource 3 string !
 name 4 string !
 uid 5 string !
ResourceClaimList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaim !
ResourceClaimSpec
 devices 1 DeviceClaim
ResourceClaimStatus
 allocation 1 AllocationResult ?
 reservedFor 2 []ResourceClaimConsumerReference list=map:uid patch=merge:uid
 devices 4 []AllocatedDeviceStatus list=map:driver,device,pool
ResourceClaimTemplate kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimTemplateSpec !
ResourceClaimTemplateList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceClaimTemplate !
ResourceClaimTemplateSpec
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceClaimSpec !
ResourcePool
 name 1 string !
 generation 2 int64 !
 resourceSliceCount 3 int64 !
ResourceSlice kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 ResourceSliceSpec !
ResourceSliceList kind
 metadata 1 meta/v1.ListMeta
 items 2 []ResourceSlice !
ResourceSliceSpec
 driver 1 string !
 pool 2 ResourcePool !
 nodeName 3 string ?
 nodeSelector 4 core/v1.NodeSelector ?
 allNodes 5 boolean ?
 devices 6 []Device list=atomic
 perDeviceNodeSelection 7 boolean ?
 sharedCounters 8 []CounterSet list=atomic
package scheduling/v1
PriorityClass kind
 metadata 1 meta/v1.ObjectMeta
 value 2 int32 !
 globalDefault 3 boolean
 description 4 string
 preemptionPolicy 5 enum ? = Never|PreemptLowerPriority
PriorityClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityClass !
package scheduling/v1alpha1
PriorityClass kind
 metadata 1 meta/v1.ObjectMeta
 value 2 int32 !
 globalDefault 3 boolean
 description 4 string
 preemptionPolicy 5 enum ? = Never|PreemptLowerPriority
PriorityClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityClass !
package scheduling/v1beta1
PriorityClass kind
 metadata 1 meta/v1.ObjectMeta
 value 2 int32 !
 globalDefault 3 boolean
 description 4 string
 preemptionPolicy 5 enum ? = Never|PreemptLowerPriority
PriorityClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PriorityClass !
package storage/v1
CSIDriver kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CSIDriverSpec !
CSIDriverList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSIDriver !
CSIDriverSpec
 attachRequired 1 boolean ?
 podInfoOnMount 2 boolean ?
 volumeLifecycleModes 3 []enum list=set = Ephemeral|Persistent
 storageCapacity 4 boolean ?
 fsGroupPolicy 5 enum ? = File|None|ReadWriteOnceWithFSType
 tokenRequests 6 []TokenRequest list=atomic
 requiresRepublish 7 boolean ?
 seLinuxMount 8 boolean ?
 nodeAllocatableUpdatePeriodSeconds 9 int64 ?
CSINode kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CSINodeSpec !
CSINodeDriver
 name 1 string !
 nodeID 2 string !
 topologyKeys 3 []string list=atomic
 allocatable 4 VolumeNodeResources ?
CSINodeList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSINode !
CSINodeSpec
 drivers 1 []CSINodeDriver ! list=map:name patch=merge:name
CSIStorageCapacity kind
 metadata 1 meta/v1.ObjectMeta
 nodeTopology 2 meta/v1.LabelSelector ?
 storageClassName 3 string !
 capacity 4 Quantity ?
 maximumVolumeSize 5 Quantity ?
CSIStorageCapacityList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSIStorageCapacity !
StorageClass kind
 metadata 1 meta/v1.ObjectMeta
 provisioner 2 string !
 parameters 3 {}string
 reclaimPolicy 4 enum ? = Delete|Recycle|Retain
 mountOptions 5 []string list=atomic
 allowVolumeExpansion 6 boolean ?
 volumeBindingMode 7 enum ? = Immediate|WaitForFirstConsumer
 allowedTopologies 8 []core/v1.TopologySelectorTerm list=atomic
StorageClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StorageClass !
TokenRequest
 audience 1 string !
 expirationSeconds 2 int64 ?
VolumeAttachment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 VolumeAttachmentSpec !
 status 3 VolumeAttachmentStatus
VolumeAttachmentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []VolumeAttachment !
VolumeAttachmentSource
 persistentVolumeName 1 string ?
 inlineVolumeSpec 2 core/v1.PersistentVolumeSpec ?
VolumeAttachmentSpec
 attacher 1 string !
 source 2 VolumeAttachmentSource !
 nodeName 3 string !
VolumeAttachmentStatus
 attached 1 boolean !
 attachmentMetadata 2 {}string
 attachError 3 VolumeError ?
 detachError 4 VolumeError ?
VolumeError
 time 1 Time
 message 2 string
 errorCode 3 int32 ?
VolumeNodeResources
 count 1 int32 ?
package storage/v1alpha1
CSIStorageCapacity kind
 metadata 1 meta/v1.ObjectMeta
 nodeTopology 2 meta/v1.LabelSelector ?
 storageClassName 3 string !
 capacity 4 Quantity ?
 maximumVolumeSize 5 Quantity ?
CSIStorageCapacityList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSIStorageCapacity !
VolumeAttachment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 VolumeAttachmentSpec !
 status 3 VolumeAttachmentStatus
VolumeAttachmentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []VolumeAttachment !
VolumeAttachmentSource
 persistentVolumeName 1 string ?
 inlineVolumeSpec 2 core/v1.PersistentVolumeSpec ?
VolumeAttachmentSpec
 attacher 1 string !
 source 2 VolumeAttachmentSource !
 nodeName 3 string !
VolumeAttachmentStatus
 attached 1 boolean !
 attachmentMetadata 2 {}string
 attachError 3 VolumeError ?
 detachError 4 VolumeError ?
VolumeAttributesClass kind
 metadata 1 meta/v1.ObjectMeta
 driverName 2 string !
 parameters 3 {}string
VolumeAttributesClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []VolumeAttributesClass !
VolumeError
 time 1 Time
 message 2 string
 errorCode 3 int32 ?
package storage/v1beta1
CSIDriver kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CSIDriverSpec !
CSIDriverList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSIDriver !
CSIDriverSpec
 attachRequired 1 boolean ?
 podInfoOnMount 2 boolean ?
 volumeLifecycleModes 3 []enum list=atomic = Ephemeral|Persistent
 storageCapacity 4 boolean ?
 fsGroupPolicy 5 enum ? = File|None|ReadWriteOnceWithFSType
 tokenRequests 6 []TokenRequest list=atomic
 requiresRepublish 7 boolean ?
 seLinuxMount 8 boolean ?
 nodeAllocatableUpdatePeriodSeconds 9 int64 ?
CSINode kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 CSINodeSpec !
CSINodeDriver
 name 1 string !
 nodeID 2 string !
 topologyKeys 3 []string list=atomic
 allocatable 4 VolumeNodeResources ?
CSINodeList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSINode !
CSINodeSpec
 drivers 1 []CSINodeDriver ! list=map:name patch=merge:name
CSIStorageCapacity kind
 metadata 1 meta/v1.ObjectMeta
 nodeTopology 2 meta/v1.LabelSelector ?
 storageClassName 3 string !
 capacity 4 Quantity ?
 maximumVolumeSize 5 Quantity ?
CSIStorageCapacityList kind
 metadata 1 meta/v1.ListMeta
 items 2 []CSIStorageCapacity !
StorageClass kind
 metadata 1 meta/v1.ObjectMeta
 provisioner 2 string !
 parameters 3 {}string
 reclaimPolicy 4 enum ? = Delete|Recycle|Retain
 mountOptions 5 []string list=atomic
 allowVolumeExpansion 6 boolean ?
 volumeBindingMode 7 enum ? = Immediate|WaitForFirstConsumer
 allowedTopologies 8 []core/v1.TopologySelectorTerm list=atomic
StorageClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StorageClass !
TokenRequest
 audience 1 string !
 expirationSeconds 2 int64 ?
VolumeAttachment kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 VolumeAttachmentSpec !
 status 3 VolumeAttachmentStatus
VolumeAttachmentList kind
 metadata 1 meta/v1.ListMeta
 items 2 []VolumeAttachment !
VolumeAttachmentSource
 persistentVolumeName 1 string ?
 inlineVolumeSpec 2 core/v1.PersistentVolumeSpec ?
VolumeAttachmentSpec
 attacher 1 string !
 source 2 VolumeAttachmentSource !
 nodeName 3 string !
VolumeAttachmentStatus
 attached 1 boolean !
 attachmentMetadata 2 {}string
 attachError 3 VolumeError ?
 detachError 4 VolumeError ?
VolumeAttributesClass kind
 metadata 1 meta/v1.ObjectMeta
 driverName 2 string !
 parameters 3 {}string
VolumeAttributesClassList kind
 metadata 1 meta/v1.ListMeta
 items 2 []VolumeAttributesClass !
VolumeError
 time 1 Time
 message 2 string
 errorCode 3 int32 ?
VolumeNodeResources
 count 1 int32 ?
package storagemigration/v1alpha1
GroupVersionResource
 group 1 string
 version 2 string
 resource 3 string
MigrationCondition
 type 1 enum ! = Failed|Running|Succeeded
 status 2 enum ! = False|True|Unknown
 lastUpdateTime 3 Time
 reason 4 string
 message 5 string
StorageVersionMigration kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 StorageVersionMigrationSpec
 status 3 StorageVersionMigrationStatus
StorageVersionMigrationList kind
 metadata 1 meta/v1.ListMeta
 items 2 []StorageVersionMigration ! list=map:type patch=merge:type
StorageVersionMigrationSpec
 resource 1 GroupVersionResource !
 continueToken 2 string
StorageVersionMigrationStatus
 conditions 1 []MigrationCondition list=map:type patch=merge:type
 resourceVersion 2 string
package extensions/v1beta1
AllowedCSIDriver
 name 1 string !
AllowedFlexVolume
 driver 1 string !
AllowedHostPath
 pathPrefix 1 string
 readOnly 2 boolean
FSGroupStrategyOptions
 rule 1 enum = MustRunAs|RunAsAny
 ranges 2 []IDRange
HostPortRange
 min 1 int32 !
 max 2 int32 !
IDRange
 min 1 int64 !
 max 2 int64 !
NetworkPolicyStatus
 conditions 1 []meta/v1.Condition list=map:type patch=merge:type
PodSecurityPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodSecurityPolicySpec
PodSecurityPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PodSecurityPolicy !
PodSecurityPolicySpec
 privileged 1 boolean
 defaultAddCapabilities 2 []string
 requiredDropCapabilities 3 []string
 allowedCapabilities 4 []string
 volumes 5 []enum = *|awsElasticBlockStore|azureDisk|azureFile|cephFS|cinder|configMap|csi|downwardAPI|emptyDir|fc|flexVolume|flocker|gcePersistentDisk|gitRepo|glusterfs|hostPath|iscsi|nfs|persistentVolumeClaim|quobyte|rbd|secret
 hostNetwork 6 boolean
 hostPorts 7 []HostPortRange
 hostPID 8 boolean
 hostIPC 9 boolean
 seLinux 10 SELinuxStrategyOptions !
 runAsUser 11 RunAsUserStrategyOptions !
 runAsGroup 22 RunAsGroupStrategyOptions ?
 supplementalGroups 12 SupplementalGroupsStrategyOptions !
 fsGroup 13 FSGroupStrategyOptions !
 readOnlyRootFilesystem 14 boolean
 defaultAllowPrivilegeEscalation 15 boolean ?
 allowPrivilegeEscalation 16 boolean ?
 allowedHostPaths 17 []AllowedHostPath
 allowedFlexVolumes 18 []AllowedFlexVolume
 allowedCSIDrivers 23 []AllowedCSIDriver
 allowedUnsafeSysctls 19 []string
 forbiddenSysctls 20 []string
 allowedProcMountTypes 21 []enum = Default|Unmasked
 runtimeClass 24 RuntimeClassStrategyOptions ?
RunAsGroupStrategyOptions
 rule 1 enum ! = MayRunAs|MustRunAs|RunAsAny
 ranges 2 []IDRange
RunAsUserStrategyOptions
 rule 1 enum ! = MustRunAs|MustRunAsNonRoot|RunAsAny
 ranges 2 []IDRange
RuntimeClassStrategyOptions
 allowedRuntimeClassNames 1 []string !
 defaultRuntimeClassName 2 string ?
SELinuxStrategyOptions
 rule 1 enum ! = MustRunAs|RunAsAny
 seLinuxOptions 2 core/v1.SELinuxOptions ?
SupplementalGroupsStrategyOptions
 rule 1 enum = MustRunAs|RunAsAny
 ranges 2 []IDRange
package policy/v1beta1
AllowedCSIDriver
 name 1 string !
AllowedFlexVolume
 driver 1 string !
AllowedHostPath
 pathPrefix 1 string
 readOnly 2 boolean
FSGroupStrategyOptions
 rule 1 enum = MayRunAs|MustRunAs|RunAsAny
 ranges 2 []IDRange
HostPortRange
 min 1 int32 !
 max 2 int32 !
IDRange
 min 1 int64 !
 max 2 int64 !
PodSecurityPolicy kind
 metadata 1 meta/v1.ObjectMeta
 spec 2 PodSecurityPolicySpec
PodSecurityPolicyList kind
 metadata 1 meta/v1.ListMeta
 items 2 []PodSecurityPolicy !
PodSecurityPolicySpec
 privileged 1 boolean
 defaultAddCapabilities 2 []string
 requiredDropCapabilities 3 []string
 allowedCapabilities 4 []string
 volumes 5 []enum = *|awsElasticBlockStore|azureDisk|azureFile|cephFS|cinder|configMap|csi|downwardAPI|emptyDir|ephemeral|fc|flexVolume|flocker|gcePersistentDisk|gitRepo|glusterfs|hostPath|iscsi|nfs|persistentVolumeClaim|photonPersistentDisk|portworxVolume|projected|quobyte|rbd|scaleIO|secret|storageos|vsphereVolume
 hostNetwork 6 boolean
 hostPorts 7 []HostPortRange
 hostPID 8 boolean
 hostIPC 9 boolean
 seLinux 10 SELinuxStrategyOptions !
 runAsUser 11 RunAsUserStrategyOptions !
 runAsGroup 22 RunAsGroupStrategyOptions ?
 supplementalGroups 12 SupplementalGroupsStrategyOptions !
 fsGroup 13 FSGroupStrategyOptions !
 readOnlyRootFilesystem 14 boolean
 defaultAllowPrivilegeEscalation 15 boolean ?
 allowPrivilegeEscalation 16 boolean ?
 allowedHostPaths 17 []AllowedHostPath
 allowedFlexVolumes 18 []AllowedFlexVolume
 allowedCSIDrivers 23 []AllowedCSIDriver
 allowedUnsafeSysctls 19 []string
 forbiddenSysctls 20 []string
 allowedProcMountTypes 21 []enum = Default|Unmasked
 runtimeClass 24 RuntimeClassStrategyOptions ?
RunAsGroupStrategyOptions
 rule 1 enum ! = MayRunAs|MustRunAs|RunAsAny
 ranges 2 []IDRange
RunAsUserStrategyOptions
 rule 1 enum ! = MustRunAs|MustRunAsNonRoot|RunAsAny
 ranges 2 []IDRange
RuntimeClassStrategyOptions
 allowedRuntimeClassNames 1 []string !
 defaultRuntimeClassName 2 string ?
SELinuxStrategyOptions
 rule 1 enum ! = MustRunAs|RunAsAny
 seLinuxOptions 2 core/v1.SELinuxOptions ?
SupplementalGroupsStrategyOptions
 rule 1 enum = MayRunAs|MustRunAs|RunAsAny
 ranges 2 []IDRange
`;
