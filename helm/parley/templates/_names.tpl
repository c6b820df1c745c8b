{{/* Names, labels and addresses that the objects of a release share. */}}

{{- define "parley.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Labels that select the pods of one component; of all, where `component` is empty. */}}
{{- define "parley.selector" -}}
app.kubernetes.io/name: {{ default .root.Chart.Name .root.Values.nameOverride }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}

{{- define "parley.labels" -}}
{{ include "parley.selector" . }}
app.kubernetes.io/part-of: parley
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Selects a component's pods in a peer of a network policy. */}}
{{- define "parley.peer" -}}
podSelector:
  matchLabels:
    {{- include "parley.selector" . | nindent 4 }}
{{- end -}}

{{- define "parley.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "parley.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Address inside the cluster of one of this release's services. */}}
{{- define "parley.host" -}}
{{- printf "%s-%s.%s.svc.%s" (include "parley.fullname" .root) .service .root.Release.Namespace .root.Values.clusterDomain -}}
{{- end -}}

{{/* "true" where this release runs the store itself, else empty. */}}
{{- define "parley.runsStore" -}}
{{- $external := index .root.Values.external .store -}}
{{- if and .root.Values.global.embedded (not $external.existingSecret) -}}
{{- if or (ne .store "clickhouse") .root.Values.clickhouse.enabled -}}true{{- end -}}
{{- end -}}
{{- end -}}

{{/* "true" where there is a LiveKit server, this release's or another, else empty. */}}
{{- define "parley.hasRooms" -}}
{{- if or .Values.livekit.enabled .Values.external.livekit.url -}}true{{- end -}}
{{- end -}}

{{- define "parley.runsLiveKit" -}}
{{- if and .Values.livekit.enabled (not .Values.external.livekit.url) -}}true{{- end -}}
{{- end -}}

{{- define "parley.hasClickhouse" -}}
{{- if or .Values.external.clickhouse.existingSecret (include "parley.runsStore" (dict "root" . "store" "clickhouse")) -}}true{{- end -}}
{{- end -}}
