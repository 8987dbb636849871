{{/*
The parts of a pod that runs a service. Each takes `root`, `service`, and `optional`: whether the pod starts without its
Secrets, to say which are missing, and before anything else of the release exists.
*/}}

{{/* Variables by name, from several `maps`; the later ones take precedence. A value, or an object with `valueFrom`. */}}
{{- define "jobledger.environment" -}}
{{- $all := dict }}
{{- range .maps }}
{{- range $key, $value := . }}
{{- $_ := set $all $key $value }}
{{- end }}
{{- end }}
{{- range $key, $value := $all }}
{{- if kindIs "map" $value }}
{{- if $.optional }}
{{- $value = deepCopy $value }}
{{- range pick $value.valueFrom "secretKeyRef" "configMapKeyRef" }}
{{- $_ := set . "optional" true }}
{{- end }}
{{- end }}
- name: {{ $key }}
  {{- toYaml $value | nindent 2 }}
{{- else }}
{{- /* Helm reads a number of a values file as a float64, and prints a long one with an exponent. */}}
{{- if and (kindIs "float64" $value) (eq (floor $value) $value) }}
{{- $value = printf "%.0f" $value }}
{{- end }}
- { name: {{ $key }}, value: {{ $value | toString | quote }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* Whether the service has a kubeconfig. Its ConfigMap is part of the release, so a pod that runs before has none. */}}
{{- define "jobledger.mountsCluster" -}}
{{- $uses := index (include "jobledger.services" .root | fromYaml) .service }}
{{- and $uses.callsCluster (or (not .optional) (not (empty .root.Values.cluster.contexts))) }}
{{- end -}}

{{/* The users of the services' accounts: their requests are not taken from audit logs (docs/operate/who.md). */}}
{{- define "jobledger.ownUsers" -}}
{{- $users := list (printf "system:serviceaccount:%s:%s" .Release.Namespace (include "jobledger.name" .)) }}
{{- range $service, $uses := include "jobledger.services" . | fromYaml }}
{{- $users = append $users (printf "system:serviceaccount:%s:%s-%s" $.Release.Namespace (include "jobledger.name" $) $service) }}
{{- end }}
{{- join "," $users }}
{{- end -}}

