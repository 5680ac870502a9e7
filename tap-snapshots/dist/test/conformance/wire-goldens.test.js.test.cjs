/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in a table 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name of the object, unique for its kind within its namespace.","priority":0},{"name":"Data","type":"string","format":"","description":"Number of entries.","priority":0},{"name":"Age","type":"string","format":"","description":"Time since the server created the object.","priority":0}],"rows":[{"cells":["golden",3,"0s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in CBOR 1`] = `
200
content-type: application/cbor
cache-control: no-cache, private

d9d9f7a54464617461a2436b65794576616c7565446d616e79486f6e650a74776f0a446b696e6449436f6e6669674d61
70486d65746164617461a843756964582430303030303030302d303030302d303030302d303030302d30303030303030
3030303030446e616d6546676f6c64656e466c6162656c73a1436170704178496e616d6573706163654764656661756c
744b616e6e6f746174696f6e73a1446e6f74655461202271756f74656422203c623ec3bc3c2f623e4d6d616e61676564
4669656c647381a64474696d6554323030302d30312d30315430303a30303a30305a476d616e6167657247756e6b6e6f
776e486669656c64735631a346663a64617461a3412ea045663a6b6579a046663a6d616e79a04a663a6d657461646174
61a248663a6c6162656c73a2412ea045663a617070a04d663a616e6e6f746174696f6e73a2412ea046663a6e6f7465a0
4c663a62696e61727944617461a2412ea047663a6279746573a0496f7065726174696f6e465570646174654a61706956
657273696f6e4276314a6669656c647354797065484669656c647356314f7265736f7572636556657273696f6e443030
3030516372656174696f6e54696d657374616d7054323030302d30312d30315430303a30303a30305a4a617069566572
73696f6e4276314a62696e61727944617461a1456279746573d6450001020304
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in its metadata 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in JSON 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value","many":"one\\ntwo\\n"},"binaryData":{"bytes":"AAECAwQ="}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf
cache-control: no-cache, private

6b3873000a0f0a0276311209436f6e6669674d617012ff020acc020a06676f6c64656e12001a0764656661756c742200
2a2430303030303030302d303030302d303030302d303030302d30303030303030303030303032043130303138004208
08808080800110005a080a03617070120178621c0a046e6f7465121461202271756f74656422203c623ec3bc3c2f623e
8a01d3010a07756e6b6e6f776e12065570646174651a0276312208088080808001100032084669656c647356313aa501
0aa2017b22663a62696e61727944617461223a7b222e223a7b7d2c22663a6279746573223a7b7d7d2c22663a64617461
223a7b222e223a7b7d2c22663a6b6579223a7b7d2c22663a6d616e79223a7b7d7d2c22663a6d65746164617461223a7b
22663a616e6e6f746174696f6e73223a7b222e223a7b7d2c22663a6e6f7465223a7b7d7d2c22663a6c6162656c73223a
7b222e223a7b7d2c22663a617070223a7b7d7d7d7d4200120c0a036b6579120576616c756512100a046d616e7912086f
6e650a74776f0a1a0e0a056279746573120500010203041a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map in YAML 1`] = `
200
content-type: application/yaml
cache-control: no-cache, private

kind: ConfigMap
apiVersion: v1
metadata:
  resourceVersion: "0000"
  name: golden
  namespace: default
  uid: 00000000-0000-0000-0000-000000000000
  creationTimestamp: "2000-01-01T00:00:00Z"
  labels:
    app: x
  annotations:
    note: "a \\"quoted\\" <b>ü</b>"
  managedFields:
  - manager: unknown
    operation: Update
    apiVersion: v1
    time: "2000-01-01T00:00:00Z"
    fieldsType: FieldsV1
    fieldsV1:
      f:binaryData:
        ".": {}
        f:bytes: {}
      f:data:
        ".": {}
        f:key: {}
        f:many: {}
      f:metadata:
        f:annotations:
          ".": {}
          f:note: {}
        f:labels:
          ".": {}
          f:app: {}
data:
  key: value
  many: |
    one
    two
binaryData:
  bytes: AAECAwQ=

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map is created 1`] = `
201
content-type: application/json
cache-control: no-cache, private

{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value","many":"one\\ntwo\\n"},"binaryData":{"bytes":"AAECAwQ="}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map is deleted 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"golden","kind":"configmaps","uid":"00000000-0000-0000-0000-000000000000"}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a config map is patched 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value"},"binaryData":{"bytes":"AAECAwQ="}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deletion of an older version 1`] = `
409
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Operation cannot be fulfilled on configmaps \\"golden\\": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (0000). The object might have been modified","reason":"Conflict","details":{"name":"golden","kind":"configmaps"},"code":409}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in a table 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name of the object, unique for its kind within its namespace.","priority":0},{"name":"Ready","type":"string","format":"","description":"Pods that are ready, of those that there shall be.","priority":0},{"name":"Up-to-date","type":"string","format":"","description":"Pods that are made from the template as it is now.","priority":0},{"name":"Available","type":"string","format":"","description":"Pods that have been ready for long enough.","priority":0},{"name":"Age","type":"string","format":"","description":"Time since the server created the object.","priority":0},{"name":"Containers","type":"string","format":"","description":"Names of the containers in the template.","priority":1},{"name":"Images","type":"string","format":"","description":"Images of the containers in the template.","priority":1},{"name":"Selector","type":"string","format":"","description":"Labels of the pods that belong to the object.","priority":1}],"rows":[{"cells":["golden","0/2",0,0,"0s","c","i","app=x"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]}}}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in CBOR 1`] = `
200
content-type: application/cbor
cache-control: no-cache, private

