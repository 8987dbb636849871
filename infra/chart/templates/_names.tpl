{{/* The services, with the servers that each uses and whether it calls the API server. */}}
{{- define "jobledger.services" -}}
ingester: { servers: [kafka], callsCluster: true }
dispatcher: { servers: [kafka, temporal], callsCluster: false }
worker: { servers: [kafka, temporal, postgres], callsCluster: true }
projector: { servers: [kafka, postgres], callsCluster: false }
api: { servers: [kafka, temporal, postgres], callsCluster: true }
{{- end -}}

{{/* The Deployments, each with its service: one of the ingester for each shard of a cluster. */}}
{{- define "jobledger.deployments" -}}
{{- $shards := int .Values.services.ingester.shards }}
{{- range $service, $uses := include "jobledger.services" . | fromYaml }}
{{- if and (eq $service "ingester") (gt $shards 1) }}
{{- range $index := untilStep 1 (int (add1 $shards)) 1 }}
ingester-{{ $index }}: { service: ingester, shard: "{{ $index }}" }
{{- end }}
{{- else }}
{{ $service }}: { service: {{ $service }} }
{{- end }}
{{- end }}
{{- end -}}

{{/* The release's name, which begins the name of every object. */}}
{{- define "jobledger.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "jobledger.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end -}}

{{- define "jobledger.selector" -}}
app.kubernetes.io/name: jobledger
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- with .shard }}
jobledger.dev/shard: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "jobledger.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "jobledger.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/* Refuses values that need cluster-wide rights if only given namespaces are watched and changed. */}}
{{- define "jobledger.requireNamespacedRights" -}}
{{- if .Values.namespaces }}
{{- if .Values.api.people }}
{{- fail "api.people needs rights in the whole cluster (TokenReview, SubjectAccessReview): set it to false, or leave `namespaces` empty" }}
{{- end }}
{{- if .Values.managedByPolicy.enabled }}
{{- fail "managedByPolicy installs a MutatingAdmissionPolicy, an object of the whole cluster: set managedByPolicy.enabled to false, or leave `namespaces` empty" }}
{{- end }}
{{- end }}
{{- end -}}