{{/* The variables that the chart itself sets. */}}
{{- define "jobledger.ownVariables" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $uses := index (include "jobledger.services" $root | fromYaml) $service }}
{{- $own := index $root.Values.services $service }}
{{- $hasTls := and (eq $service "api") $root.Values.api.tlsSecret }}
- { name: JOBLEDGER_METRICS_ADDRESS, value: '0.0.0.0:9464' }
- { name: JOBLEDGER_CLAIM, value: {{ $root.Values.claim }} }
- { name: JOBLEDGER_CONTROLLERS, value: {{ join "," $root.Values.controllers | quote }} }
{{- if $root.Values.gangScheduling }}
- { name: JOBLEDGER_GANG_SCHEDULING, value: 'true' }
{{- end }}
{{- if eq (include "jobledger.mountsCluster" .) "true" }}
- { name: JOBLEDGER_KUBECONFIG, value: /etc/jobledger/cluster/kubeconfig }
{{- if $root.Values.cluster.contexts }}
- { name: JOBLEDGER_CONTEXTS, value: {{ join "," $root.Values.cluster.contexts | quote }} }
{{- else }}
- { name: JOBLEDGER_CLUSTER_NAME, value: {{ $root.Values.cluster.name | quote }} }
{{- end }}
- { name: JOBLEDGER_LEASE_NAMESPACE, value: {{ $root.Release.Namespace }} }
{{- with $root.Values.namespaces }}
- { name: JOBLEDGER_NAMESPACES, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- with .shard }}
- { name: JOBLEDGER_INGESTER_SHARD, value: {{ printf "%s/%d" . (int $own.shards) }} }
{{- end }}
{{- if and (eq $service "worker") $root.Values.placedJobs.clusters }}
- { name: JOBLEDGER_PLACEMENT, value: {{ dict "clusters" $root.Values.placedJobs.clusters | toJson | quote }} }
{{- end }}
{{- if has $service (list "ingester" "api") }}
- { name: JOBLEDGER_AUDIT_OWN_USERS, value: {{ include "jobledger.ownUsers" $root | quote }} }
{{- if $root.Values.audit.nameKeySecret }}
- { name: JOBLEDGER_AUDIT_NAME_KEY_FILE, value: /etc/jobledger/audit/key }
{{- end }}
{{- end }}
{{- if eq $service "api" }}
- { name: JOBLEDGER_API_ADDRESS, value: '0.0.0.0:8080' }
- { name: JOBLEDGER_API_TOKENS_FILE, value: /etc/jobledger/api/tokens }
{{- with $root.Values.api.oidc }}
{{- range $variable, $value := dict "ISSUER" .issuer "AUDIENCE" .audience "CLIENT_ID" .clientId "SCOPE" .scope }}
{{- with $value }}
- { name: JOBLEDGER_API_OIDC_{{ $variable }}, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- with $root.Values.api.logUrl }}
- { name: JOBLEDGER_LOG_URL, value: {{ . | quote }} }
{{- end }}
{{- end }}
{{- if $hasTls }}
- { name: JOBLEDGER_API_TLS_CERT, value: /etc/jobledger/certificates/api/tls.crt }
- { name: JOBLEDGER_API_TLS_KEY, value: /etc/jobledger/certificates/api/tls.key }
{{- end }}
{{- if eq $service "projector" }}
- { name: JOBLEDGER_MIGRATE, value: {{ eq $root.Values.migrations "projector" | quote }} }
{{- with $root.Values.sink.url }}
- { name: JOBLEDGER_SINK_URL, value: {{ . | quote }} }
{{- end }}
{{- if $root.Values.sink.tokenSecret }}
- { name: JOBLEDGER_SINK_TOKEN_FILE, value: /etc/jobledger/sink/token }
{{- end }}
{{- with $root.Values.sink.more }}
{{- $sinks := dict "sinks" . }}
{{- with $root.Values.sink.page }}
{{- $sinks = set $sinks "page" . }}
{{- end }}
- { name: JOBLEDGER_SINKS, value: {{ $sinks | toJson | quote }} }
{{- end }}
{{- end }}
{{- with $root.Values.kafka.partitions }}
- { name: JOBLEDGER_LEDGER_PARTITIONS, value: {{ . | int | quote }} }
{{- end }}
{{- with $root.Values.kafka.replication }}
- { name: JOBLEDGER_LEDGER_REPLICATION, value: {{ . | int | quote }} }
{{- end }}
{{- with $root.Values.kafka.minInsyncReplicas }}
- { name: JOBLEDGER_LEDGER_MIN_INSYNC_REPLICAS, value: {{ . | int | quote }} }
{{- end }}
{{- if has $service (list "dispatcher" "worker") }}
{{- with $root.Values.concurrency.workflowTasks }}
- { name: JOBLEDGER_WORKFLOW_TASKS, value: {{ . | int | quote }} }
{{- end }}
{{- end }}
{{- with $root.Values.kafka.rackLabel }}
- name: JOBLEDGER_KAFKA_RACK
  valueFrom: { fieldRef: { fieldPath: {{ printf "metadata.labels['%s']" . | quote }} } }
{{- end }}
{{- end -}}

{{/* A variable that the values name replaces that of the chart: with both, an upgrade could not tell them apart. */}}
{{- define "jobledger.variables" -}}
{{- $own := index .root.Values.services .service }}
{{- $given := merge (dict) $own.environment .root.Values.environment }}
{{- range include "jobledger.ownVariables" . | fromYamlArray }}
{{- if not (hasKey $given .name) }}
- {{ toYaml . | nindent 2 | trim }}
{{- end }}
{{- end }}
{{- include "jobledger.environment" (dict "maps" (list .root.Values.environment $own.environment) "optional" .optional) }}
{{- end -}}

