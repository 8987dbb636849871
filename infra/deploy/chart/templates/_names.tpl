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

{{/* Not empty if an autoscaler sets the number of replicas of a service. */}}
{{- define "jobledger.autoscaling" -}}
{{- with .autoscaling }}{{ if .enabled }}true{{ end }}{{ end }}
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

{{/* The labels of every object; pods have only those that select them, so that a new chart restarts no pod. */}}
{{- define "jobledger.labels" -}}
app.kubernetes.io/name: jobledger
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- with .shard }}
jobledger.dev/shard: {{ . | quote }}
{{- end }}
app.kubernetes.io/part-of: jobledger
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
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
{{- if .Values.api.oidc.issuer }}
{{- fail "api.oidc.issuer identifies people, for whom the API needs rights in the whole cluster (SubjectAccessReview): leave it empty, or leave `namespaces` empty" }}
{{- end }}
{{- if .Values.recordNodes }}
{{- fail "recordNodes needs rights in the whole cluster (nodes): set it to false, or leave `namespaces` empty" }}
{{- end }}
{{- if .Values.managedByPolicy.enabled }}
{{- fail "managedByPolicy installs a MutatingAdmissionPolicy, an object of the whole cluster: set managedByPolicy.enabled to false, or leave `namespaces` empty" }}
{{- end }}
{{- end }}
{{- end -}}

{{/* `true` if Jobledger may be the only Job controller of the cluster where the hooks run. With contexts, the chart does not know it. */}}
{{- define "jobledger.isSoleController" -}}
{{- and (eq .Values.claim "all") (not .Values.cluster.contexts) -}}
{{- end -}}

{{/* Refuses a migration by a Job that no controller runs until the services run, which wait for the migration. */}}
{{- define "jobledger.requireMigration" -}}
{{- if and (eq .Values.migrations "hook") (eq (include "jobledger.isSoleController" .) "true") }}
{{- fail "with claim=all, nothing runs the Job of migrations=hook while the built-in Job controller is off and Jobledger does not run yet: set migrations=projector" }}
{{- end }}
{{- end -}}

{{/* Refuses half of what signing in with an identity provider needs. */}}
{{- define "jobledger.requireProvider" -}}
{{- with .Values.api.oidc }}
{{- if and .issuer (not .audience) }}
{{- fail "api.oidc.issuer needs api.oidc.audience, the value that the `aud` of ID tokens must contain" }}
{{- end }}
{{- if and (or .audience .clientId .scope) (not .issuer) }}
{{- fail "api.oidc.audience, clientId and scope need api.oidc.issuer, the issuer of the ID tokens" }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Refuses values that name no cluster, or name clusters in two ways. */}}
{{- define "jobledger.requireClusters" -}}
{{- if .Values.cluster.contexts }}
{{- if .Values.cluster.name }}
{{- fail "cluster.name names one cluster; with cluster.contexts, the names of the contexts are those of the clusters: leave it empty" }}
{{- end }}
{{- range $service, $uses := include "jobledger.services" . | fromYaml }}
{{- $secrets := merge (dict) (index $.Values.services $service).secrets $.Values.secrets }}
{{- if and $uses.callsCluster (not $secrets.kubeconfig) }}
{{- fail (printf "cluster.contexts needs a Secret with the kubeconfig for the %s: set secrets.kubeconfig" $service) }}
{{- end }}
{{- end }}
{{- if .Values.managedByPolicy.enabled }}
{{- fail "managedByPolicy applies to the cluster of the release: install it in each cluster, with deploy=false" }}
{{- end }}
{{- else if not .Values.cluster.name }}
{{- fail "set cluster.name: the name of this cluster in the ledger, which never changes; or cluster.contexts, for several clusters" }}
{{- else if .Values.secrets.kubeconfig }}
{{- fail "secrets.kubeconfig is read for several clusters: name its contexts in cluster.contexts, and leave cluster.name empty" }}
{{- end }}
{{- end -}}