d9d9f7a5446b696e644a4465706c6f796d656e744473706563a6487265706c69636173024873656c6563746f72a14b6d
617463684c6162656c73a1436170704178487374726174656779a244747970654d526f6c6c696e675570646174654d72
6f6c6c696e67557064617465a2486d61785375726765433235254e6d6178556e617661696c61626c6543323525487465
6d706c617465a24473706563a649646e73506f6c6963794c436c757374657246697273744a636f6e7461696e65727381
a6446e616d65416345696d6167654169497265736f7572636573a1466c696d697473a243637075443530306d466d656d
6f7279433147694f696d61676550756c6c506f6c69637946416c77617973567465726d696e6174696f6e4d6573736167
6550617468542f6465762f7465726d696e6174696f6e2d6c6f6758187465726d696e6174696f6e4d657373616765506f
6c6963794446696c654d72657374617274506f6c69637946416c776179734d7363686564756c65724e616d6551646566
61756c742d7363686564756c65724f7365637572697479436f6e74657874a0581d7465726d696e6174696f6e47726163
65506572696f645365636f6e6473181e486d65746164617461a1466c6162656c73a1436170704178547265766973696f
6e486973746f72794c696d69740a5770726f6772657373446561646c696e655365636f6e647319025846737461747573
a0486d65746164617461a743756964582430303030303030302d303030302d303030302d303030302d30303030303030
3030303030446e616d6546676f6c64656e496e616d6573706163654764656661756c744a67656e65726174696f6e014d
6d616e616765644669656c647381a64474696d6554323030302d30312d30315430303a30303a30305a476d616e616765
7247756e6b6e6f776e486669656c64735631a146663a73706563a64a663a7265706c69636173a04a663a73656c656374
6f72a04a663a7374726174656779a246663a74797065a04f663a726f6c6c696e67557064617465a3412ea04a663a6d61
785375726765a050663a6d6178556e617661696c61626c65a04a663a74656d706c617465a246663a73706563a64b663a
646e73506f6c696379a04c663a636f6e7461696e657273a14e6b3a7b226e616d65223a2263227da7412ea046663a6e61
6d65a047663a696d616765a04b663a7265736f7572636573a2412ea048663a6c696d697473a3412ea045663a637075a0
48663a6d656d6f7279a051663a696d61676550756c6c506f6c696379a05818663a7465726d696e6174696f6e4d657373
61676550617468a0581a663a7465726d696e6174696f6e4d657373616765506f6c696379a04f663a7265737461727450
6f6c696379a04f663a7363686564756c65724e616d65a051663a7365637572697479436f6e74657874a0581f663a7465
726d696e6174696f6e4772616365506572696f645365636f6e6473a04a663a6d65746164617461a148663a6c6162656c
73a2412ea045663a617070a056663a7265766973696f6e486973746f72794c696d6974a05819663a70726f6772657373
446561646c696e655365636f6e6473a0496f7065726174696f6e465570646174654a61706956657273696f6e47617070
732f76314a6669656c647354797065484669656c647356314f7265736f7572636556657273696f6e4430303030516372
656174696f6e54696d657374616d7054323030302d30312d30315430303a30303a30305a4a61706956657273696f6e47
617070732f7631
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in its metadata 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in JSON 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","securityContext":{},"terminationGracePeriodSeconds":30,"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf
cache-control: no-cache, private

6b3873000a150a07617070732f7631120a4465706c6f796d656e7412fd070aea050a06676f6c64656e12001a07646566
61756c7422002a2430303030303030302d303030302d303030302d303030302d30303030303030303030303032043130
30323801420808808080800110008a0199050a07756e6b6e6f776e12065570646174651a07617070732f763122080880
80808001100032084669656c647356313ae6040ae3047b22663a73706563223a7b22663a70726f677265737344656164
6c696e655365636f6e6473223a7b7d2c22663a7265706c69636173223a7b7d2c22663a7265766973696f6e486973746f
72794c696d6974223a7b7d2c22663a73656c6563746f72223a7b7d2c22663a7374726174656779223a7b22663a726f6c
6c696e67557064617465223a7b222e223a7b7d2c22663a6d61785375726765223a7b7d2c22663a6d6178556e61766169
6c61626c65223a7b7d7d2c22663a74797065223a7b7d7d2c22663a74656d706c617465223a7b22663a6d657461646174
61223a7b22663a6c6162656c73223a7b222e223a7b7d2c22663a617070223a7b7d7d7d2c22663a73706563223a7b2266
3a636f6e7461696e657273223a7b226b3a7b5c226e616d655c223a5c22635c227d223a7b222e223a7b7d2c22663a696d
616765223a7b7d2c22663a696d61676550756c6c506f6c696379223a7b7d2c22663a6e616d65223a7b7d2c22663a7265
736f7572636573223a7b222e223a7b7d2c22663a6c696d697473223a7b222e223a7b7d2c22663a637075223a7b7d2c22
663a6d656d6f7279223a7b7d7d7d2c22663a7465726d696e6174696f6e4d65737361676550617468223a7b7d2c22663a
7465726d696e6174696f6e4d657373616765506f6c696379223a7b7d7d7d2c22663a646e73506f6c696379223a7b7d2c
22663a72657374617274506f6c696379223a7b7d2c22663a7363686564756c65724e616d65223a7b7d2c22663a736563
7572697479436f6e74657874223a7b7d2c22663a7465726d696e6174696f6e4772616365506572696f645365636f6e64
73223a7b7d7d7d7d7d420012ff010802120a0a080a036170701201781abc010a1a0a0012001a0022002a003200380042
005a080a03617070120178129d0112580a01631201692a0042200a0d0a0363707512060a043530306d0a0f0a066d656d
6f727912050a033147696a142f6465762f7465726d696e6174696f6e2d6c6f677206416c776179738001008801009001
00a2010446696c651a06416c77617973201e320c436c7573746572466972737442004a00520058006000680072008201
008a01009a011164656661756c742d7363686564756c6572c2010022270a0d526f6c6c696e6755706461746512160a09
080110001a033235251209080110001a033235252800300a380048d8041a0c0800100018002000280038001a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment in YAML 1`] = `
200
content-type: application/yaml
cache-control: no-cache, private

kind: Deployment
apiVersion: apps/v1
metadata:
  resourceVersion: "0000"
  name: golden
  namespace: default
  uid: 00000000-0000-0000-0000-000000000000
  generation: 1
  creationTimestamp: "2000-01-01T00:00:00Z"
  managedFields:
  - manager: unknown
    operation: Update
    apiVersion: apps/v1
    time: "2000-01-01T00:00:00Z"
    fieldsType: FieldsV1
    fieldsV1:
      f:spec:
        f:progressDeadlineSeconds: {}
        f:replicas: {}
        f:revisionHistoryLimit: {}
        f:selector: {}
        f:strategy:
          f:rollingUpdate:
            ".": {}
            f:maxSurge: {}
            f:maxUnavailable: {}
          f:type: {}
        f:template:
          f:metadata:
            f:labels:
              ".": {}
              f:app: {}
          f:spec:
            f:containers:
              "k:{\\"name\\":\\"c\\"}":
                ".": {}
                f:image: {}
                f:imagePullPolicy: {}
                f:name: {}
                f:resources:
                  ".": {}
                  f:limits:
                    ".": {}
                    f:cpu: {}
                    f:memory: {}
                f:terminationMessagePath: {}
                f:terminationMessagePolicy: {}
            f:dnsPolicy: {}
            f:restartPolicy: {}
            f:schedulerName: {}
            f:securityContext: {}
            f:terminationGracePeriodSeconds: {}
spec:
  replicas: 2
  selector:
    matchLabels:
      app: x
  template:
    metadata:
      labels:
        app: x
    spec:
      containers:
      - name: c
        image: i
        resources:
          limits:
            cpu: 500m
            memory: 1Gi
        imagePullPolicy: Always
        terminationMessagePath: /dev/termination-log
        terminationMessagePolicy: File
      dnsPolicy: ClusterFirst
      restartPolicy: Always
      securityContext: {}
      terminationGracePeriodSeconds: 30
      schedulerName: default-scheduler
  strategy:
    type: RollingUpdate
    rollingUpdate:
      maxUnavailable: "25%"
      maxSurge: "25%"
  revisionHistoryLimit: 10
  progressDeadlineSeconds: 600
