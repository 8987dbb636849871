{{/* The services, with the servers that each uses and whether it calls the API server. */}}
{{- define "jobledger.services" -}}
ingester: { servers: [kafka], callsCluster: true }
dispatcher: { servers: [kafka, temporal], callsCluster: false }
worker: { servers: [kafka, temporal, postgres], callsCluster: true }
projector: { servers: [kafka, postgres], callsCluster: false }
api: { servers: [kafka, temporal, postgres], callsCluster: true }
{{- end -}}

{{/* The release's name, which begins the name of every object. */}}
{{- define "jobledger.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "jobledger.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "jobledger.selector" -}}
app.kubernetes.io/name: jobledger
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
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
