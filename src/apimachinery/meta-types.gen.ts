/**
 * The types that every group shares: metadata, lists, Status, options. Generated from the facts
 * by generate/field-types.ts.
 * src/apimachinery/typed/type-rows.ts says how rows are read.
 */
export const metaTypeRows = `
package meta/v1
APIGroup kind
 name 1 string !
 versions 2 []GroupVersionForDiscovery ! list=atomic
 preferredVersion 3 GroupVersionForDiscovery
 serverAddressByClientCIDRs 4 []ServerAddressByClientCIDR list=atomic
APIGroupList kind
 groups 1 []APIGroup ! list=atomic
APIResource
 name 1 string !
 singularName 6 string !
 namespaced 2 boolean !
 group 8 string
 version 9 string
 kind 3 string !
 verbs 4 []string ! wrapped
 shortNames 5 []string list=atomic
 categories 7 []string list=atomic
 storageVersionHash 10 string
APIResourceList kind
 groupVersion 1 string !
 resources 2 []APIResource ! list=atomic
APIVersions kind
 versions 1 []string ! list=atomic
 serverAddressByClientCIDRs 2 []ServerAddressByClientCIDR ! list=atomic
ApplyOptions kind
 dryRun 1 []string list=atomic
 force 2 boolean !
 fieldManager 3 string !
Condition
 type 1 string !
 status 2 enum ! = False|True|Unknown
 observedGeneration 3 int64
 lastTransitionTime 4 Time !
 reason 5 string !
 message 6 string !
CreateOptions kind
 dryRun 1 []string list=atomic
 fieldManager 3 string
 fieldValidation 4 string
DeleteOptions kind
 gracePeriodSeconds 1 int64 ?
 preconditions 2 Preconditions ?
 orphanDependents 3 boolean ?
 propagationPolicy 4 enum ? = Background|Foreground|Orphan
 dryRun 5 []string list=atomic
 ignoreStoreReadErrorWithClusterBreakingPotential 6 boolean ?
FieldSelectorRequirement
 key 1 string !
 operator 2 enum ! = DoesNotExist|Exists|In|NotIn
 values 3 []string list=atomic
FieldsV1 raw
GetOptions kind
 resourceVersion 1 string
GroupVersionForDiscovery
 groupVersion 1 string !
 version 2 string !
GroupVersionKind
 group 1 string !
 version 2 string !
 kind 3 string !
GroupVersionResource
 group 1 string !
 version 2 string !
 resource 3 string !
LabelSelector atomic
 matchLabels 1 {}string
 matchExpressions 2 []LabelSelectorRequirement list=atomic
LabelSelectorRequirement
 key 1 string !
 operator 2 enum ! = DoesNotExist|Exists|In|NotIn
 values 3 []string list=atomic
List kind
 metadata 1 ListMeta
 items 2 []RawExtension !
ListMeta
 selfLink 1 string
 resourceVersion 2 string
 continue 3 string
 remainingItemCount 4 int64 ?
ListOptions kind
 labelSelector 1 string
 fieldSelector 2 string
 watch 3 boolean
 allowWatchBookmarks 9 boolean
 resourceVersion 4 string
 resourceVersionMatch 10 enum = Exact|NotOlderThan
 timeoutSeconds 5 int64 ?
 limit 7 int64
 continue 8 string
 sendInitialEvents 11 boolean ?
ManagedFieldsEntry
 manager 1 string
 operation 2 enum = Apply|Update
 apiVersion 3 string
 time 4 Time ?
 fieldsType 6 string
 fieldsV1 7 FieldsV1 ?
 subresource 8 string
ObjectMeta
 name 1 string
 generateName 2 string
 namespace 3 string
 selfLink 4 string
 uid 5 string
 resourceVersion 6 string
 generation 7 int64
 creationTimestamp 8 Time
 deletionTimestamp 9 Time ?
 deletionGracePeriodSeconds 10 int64 ?
 labels 11 {}string
 annotations 12 {}string
 ownerReferences 13 []OwnerReference list=map:uid patch=merge:uid
 finalizers 14 []string list=set patch=merge
 managedFields 17 []ManagedFieldsEntry list=atomic
OwnerReference atomic
 apiVersion 5 string !
 kind 1 string !
 name 3 string !
 uid 4 string !
 controller 6 boolean ?
 blockOwnerDeletion 7 boolean ?
PartialObjectMetadata kind
 metadata 1 ObjectMeta
PartialObjectMetadataList kind
 metadata 1 ListMeta
 items 2 []PartialObjectMetadata !
PatchOptions kind
 dryRun 1 []string list=atomic
 force 2 boolean ?
 fieldManager 3 string
 fieldValidation 4 string
Preconditions
 uid 1 string ?
 resourceVersion 2 string ?
RootPaths
 paths 1 []string ! list=atomic
ServerAddressByClientCIDR
 clientCIDR 1 string !
 serverAddress 2 string !
Status kind
 metadata 1 ListMeta
 status 2 string
 message 3 string
 reason 4 enum = |AlreadyExists|BadRequest|Conflict|Expired|Forbidden|Gone|InternalError|Invalid|MethodNotAllowed|NotAcceptable|NotFound|RequestEntityTooLarge|ServerTimeout|ServiceUnavailable|StorageReadError|Timeout|TooManyRequests|Unauthorized|UnsupportedMediaType
 details 5 StatusDetails ? list=atomic
 code 6 int32
StatusCause
 reason 1 enum = FieldManagerConflict|FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueNotFound|FieldValueNotSupported|FieldValueRequired|FieldValueTooLong|FieldValueTooMany|FieldValueTypeInvalid|InternalError|ResourceVersionTooLarge|UnexpectedServerResponse
 message 2 string
 field 3 string
StatusDetails
 name 1 string
 group 2 string
 kind 3 string
 uid 6 string
 causes 4 []StatusCause list=atomic
 retryAfterSeconds 5 int32
Table kind
 metadata - ListMeta
 columnDefinitions - []TableColumnDefinition ! list=atomic
 rows - []TableRow ! list=atomic
TableColumnDefinition
 name - string !
 type - string !
 format - string !
 description - string !
 priority - int32 !
TableOptions kind
 includeObject 1 enum = Metadata|None|Object
TableRow
 cells - []any ! list=atomic
 conditions - []TableRowCondition list=atomic
 object - RawExtension
TableRowCondition
 type - enum ! = Completed
 status - enum ! = False|True|Unknown
 reason - string
 message - string
UpdateOptions kind
 dryRun 1 []string list=atomic
 fieldManager 2 string
 fieldValidation 3 string
package meta/v1beta1
PartialObjectMetadataList kind
 metadata 2 meta/v1.ListMeta
 items 1 []meta/v1.PartialObjectMetadata !
`;