status: {}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a deployment is created 1`] = `
201
content-type: application/json
cache-control: no-cache, private

{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","securityContext":{},"terminationGracePeriodSeconds":30,"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a field that is not known 1`] = `
400
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"ConfigMap in version \\"v1\\" cannot be handled as a ConfigMap: strict decoding error: unknown field \\"dta\\"","reason":"BadRequest","code":400}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a field that is not known, with a warning 1`] = `
201
content-type: application/json
cache-control: no-cache, private
warning: 299 - "unknown field \\"dta\\""

{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"dry","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z"}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a form that is not read 1`] = `
415
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"UnsupportedMediaType","code":415}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a form that is not served 1`] = `
406
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/cbor","reason":"NotAcceptable","code":406}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in a table 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name of the object, unique for its kind within its namespace.","priority":0},{"name":"Ready","type":"string","format":"","description":"Pods that are ready, of those that there shall be.","priority":0},{"name":"Up-to-date","type":"string","format":"","description":"Pods that are made from the template as it is now.","priority":0},{"name":"Available","type":"string","format":"","description":"Pods that have been ready for long enough.","priority":0},{"name":"Age","type":"string","format":"","description":"Time since the server created the object.","priority":0},{"name":"Containers","type":"string","format":"","description":"Names of the containers in the template.","priority":1},{"name":"Images","type":"string","format":"","description":"Images of the containers in the template.","priority":1},{"name":"Selector","type":"string","format":"","description":"Labels of the pods that belong to the object.","priority":1}],"rows":[{"cells":["golden","0/2",0,0,"0s","c","i","app=x"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]}}}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in application/cbor 1`] = `
200
content-type: application/cbor
cache-control: no-cache, private

d9d9f7a4446b696e644e4465706c6f796d656e744c697374456974656d7381a5446b696e644a4465706c6f796d656e74
4473706563a6487265706c69636173024873656c6563746f72a14b6d617463684c6162656c73a1436170704178487374
726174656779a244747970654d526f6c6c696e675570646174654d726f6c6c696e67557064617465a2486d6178537572
6765433235254e6d6178556e617661696c61626c65433235254874656d706c617465a24473706563a649646e73506f6c
6963794c436c757374657246697273744a636f6e7461696e65727381a6446e616d65416345696d616765416949726573
6f7572636573a1466c696d697473a243637075443530306d466d656d6f7279433147694f696d61676550756c6c506f6c
69637946416c77617973567465726d696e6174696f6e4d65737361676550617468542f6465762f7465726d696e617469
6f6e2d6c6f6758187465726d696e6174696f6e4d657373616765506f6c6963794446696c654d72657374617274506f6c
69637946416c776179734d7363686564756c65724e616d655164656661756c742d7363686564756c65724f7365637572
697479436f6e74657874a0581d7465726d696e6174696f6e4772616365506572696f645365636f6e6473181e486d6574
6164617461a1466c6162656c73a1436170704178547265766973696f6e486973746f72794c696d69740a5770726f6772
657373446561646c696e655365636f6e647319025846737461747573a0486d65746164617461a7437569645824303030
30303030302d303030302d303030302d303030302d303030303030303030303030446e616d6546676f6c64656e496e61
6d6573706163654764656661756c744a67656e65726174696f6e014d6d616e616765644669656c647381a64474696d65
54323030302d30312d30315430303a30303a30305a476d616e6167657247756e6b6e6f776e486669656c64735631a146
663a73706563a64a663a7265706c69636173a04a663a73656c6563746f72a04a663a7374726174656779a246663a7479
7065a04f663a726f6c6c696e67557064617465a3412ea04a663a6d61785375726765a050663a6d6178556e617661696c
61626c65a04a663a74656d706c617465a246663a73706563a64b663a646e73506f6c696379a04c663a636f6e7461696e
657273a14e6b3a7b226e616d65223a2263227da7412ea046663a6e616d65a047663a696d616765a04b663a7265736f75
72636573a2412ea048663a6c696d697473a3412ea045663a637075a048663a6d656d6f7279a051663a696d6167655075
6c6c506f6c696379a05818663a7465726d696e6174696f6e4d65737361676550617468a0581a663a7465726d696e6174
696f6e4d657373616765506f6c696379a04f663a72657374617274506f6c696379a04f663a7363686564756c65724e61
6d65a051663a7365637572697479436f6e74657874a0581f663a7465726d696e6174696f6e4772616365506572696f64
5365636f6e6473a04a663a6d65746164617461a148663a6c6162656c73a2412ea045663a617070a056663a7265766973
696f6e486973746f72794c696d6974a05819663a70726f6772657373446561646c696e655365636f6e6473a0496f7065
726174696f6e465570646174654a61706956657273696f6e47617070732f76314a6669656c647354797065484669656c
647356314f7265736f7572636556657273696f6e4430303030516372656174696f6e54696d657374616d705432303030
2d30312d30315430303a30303a30305a4a61706956657273696f6e47617070732f7631486d65746164617461a14f7265
736f7572636556657273696f6e44303030304a61706956657273696f6e47617070732f7631
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in application/json 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"DeploymentList","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000"},"items":[{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","securityContext":{},"terminationGracePeriodSeconds":30,"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in application/vnd.kubernetes.protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf
cache-control: no-cache, private

6b3873000a190a07617070732f7631120e4465706c6f796d656e744c697374128c080a0a0a001204303030301a0012fd
070aea050a06676f6c64656e12001a0764656661756c7422002a2430303030303030302d303030302d303030302d3030
30302d3030303030303030303030303204313030323801420808808080800110008a0199050a07756e6b6e6f776e1206
5570646174651a07617070732f76312208088080808001100032084669656c647356313ae6040ae3047b22663a737065
63223a7b22663a70726f6772657373446561646c696e655365636f6e6473223a7b7d2c22663a7265706c69636173223a
7b7d2c22663a7265766973696f6e486973746f72794c696d6974223a7b7d2c22663a73656c6563746f72223a7b7d2c22
663a7374726174656779223a7b22663a726f6c6c696e67557064617465223a7b222e223a7b7d2c22663a6d6178537572
6765223a7b7d2c22663a6d6178556e617661696c61626c65223a7b7d7d2c22663a74797065223a7b7d7d2c22663a7465
6d706c617465223a7b22663a6d65746164617461223a7b22663a6c6162656c73223a7b222e223a7b7d2c22663a617070
223a7b7d7d7d2c22663a73706563223a7b22663a636f6e7461696e657273223a7b226b3a7b5c226e616d655c223a5c22
635c227d223a7b222e223a7b7d2c22663a696d616765223a7b7d2c22663a696d61676550756c6c506f6c696379223a7b
7d2c22663a6e616d65223a7b7d2c22663a7265736f7572636573223a7b222e223a7b7d2c22663a6c696d697473223a7b
222e223a7b7d2c22663a637075223a7b7d2c22663a6d656d6f7279223a7b7d7d7d2c22663a7465726d696e6174696f6e
4d65737361676550617468223a7b7d2c22663a7465726d696e6174696f6e4d657373616765506f6c696379223a7b7d7d
7d2c22663a646e73506f6c696379223a7b7d2c22663a72657374617274506f6c696379223a7b7d2c22663a7363686564
756c65724e616d65223a7b7d2c22663a7365637572697479436f6e74657874223a7b7d2c22663a7465726d696e617469
6f6e4772616365506572696f645365636f6e6473223a7b7d7d7d7d7d420012ff010802120a0a080a036170701201781a
bc010a1a0a0012001a0022002a003200380042005a080a03617070120178129d0112580a01631201692a0042200a0d0a
0363707512060a043530306d0a0f0a066d656d6f727912050a033147696a142f6465762f7465726d696e6174696f6e2d
6c6f677206416c77617973800100880100900100a2010446696c651a06416c77617973201e320c436c75737465724669
72737442004a00520058006000680072008201008a01009a011164656661756c742d7363686564756c6572c201002227
0a0d526f6c6c696e6755706461746512160a09080110001a033235251209080110001a033235252800300a380048d804
1a0c0800100018002000280038001a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in their metadata 1`] = `
200
content-type: application/json
cache-control: no-cache, private

{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]}}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a list in YAML 1`] = `
200
content-type: application/yaml
cache-control: no-cache, private