{{- define "jobledger.variablesFrom" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $uses := index (include "jobledger.services" $root | fromYaml) $service }}
{{- $own := index $root.Values.services $service }}
{{- $hasTls := and (eq $service "api") $root.Values.api.tlsSecret }}
{{- $secrets := merge (dict) $own.secrets $root.Values.secrets }}
{{- range $uses.servers }}
{{- with index $secrets . }}
- secretRef: { name: {{ . }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- end }}
{{- end -}}

{{- define "jobledger.volumeMounts" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $uses := index (include "jobledger.services" $root | fromYaml) $service }}
{{- $own := index $root.Values.services $service }}
{{- $hasTls := and (eq $service "api") $root.Values.api.tlsSecret }}
- { name: tmp, mountPath: /tmp }
{{- if eq (include "jobledger.mountsCluster" .) "true" }}
- { name: {{ .optional | ternary (printf "cluster-%s" $service) "cluster" }}, mountPath: /etc/jobledger/cluster, readOnly: true }
{{- end }}
{{- if eq $service "api" }}
- { name: tokens, mountPath: /etc/jobledger/api, readOnly: true }
{{- end }}
{{- if and (has $service (list "ingester" "api")) $root.Values.audit.nameKeySecret }}
- { name: audit-name-key, mountPath: /etc/jobledger/audit, readOnly: true }
{{- end }}
{{- if $hasTls }}
- { name: api-certificate, mountPath: /etc/jobledger/certificates/api, readOnly: true }
{{- end }}
{{- if and (eq $service "projector") $root.Values.sink.tokenSecret }}
- { name: sink, mountPath: /etc/jobledger/sink, readOnly: true }
{{- end }}
{{- if eq $service "projector" }}
{{- range $at, $secret := $root.Values.sink.secrets }}
- { name: sink-{{ $at }}, mountPath: /etc/jobledger/sinks/{{ $secret }}, readOnly: true }
{{- end }}
{{- end }}
{{- range $uses.servers }}
{{- if index $root.Values.certificates . }}
- { name: {{ . }}-certificates, mountPath: /etc/jobledger/certificates/{{ . }}, readOnly: true }
{{- end }}
{{- end }}
{{- with $root.Values.volumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "jobledger.volumes" -}}
{{- $root := .root }}
{{- $service := .service }}
{{- $uses := index (include "jobledger.services" $root | fromYaml) $service }}
{{- $own := index $root.Values.services $service }}
{{- $hasTls := and (eq $service "api") $root.Values.api.tlsSecret }}
- name: tmp
  emptyDir: {}
{{- if eq (include "jobledger.mountsCluster" .) "true" }}
- name: {{ .optional | ternary (printf "cluster-%s" $service) "cluster" }}
  {{- if $root.Values.cluster.contexts }}
  secret: { secretName: {{ index (merge (dict) $own.secrets $root.Values.secrets) "kubeconfig" }}{{ if $.optional }}, optional: true{{ end }} }
  {{- else }}
  configMap: { name: {{ include "jobledger.name" $root }} }
  {{- end }}
{{- end }}
{{- if eq $service "api" }}
- name: tokens
  secret: { secretName: {{ $root.Values.api.tokensSecret }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- if and (has $service (list "ingester" "api")) $root.Values.audit.nameKeySecret }}
- name: audit-name-key
  secret: { secretName: {{ $root.Values.audit.nameKeySecret }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- if $hasTls }}
- name: api-certificate
  secret: { secretName: {{ $root.Values.api.tlsSecret }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- if and (eq $service "projector") $root.Values.sink.tokenSecret }}
- name: sink
  secret: { secretName: {{ $root.Values.sink.tokenSecret }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- if eq $service "projector" }}
{{- range $at, $secret := $root.Values.sink.secrets }}
- name: sink-{{ $at }}
  secret: { secretName: {{ $secret }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- end }}
{{- range $server := $uses.servers }}
{{- with index $root.Values.certificates $server }}
- name: {{ $server }}-certificates
  secret: { secretName: {{ . }}{{ if $.optional }}, optional: true{{ end }} }
{{- end }}
{{- end }}
{{- with $root.Values.volumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* Where every pod of the release runs, and with which image. */}}
{{- define "jobledger.placement" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
