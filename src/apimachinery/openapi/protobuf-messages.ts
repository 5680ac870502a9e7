/**
 * The Protobuf form of OpenAPI documents: messages and field numbers of the public schemas
 * openapi.v2 and openapi.v3, as far as the documents of this server use them. Data; read by
 * protobuf-document.ts.
 *
 *     Schema                     a message
 *      $ref 1 string             member of the JSON object, number, type
 *      required 19 []string      repeated
 *      x- 31                     members that begin so, as name and value
 *      * 1 Schema                all other members, as name and value
 *     Parameter one              one of several, by what the JSON value is:
 *      has=schema 1 BodyParameter    an object with this member
 *      in=query 3 QueryParameter     an object whose member `in` is this
 *      is=boolean 2 bool             by typeof
 *      else 1 Schema                 what is left
 */
export const openApiV2Messages = `
Document
 swagger 1 string
 info 2 Info
 paths 8 Paths
 definitions 9 Schemas
 security 12 []SecurityRequirement
 securityDefinitions 13 SecurityDefinitions
Info
 title 1 string
 version 2 string
Paths
 * 2 PathItem
PathItem
 get 2 Operation
 put 3 Operation
 post 4 Operation
 delete 5 Operation
 options 6 Operation
 head 7 Operation
 patch 8 Operation
 parameters 9 []ParametersItem
Operation
 tags 1 []string
 description 3 string
 operationId 5 string
 produces 6 []string
 consumes 7 []string
 parameters 8 []ParametersItem
 responses 9 Responses
 schemes 10 []string
 deprecated 11 bool
 x- 13
ParametersItem one
 else 1 Parameter
Parameter one
 has=schema 1 BodyParameter
 else 2 NonBodyParameter
BodyParameter
 description 1 string
 name 2 string
 in 3 string
 required 4 bool
 schema 5 Schema
NonBodyParameter one
 in=query 3 QueryParameter
 in=path 4 PathParameter
QueryParameter
 in 2 string
 description 3 string
 name 4 string
 type 6 string
 uniqueItems 20 bool
PathParameter
 required 1 bool
 in 2 string
 description 3 string
 name 4 string
 type 5 string
 uniqueItems 19 bool
Responses
 * 1 ResponseValue
ResponseValue one
 else 1 Response
Response
 description 1 string
 schema 2 SchemaItem
SchemaItem one
 else 1 Schema
Schemas
 * 1 Schema
Schema
 $ref 1 string
 format 2 string
 title 3 string
 description 4 string
 default 5 any
 multipleOf 6 double
 maximum 7 double
 exclusiveMaximum 8 bool
 minimum 9 double
 exclusiveMinimum 10 bool
 maxLength 11 int64
 minLength 12 int64
 pattern 13 string
 maxItems 14 int64
 minItems 15 int64
 uniqueItems 16 bool
 maxProperties 17 int64
 minProperties 18 int64
 required 19 []string
 enum 20 []any
 additionalProperties 21 AdditionalProperties
 type 22 TypeItem
 items 23 ItemsItem
 allOf 24 []Schema
 properties 25 Schemas
 externalDocs 29 ExternalDocs
 example 30 any
 x- 31
ExternalDocs
 description 1 string
 url 2 string
AdditionalProperties one
 is=boolean 2 bool
 else 1 Schema
TypeItem one
 else 1 string
ItemsItem one
 else 1 Schema
SecurityDefinitions
 * 1 SecurityDefinition
SecurityDefinition one
 else 2 ApiKeySecurity
ApiKeySecurity
 type 1 string
 name 2 string
 in 3 string
 description 4 string
SecurityRequirement
 * 1 StringArray
StringArray one
`;

export const openApiV3Messages = `
Document
 openapi 1 string
 info 2 Info
 paths 4 Paths
 components 5 Components
Info
 title 1 string
 version 6 string
Components
 schemas 1 Schemas
 securitySchemes 7 SecuritySchemes
SecuritySchemes
 * 1 SecuritySchemeItem
SecuritySchemeItem one
 else 1 SecurityScheme
SecurityScheme
 type 1 string
 description 2 string
 name 3 string
 in 4 string
Paths
 * 1 PathItem
PathItem
 get 4 Operation
 put 5 Operation
 post 6 Operation
 delete 7 Operation
 options 8 Operation
 head 9 Operation
 patch 10 Operation
 parameters 13 []ParameterItem
Operation
 tags 1 []string
 description 3 string
 operationId 5 string
 parameters 6 []ParameterItem
 requestBody 7 RequestBodyItem
 responses 8 Responses
 deprecated 10 bool
 x- 13
ParameterItem one
 else 1 Parameter
Parameter
 name 1 string
 in 2 string
 description 3 string
 required 4 bool
 schema 10 SchemaItem
RequestBodyItem one
 else 1 RequestBody
RequestBody
 content 2 MediaTypes
 required 3 bool
MediaTypes
 * 1 MediaType
MediaType
 schema 1 SchemaItem
Responses
 * 2 ResponseItem
ResponseItem one
 else 1 Response
Response
 description 1 string
 content 3 MediaTypes
Schemas
 * 1 SchemaItem
SchemaItem one
 has=$ref 2 Reference
 else 1 Schema
Reference
 $ref 1 string
Schema
 nullable 1 bool
 externalDocs 6 ExternalDocs
 example 7 any
 title 9 string
 multipleOf 10 double
 maximum 11 double
 exclusiveMaximum 12 bool
 minimum 13 double
 exclusiveMinimum 14 bool
 maxLength 15 int64
 minLength 16 int64
 pattern 17 string
 maxItems 18 int64
 minItems 19 int64
 uniqueItems 20 bool
 maxProperties 21 int64
 minProperties 22 int64
 required 23 []string
 enum 24 []any
 type 25 string
 allOf 26 []SchemaItem
 oneOf 27 []SchemaItem
 anyOf 28 []SchemaItem
 not 29 Schema
 items 30 ItemsItem
 properties 31 Schemas
 additionalProperties 32 AdditionalProperties
 default 33 Default
 description 34 string
 format 35 string
 x- 36
ExternalDocs
 description 1 string
 url 2 string
ItemsItem one
 else 1 SchemaItem
AdditionalProperties one
 is=boolean 2 bool
 else 1 SchemaItem
Default one
 is=number 1 double
 is=boolean 2 bool
 is=string 3 string
`;