kind: DeploymentList
apiVersion: apps/v1
metadata:
  resourceVersion: "0000"
items:
- kind: Deployment
  apiVersion: apps/v1
  metadata:
    resourceVersion: "0000"
    name: golden
    namespace: default
    uid: 00000000-0000-0000-0000-000000000000
    generation: 1
    creationTimestamp: "2000-01-01T00:00:00Z"
    managedFields:
    - manager: unknown
      operation: Update
      apiVersion: apps/v1
      time: "2000-01-01T00:00:00Z"
      fieldsType: FieldsV1
      fieldsV1:
        f:spec:
          f:progressDeadlineSeconds: {}
          f:replicas: {}
          f:revisionHistoryLimit: {}
          f:selector: {}
          f:strategy:
            f:rollingUpdate:
              ".": {}
              f:maxSurge: {}
              f:maxUnavailable: {}
            f:type: {}
          f:template:
            f:metadata:
              f:labels:
                ".": {}
                f:app: {}
            f:spec:
              f:containers:
                "k:{\\"name\\":\\"c\\"}":
                  ".": {}
                  f:image: {}
                  f:imagePullPolicy: {}
                  f:name: {}
                  f:resources:
                    ".": {}
                    f:limits:
                      ".": {}
                      f:cpu: {}
                      f:memory: {}
                  f:terminationMessagePath: {}
                  f:terminationMessagePolicy: {}
              f:dnsPolicy: {}
              f:restartPolicy: {}
              f:schedulerName: {}
              f:securityContext: {}
              f:terminationGracePeriodSeconds: {}
  spec:
    replicas: 2
    selector:
      matchLabels:
        app: x
    template:
      metadata:
        labels:
          app: x
      spec:
        containers:
        - name: c
          image: i
          resources:
            limits:
              cpu: 500m
              memory: 1Gi
          imagePullPolicy: Always
          terminationMessagePath: /dev/termination-log
          terminationMessagePolicy: File
        dnsPolicy: ClusterFirst
        restartPolicy: Always
        securityContext: {}
        terminationGracePeriodSeconds: 30
        schedulerName: default-scheduler
    strategy:
      type: RollingUpdate
      rollingUpdate:
        maxUnavailable: "25%"
        maxSurge: "25%"
    revisionHistoryLimit: 10
    progressDeadlineSeconds: 600
  status: {}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a part of a list that is not known 1`] = `
400
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"continue key is not valid","reason":"BadRequest","code":400}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a path that is not there 1`] = `
404
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a streaming list in CBOR 1`] = `
200
content-type: application/cbor-seq
cache-control: no-cache, private

d9d9f7a24474797065454144444544466f626a656374d9d9f7a5446b696e644a4465706c6f796d656e744473706563a6
487265706c69636173024873656c6563746f72a14b6d617463684c6162656c73a1436170704178487374726174656779
a244747970654d526f6c6c696e675570646174654d726f6c6c696e67557064617465a2486d6178537572676543323525
4e6d6178556e617661696c61626c65433235254874656d706c617465a24473706563a649646e73506f6c6963794c436c
757374657246697273744a636f6e7461696e65727381a6446e616d65416345696d6167654169497265736f7572636573
a1466c696d697473a243637075443530306d466d656d6f7279433147694f696d61676550756c6c506f6c69637946416c
77617973567465726d696e6174696f6e4d65737361676550617468542f6465762f7465726d696e6174696f6e2d6c6f67
58187465726d696e6174696f6e4d657373616765506f6c6963794446696c654d72657374617274506f6c69637946416c
776179734d7363686564756c65724e616d655164656661756c742d7363686564756c65724f7365637572697479436f6e
74657874a0581d7465726d696e6174696f6e4772616365506572696f645365636f6e6473181e486d65746164617461a1
466c6162656c73a1436170704178547265766973696f6e486973746f72794c696d69740a5770726f6772657373446561
646c696e655365636f6e647319025846737461747573a0486d65746164617461a743756964582430303030303030302d
303030302d303030302d303030302d303030303030303030303030446e616d6546676f6c64656e496e616d6573706163
654764656661756c744a67656e65726174696f6e014d6d616e616765644669656c647381a64474696d6554323030302d
30312d30315430303a30303a30305a476d616e6167657247756e6b6e6f776e486669656c64735631a146663a73706563
a64a663a7265706c69636173a04a663a73656c6563746f72a04a663a7374726174656779a246663a74797065a04f663a
726f6c6c696e67557064617465a3412ea04a663a6d61785375726765a050663a6d6178556e617661696c61626c65a04a
663a74656d706c617465a246663a73706563a64b663a646e73506f6c696379a04c663a636f6e7461696e657273a14e6b
3a7b226e616d65223a2263227da7412ea046663a6e616d65a047663a696d616765a04b663a7265736f7572636573a241
2ea048663a6c696d697473a3412ea045663a637075a048663a6d656d6f7279a051663a696d61676550756c6c506f6c69
6379a05818663a7465726d696e6174696f6e4d65737361676550617468a0581a663a7465726d696e6174696f6e4d6573
73616765506f6c696379a04f663a72657374617274506f6c696379a04f663a7363686564756c65724e616d65a051663a
7365637572697479436f6e74657874a0581f663a7465726d696e6174696f6e4772616365506572696f645365636f6e64
73a04a663a6d65746164617461a148663a6c6162656c73a2412ea045663a617070a056663a7265766973696f6e486973
746f72794c696d6974a05819663a70726f6772657373446561646c696e655365636f6e6473a0496f7065726174696f6e
465570646174654a61706956657273696f6e47617070732f76314a6669656c647354797065484669656c647356314f72
65736f7572636556657273696f6e4430303030516372656174696f6e54696d657374616d7054323030302d30312d3031
5430303a30303a30305a4a61706956657273696f6e47617070732f7631d9d9f7a2447479706548424f4f4b4d41524b46
6f626a656374d9d9f7a3446b696e644a4465706c6f796d656e74486d65746164617461a34b616e6e6f746174696f6e73
a158196b38732e696f2f696e697469616c2d6576656e74732d656e6444747275654f7265736f7572636556657273696f
6e4430303030516372656174696f6e54696d657374616d70f64a61706956657273696f6e47617070732f7631
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a streaming list in JSON 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ADDED","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]},"spec":{"replicas":2,"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"}},"spec":{"containers":[{"name":"c","image":"i","resources":{"limits":{"cpu":"500m","memory":"1Gi"}},"imagePullPolicy":"Always","terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","securityContext":{},"terminationGracePeriodSeconds":30,"schedulerName":"default-scheduler"}},"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxUnavailable":"25%","maxSurge":"25%"}},"revisionHistoryLimit":10,"progressDeadlineSeconds":600},"status":{}}}
{"type":"BOOKMARK","object":{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"resourceVersion":"0000","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a streaming list in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf;stream=watch
cache-control: no-cache, private

0000042c0a05414444454412a2080a9f086b3873000a150a07617070732f7631120a4465706c6f796d656e7412fd070a
ea050a06676f6c64656e12001a0764656661756c7422002a2430303030303030302d303030302d303030302d30303030
2d3030303030303030303030303204313030323801420808808080800110008a0199050a07756e6b6e6f776e12065570
646174651a07617070732f76312208088080808001100032084669656c647356313ae6040ae3047b22663a7370656322
3a7b22663a70726f6772657373446561646c696e655365636f6e6473223a7b7d2c22663a7265706c69636173223a7b7d
2c22663a7265766973696f6e486973746f72794c696d6974223a7b7d2c22663a73656c6563746f72223a7b7d2c22663a
7374726174656779223a7b22663a726f6c6c696e67557064617465223a7b222e223a7b7d2c22663a6d61785375726765
223a7b7d2c22663a6d6178556e617661696c61626c65223a7b7d7d2c22663a74797065223a7b7d7d2c22663a74656d70
6c617465223a7b22663a6d65746164617461223a7b22663a6c6162656c73223a7b222e223a7b7d2c22663a617070223a
7b7d7d7d2c22663a73706563223a7b22663a636f6e7461696e657273223a7b226b3a7b5c226e616d655c223a5c22635c
227d223a7b222e223a7b7d2c22663a696d616765223a7b7d2c22663a696d61676550756c6c506f6c696379223a7b7d2c
22663a6e616d65223a7b7d2c22663a7265736f7572636573223a7b222e223a7b7d2c22663a6c696d697473223a7b222e
223a7b7d2c22663a637075223a7b7d2c22663a6d656d6f7279223a7b7d7d7d2c22663a7465726d696e6174696f6e4d65
737361676550617468223a7b7d2c22663a7465726d696e6174696f6e4d657373616765506f6c696379223a7b7d7d7d2c
22663a646e73506f6c696379223a7b7d2c22663a72657374617274506f6c696379223a7b7d2c22663a7363686564756c
65724e616d65223a7b7d2c22663a7365637572697479436f6e74657874223a7b7d2c22663a7465726d696e6174696f6e
4772616365506572696f645365636f6e6473223a7b7d7d7d7d7d420012ff010802120a0a080a036170701201781abc01
0a1a0a0012001a0022002a003200380042005a080a03617070120178129d0112580a01631201692a0042200a0d0a0363
707512060a043530306d0a0f0a066d656d6f727912050a033147696a142f6465762f7465726d696e6174696f6e2d6c6f
677206416c77617973800100880100900100a2010446696c651a06416c77617973201e320c436c757374657246697273
7442004a00520058006000680072008201008a01009a011164656661756c742d7363686564756c6572c2010022270a0d
526f6c6c696e6755706461746512160a09080110001a033235251209080110001a033235252800300a380048d8041a0c
0800100018002000280038001a002200000000b50a08424f4f4b4d41524b12a8010aa5016b3873000a150a0761707073
2f7631120a4465706c6f796d656e741283010a370a0012001a0022002a003204313030323800420062210a196b38732e
696f2f696e697469616c2d6576656e74732d656e64120474727565123a1a300a100a0012001a0022002a003200380042
00121c1a00320042004a0052005800600068008201008a01009a0100c2010022020a00280038001a0c08001000180020
00280038001a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a streaming list in tables 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name of the object, unique for its kind within its namespace.","priority":0},{"name":"Ready","type":"string","format":"","description":"Pods that are ready, of those that there shall be.","priority":0},{"name":"Up-to-date","type":"string","format":"","description":"Pods that are made from the template as it is now.","priority":0},{"name":"Available","type":"string","format":"","description":"Pods that have been ready for long enough.","priority":0},{"name":"Age","type":"string","format":"","description":"Time since the server created the object.","priority":0},{"name":"Containers","type":"string","format":"","description":"Names of the containers in the template.","priority":1},{"name":"Images","type":"string","format":"","description":"Images of the containers in the template.","priority":1},{"name":"Selector","type":"string","format":"","description":"Labels of the pods that belong to the object.","priority":1}],"rows":[{"cells":["golden","0/2",0,0,"0s","c","i","app=x"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","generation":1,"creationTimestamp":"2000-01-01T00:00:00Z","managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"apps/v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:progressDeadlineSeconds":{},"f:replicas":{},"f:revisionHistoryLimit":{},"f:selector":{},"f:strategy":{"f:rollingUpdate":{".":{},"f:maxSurge":{},"f:maxUnavailable":{}},"f:type":{}},"f:template":{"f:metadata":{"f:labels":{".":{},"f:app":{}}},"f:spec":{"f:containers":{"k:{\\"name\\":\\"c\\"}":{".":{},"f:image":{},"f:imagePullPolicy":{},"f:name":{},"f:resources":{".":{},"f:limits":{".":{},"f:cpu":{},"f:memory":{}}},"f:terminationMessagePath":{},"f:terminationMessagePolicy":{}}},"f:dnsPolicy":{},"f:restartPolicy":{},"f:schedulerName":{},"f:securityContext":{},"f:terminationGracePeriodSeconds":{}}}}}}]}}}]}}
{"type":"BOOKMARK","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":null,"rows":[{"cells":["","0/0",0,0,"<unknown>","","",""],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","creationTimestamp":null,"annotations":{"k8s.io/initial-events-end":"true"}}}}]}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a version that is not reached yet 1`] = `
504
content-type: application/json
cache-control: no-cache, private
retry-after: 1

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Timeout: Too large resource version: 99999999, current: 0000","reason":"Timeout","details":{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a watch of what is forgotten, in CBOR 1`] = `
200
content-type: application/cbor-seq
cache-control: no-cache, private

d9d9f7a24474797065454552524f52466f626a656374d9d9f7a744636f646519019a446b696e64465374617475734672
6561736f6e474578706972656446737461747573474661696c757265476d6573736167655822746f6f206f6c64207265
736f757263652076657273696f6e3a203120283030303029486d65746164617461a04a61706956657273696f6e427631
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a watch of what is forgotten, in JSON 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (0000)","reason":"Expired","code":410}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a watch of what is forgotten, in metadata 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (0000)","reason":"Expired","code":410}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a watch of what is forgotten, in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf;stream=watch
cache-control: no-cache, private

000000640a054552524f52125b0a596b3873000a0c0a027631120653746174757312410a060a0012001a001207466169
6c7572651a22746f6f206f6c64207265736f757263652076657273696f6e3a2031202830303030292207457870697265
64309a031a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a watch of what is forgotten, in tables 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (0000)","reason":"Expired","code":410}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > a write of an older version 1`] = `
409
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Operation cannot be fulfilled on configmaps \\"golden\\": the object has been modified; please apply your changes to the latest version and try again","reason":"Conflict","details":{"name":"golden","kind":"configmaps"},"code":409}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > an apply of a field that another manager has 1`] = `
409
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Apply failed with 1 conflict: conflict with \\"unknown\\" using apps/v1: .spec.replicas","reason":"Conflict","details":{"causes":[{"reason":"FieldManagerConflict","message":"conflict with \\"unknown\\" using apps/v1","field":".spec.replicas"}]},"code":409}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > the core group in one document 1`] = `
200
content-type: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList
cache-control: public
vary: Accept

{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{},"versions":[{"version":"v1","resources":[{"resource":"bindings","responseKind":{"group":"","version":"","kind":"Binding"},"scope":"Namespaced","singularResource":"binding","verbs":["create"]},{"resource":"componentstatuses","responseKind":{"group":"","version":"","kind":"ComponentStatus"},"scope":"Cluster","singularResource":"componentstatus","verbs":["get","list"],"shortNames":["cs"]},{"resource":"configmaps","responseKind":{"group":"","version":"","kind":"ConfigMap"},"scope":"Namespaced","singularResource":"configmap","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["cm"]},{"resource":"endpoints","responseKind":{"group":"","version":"","kind":"Endpoints"},"scope":"Namespaced","singularResource":"endpoints","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["ep"]},{"resource":"events","responseKind":{"group":"","version":"","kind":"Event"},"scope":"Namespaced","singularResource":"event","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["ev"]},{"resource":"limitranges","responseKind":{"group":"","version":"","kind":"LimitRange"},"scope":"Namespaced","singularResource":"limitrange","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["limits"]},{"resource":"namespaces","responseKind":{"group":"","version":"","kind":"Namespace"},"scope":"Cluster","singularResource":"namespace","verbs":["create","delete","get","list","patch","update","watch"],"shortNames":["ns"],"subresources":[{"subresource":"finalize","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Namespace"},"verbs":["get","patch","update"]}]},{"resource":"nodes","responseKind":{"group":"","version":"","kind":"Node"},"scope":"Cluster","singularResource":"node","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["no"],"subresources":[{"subresource":"proxy","responseKind":{"group":"","version":"","kind":"NodeProxyOptions"},"verbs":["create","delete","get","patch","update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Node"},"verbs":["get","patch","update"]}]},{"resource":"persistentvolumeclaims","responseKind":{"group":"","version":"","kind":"PersistentVolumeClaim"},"scope":"Namespaced","singularResource":"persistentvolumeclaim","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["pvc"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"PersistentVolumeClaim"},"verbs":["get","patch","update"]}]},{"resource":"persistentvolumes","responseKind":{"group":"","version":"","kind":"PersistentVolume"},"scope":"Cluster","singularResource":"persistentvolume","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["pv"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"PersistentVolume"},"verbs":["get","patch","update"]}]},{"resource":"pods","responseKind":{"group":"","version":"","kind":"Pod"},"scope":"Namespaced","singularResource":"pod","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["po"],"categories":["all"],"subresources":[{"subresource":"attach","responseKind":{"group":"","version":"","kind":"PodAttachOptions"},"verbs":["create","get"]},{"subresource":"binding","responseKind":{"group":"","version":"","kind":"Binding"},"verbs":["create"]},{"subresource":"ephemeralcontainers","responseKind":{"group":"","version":"","kind":"Pod"},"verbs":["get","patch","update"]},{"subresource":"eviction","responseKind":{"group":"policy","version":"v1","kind":"Eviction"},"verbs":["create"]},{"subresource":"exec","responseKind":{"group":"","version":"","kind":"PodExecOptions"},"verbs":["create","get"]},{"subresource":"log","responseKind":{"group":"","version":"","kind":"Pod"},"verbs":["get"]},{"subresource":"portforward","responseKind":{"group":"","version":"","kind":"PodPortForwardOptions"},"verbs":["create","get"]},{"subresource":"proxy","responseKind":{"group":"","version":"","kind":"PodProxyOptions"},"verbs":["create","delete","get","patch","update"]},{"subresource":"resize","responseKind":{"group":"","version":"","kind":"Pod"},"verbs":["get","patch","update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Pod"},"verbs":["get","patch","update"]}]},{"resource":"podtemplates","responseKind":{"group":"","version":"","kind":"PodTemplate"},"scope":"Namespaced","singularResource":"podtemplate","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]},{"resource":"replicationcontrollers","responseKind":{"group":"","version":"","kind":"ReplicationController"},"scope":"Namespaced","singularResource":"replicationcontroller","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["rc"],"categories":["all"],"subresources":[{"subresource":"scale","responseKind":{"group":"autoscaling","version":"v1","kind":"Scale"},"verbs":["get","patch","update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"ReplicationController"},"verbs":["get","patch","update"]}]},{"resource":"resourcequotas","responseKind":{"group":"","version":"","kind":"ResourceQuota"},"scope":"Namespaced","singularResource":"resourcequota","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["quota"],"subresources":[{"subresource":"status","responseKind":{"group":"","version":"","kind":"ResourceQuota"},"verbs":["get","patch","update"]}]},{"resource":"secrets","responseKind":{"group":"","version":"","kind":"Secret"},"scope":"Namespaced","singularResource":"secret","verbs":["create","delete","deletecollection","get","list","patch","update","watch"]},{"resource":"serviceaccounts","responseKind":{"group":"","version":"","kind":"ServiceAccount"},"scope":"Namespaced","singularResource":"serviceaccount","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["sa"],"subresources":[{"subresource":"token","responseKind":{"group":"authentication.k8s.io","version":"v1","kind":"TokenRequest"},"verbs":["create"]}]},{"resource":"services","responseKind":{"group":"","version":"","kind":"Service"},"scope":"Namespaced","singularResource":"service","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["svc"],"categories":["all"],"subresources":[{"subresource":"proxy","responseKind":{"group":"","version":"","kind":"ServiceProxyOptions"},"verbs":["create","delete","get","patch","update"]},{"subresource":"status","responseKind":{"group":"","version":"","kind":"Service"},"verbs":["get","patch","update"]}]}],"freshness":"Current"}]}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > the resources of a group 1`] = `
200
content-type: application/json
cache-control: no-cache, private
vary: Accept

{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"autoscaling/v2","resources":[{"name":"horizontalpodautoscalers","singularName":"horizontalpodautoscaler","namespaced":true,"kind":"HorizontalPodAutoscaler","verbs":["create","delete","deletecollection","get","list","patch","update","watch"],"shortNames":["hpa"],"categories":["all"],"storageVersionHash":"qwQve8ut294="},{"name":"horizontalpodautoscalers/status","singularName":"","namespaced":true,"kind":"HorizontalPodAutoscaler","verbs":["get","patch","update"]}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > the resources of a group in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf
cache-control: no-cache, private
vary: Accept

6b3873000a150a027631120f4150495265736f757263654c697374129e020a0e6175746f7363616c696e672f763212af
010a18686f72697a6f6e74616c706f646175746f7363616c65727310011a17486f72697a6f6e74616c506f644175746f
7363616c657222430a066372656174650a0664656c6574650a1064656c657465636f6c6c656374696f6e0a036765740a
046c6973740a0570617463680a067570646174650a0577617463682a036870613217686f72697a6f6e74616c706f6461
75746f7363616c65723a03616c6c42004a00520c71775176653875743239343d125a0a1f686f72697a6f6e74616c706f
646175746f7363616c6572732f73746174757310011a17486f72697a6f6e74616c506f644175746f7363616c65722214
0a036765740a0570617463680a06757064617465320042004a0052001a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > the versions of a group 1`] = `
200
content-type: application/json
cache-control: no-cache, private
vary: Accept

{"kind":"APIGroup","apiVersion":"v1","name":"batch","versions":[{"groupVersion":"batch/v1","version":"v1"}],"preferredVersion":{"groupVersion":"batch/v1","version":"v1"}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > the versions of the core group 1`] = `
200
content-type: application/json
cache-control: no-cache, private
vary: Accept

{"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":[{"clientCIDR":"0.0.0.0/0","serverAddress":"127.0.0.1:80"}]}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what a resource cannot do 1`] = `
405
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"create is not supported on resources of kind \\"configmaps\\"","reason":"MethodNotAllowed","details":{"kind":"configmaps"},"code":405}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what became of a config map in CBOR 1`] = `
200
content-type: application/cbor-seq
cache-control: no-cache, private

d9d9f7a24474797065454144444544466f626a656374d9d9f7a54464617461a2436b65794576616c7565446d616e7948
6f6e650a74776f0a446b696e6449436f6e6669674d6170486d65746164617461a843756964582430303030303030302d
303030302d303030302d303030302d303030303030303030303030446e616d6546676f6c64656e466c6162656c73a143
6170704178496e616d6573706163654764656661756c744b616e6e6f746174696f6e73a1446e6f74655461202271756f
74656422203c623ec3bc3c2f623e4d6d616e616765644669656c647381a64474696d6554323030302d30312d30315430
303a30303a30305a476d616e6167657247756e6b6e6f776e486669656c64735631a346663a64617461a3412ea045663a
6b6579a046663a6d616e79a04a663a6d65746164617461a248663a6c6162656c73a2412ea045663a617070a04d663a61
6e6e6f746174696f6e73a2412ea046663a6e6f7465a04c663a62696e61727944617461a2412ea047663a6279746573a0
496f7065726174696f6e465570646174654a61706956657273696f6e4276314a6669656c647354797065484669656c64
7356314f7265736f7572636556657273696f6e4430303030516372656174696f6e54696d657374616d7054323030302d
30312d30315430303a30303a30305a4a61706956657273696f6e4276314a62696e61727944617461a1456279746573d6
450001020304d9d9f7a24474797065484d4f444946494544466f626a656374d9d9f7a54464617461a1436b6579457661
6c7565446b696e6449436f6e6669674d6170486d65746164617461a843756964582430303030303030302d303030302d
303030302d303030302d303030303030303030303030446e616d6546676f6c64656e466c6162656c73a1436170704178
496e616d6573706163654764656661756c744b616e6e6f746174696f6e73a1446e6f74655461202271756f7465642220
3c623ec3bc3c2f623e4d6d616e616765644669656c647381a64474696d6554323030302d30312d30315430303a30303a
30305a476d616e6167657247756e6b6e6f776e486669656c64735631a346663a64617461a2412ea045663a6b6579a04a
663a6d65746164617461a248663a6c6162656c73a2412ea045663a617070a04d663a616e6e6f746174696f6e73a2412e
a046663a6e6f7465a04c663a62696e61727944617461a2412ea047663a6279746573a0496f7065726174696f6e465570
646174654a61706956657273696f6e4276314a6669656c647354797065484669656c647356314f7265736f7572636556
657273696f6e4430303030516372656174696f6e54696d657374616d7054323030302d30312d30315430303a30303a30
305a4a61706956657273696f6e4276314a62696e61727944617461a1456279746573d6450001020304d9d9f7a2447479
70654744454c45544544466f626a656374d9d9f7a54464617461a1436b65794576616c7565446b696e6449436f6e6669
674d6170486d65746164617461a843756964582430303030303030302d303030302d303030302d303030302d30303030
3030303030303030446e616d6546676f6c64656e466c6162656c73a1436170704178496e616d65737061636547646566
61756c744b616e6e6f746174696f6e73a1446e6f74655461202271756f74656422203c623ec3bc3c2f623e4d6d616e61
6765644669656c647381a64474696d6554323030302d30312d30315430303a30303a30305a476d616e6167657247756e
6b6e6f776e486669656c64735631a346663a64617461a2412ea045663a6b6579a04a663a6d65746164617461a248663a
6c6162656c73a2412ea045663a617070a04d663a616e6e6f746174696f6e73a2412ea046663a6e6f7465a04c663a6269
6e61727944617461a2412ea047663a6279746573a0496f7065726174696f6e465570646174654a61706956657273696f
6e4276314a6669656c647354797065484669656c647356314f7265736f7572636556657273696f6e4430303030516372
656174696f6e54696d657374616d7054323030302d30312d30315430303a30303a30305a4a61706956657273696f6e42
76314a62696e61727944617461a1456279746573d6450001020304
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what became of a config map in JSON 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value","many":"one\\ntwo\\n"},"binaryData":{"bytes":"AAECAwQ="}}}
{"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value"},"binaryData":{"bytes":"AAECAwQ="}}}
{"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]},"data":{"key":"value"},"binaryData":{"bytes":"AAECAwQ="}}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what became of a config map in metadata 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ADDED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}
{"type":"MODIFIED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}
{"type":"DELETED","object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what became of a config map in Protobuf 1`] = `
200
content-type: application/vnd.kubernetes.protobuf;stream=watch
cache-control: no-cache, private

000001a80a054144444544129e030a9b036b3873000a0f0a0276311209436f6e6669674d617012ff020acc020a06676f
6c64656e12001a0764656661756c7422002a2430303030303030302d303030302d303030302d303030302d3030303030
303030303030303204313030313800420808808080800110005a080a03617070120178621c0a046e6f74651214612022
71756f74656422203c623ec3bc3c2f623e8a01d3010a07756e6b6e6f776e12065570646174651a027631220808808080
8001100032084669656c647356313aa5010aa2017b22663a62696e61727944617461223a7b222e223a7b7d2c22663a62
79746573223a7b7d7d2c22663a64617461223a7b222e223a7b7d2c22663a6b6579223a7b7d2c22663a6d616e79223a7b
7d7d2c22663a6d65746164617461223a7b22663a616e6e6f746174696f6e73223a7b222e223a7b7d2c22663a6e6f7465
223a7b7d7d2c22663a6c6162656c73223a7b222e223a7b7d2c22663a617070223a7b7d7d7d7d4200120c0a036b657912
0576616c756512100a046d616e7912086f6e650a74776f0a1a0e0a056279746573120500010203041a0022000000018d
0a084d4f4449464945441280030afd026b3873000a0f0a0276311209436f6e6669674d617012e1020ac0020a06676f6c
64656e12001a0764656661756c7422002a2430303030303030302d303030302d303030302d303030302d303030303030
3030303030303204313030333800420808808080800110005a080a03617070120178621c0a046e6f7465121461202271
756f74656422203c623ec3bc3c2f623e8a01c7010a07756e6b6e6f776e12065570646174651a02763122080880808080
01100032084669656c647356313a99010a96017b22663a62696e61727944617461223a7b222e223a7b7d2c22663a6279
746573223a7b7d7d2c22663a64617461223a7b222e223a7b7d2c22663a6b6579223a7b7d7d2c22663a6d657461646174
61223a7b22663a616e6e6f746174696f6e73223a7b222e223a7b7d2c22663a6e6f7465223a7b7d7d2c22663a6c616265
6c73223a7b222e223a7b7d2c22663a617070223a7b7d7d7d7d4200120c0a036b6579120576616c75651a0e0a05627974
6573120500010203041a0022000000018c0a0744454c455445441280030afd026b3873000a0f0a0276311209436f6e66
69674d617012e1020ac0020a06676f6c64656e12001a0764656661756c7422002a2430303030303030302d303030302d
303030302d303030302d3030303030303030303030303204313030343800420808808080800110005a080a0361707012
0178621c0a046e6f7465121461202271756f74656422203c623ec3bc3c2f623e8a01c7010a07756e6b6e6f776e120655
70646174651a0276312208088080808001100032084669656c647356313a99010a96017b22663a62696e617279446174
61223a7b222e223a7b7d2c22663a6279746573223a7b7d7d2c22663a64617461223a7b222e223a7b7d2c22663a6b6579
223a7b7d7d2c22663a6d65746164617461223a7b22663a616e6e6f746174696f6e73223a7b222e223a7b7d2c22663a6e
6f7465223a7b7d7d2c22663a6c6162656c73223a7b222e223a7b7d2c22663a617070223a7b7d7d7d7d4200120c0a036b
6579120576616c75651a0e0a056279746573120500010203041a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what became of a config map in tables 1`] = `
200
content-type: application/json
cache-control: no-cache, private

 {"type":"ADDED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":[{"name":"Name","type":"string","format":"name","description":"Name of the object, unique for its kind within its namespace.","priority":0},{"name":"Data","type":"string","format":"","description":"Number of entries.","priority":0},{"name":"Age","type":"string","format":"","description":"Time since the server created the object.","priority":0}],"rows":[{"cells":["golden",3,"0s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{},"f:many":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}]}}
{"type":"MODIFIED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":null,"rows":[{"cells":["golden",2,"0s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}]}}
{"type":"DELETED","object":{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000"},"columnDefinitions":null,"rows":[{"cells":["golden",2,"0s"],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"0000","name":"golden","namespace":"default","uid":"00000000-0000-0000-0000-000000000000","creationTimestamp":"2000-01-01T00:00:00Z","labels":{"app":"x"},"annotations":{"note":"a \\"quoted\\" <b>ü</b>"},"managedFields":[{"manager":"unknown","operation":"Update","apiVersion":"v1","time":"2000-01-01T00:00:00Z","fieldsType":"FieldsV1","fieldsV1":{"f:binaryData":{".":{},"f:bytes":{}},"f:data":{".":{},"f:key":{}},"f:metadata":{"f:annotations":{".":{},"f:note":{}},"f:labels":{".":{},"f:app":{}}}}}]}}}]}}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what cannot be read 1`] = `
400
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"the body is not valid JSON: Unexpected end of JSON input","reason":"BadRequest","code":400}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what is forbidden 1`] = `
403
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"namespaces \\"kube-system\\" is forbidden: this namespace may not be deleted","reason":"Forbidden","details":{"name":"kube-system","kind":"namespaces"},"code":403}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what is invalid 1`] = `
422
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Deployment.apps \\"golden\\" is invalid: [spec.replicas: Invalid value: -1: must be greater than or equal to 0, spec.selector: Invalid value: {}: empty selector is invalid for deployment]","reason":"Invalid","details":{"name":"golden","group":"apps","kind":"Deployment","causes":[{"reason":"FieldValueInvalid","message":"Invalid value: -1: must be greater than or equal to 0","field":"spec.replicas"},{"reason":"FieldValueInvalid","message":"Invalid value: {}: empty selector is invalid for deployment","field":"spec.selector"}]},"code":422}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what is not there 1`] = `
404
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \\"absent\\" not found","reason":"NotFound","details":{"name":"absent","kind":"configmaps"},"code":404}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what is not there, in Protobuf 1`] = `
404
content-type: application/vnd.kubernetes.protobuf
cache-control: no-cache, private

6b3873000a0c0a027631120653746174757312590a060a0012001a0012074661696c7572651a1d636f6e6669676d6170
732022616273656e7422206e6f7420666f756e6422084e6f74466f756e642a1a0a06616273656e7412001a0a636f6e66
69676d617073280032003094031a002200
`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > what is there already 1`] = `
409
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"configmaps \\"golden\\" already exists","reason":"AlreadyExists","details":{"name":"golden","kind":"configmaps"},"code":409}

`

exports[`dist/test/conformance/wire-goldens.test.js > TAP > the wire > who is not known 1`] = `
401
content-type: application/json
cache-control: no-cache, private

{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401}

`
