{{/*
Generated secrets: made once, and read back from the cluster at every upgrade. One render makes them once, whichever
template asks first: they are remembered among the values.
*/}}

{{- define "parley.secretName" -}}
{{- printf "%s-secrets" (include "parley.fullname" .) -}}
{{- end -}}

{{/* Fills .Values.generated, by key. */}}
{{- define "parley.generate" -}}
{{- if not (hasKey .Values "generated") -}}
{{- $there := default dict (lookup "v1" "Secret" .Release.Namespace (include "parley.secretName" .)) -}}
{{- $data := default dict (get $there "data") -}}
{{- $made := dict -}}
{{- range $key, $length := dict "PARLEY_API_KEY" 48 "PARLEY_SECRET_KEY" 64 "PARLEY_OPERATOR_TOKEN" 48 "POSTGRES_PASSWORD" 32 "REDIS_PASSWORD" 32 "NATS_PASSWORD" 32 "CLICKHOUSE_PASSWORD" 32 "LIVEKIT_API_SECRET" 48 -}}
{{- if hasKey $data $key -}}
{{- $_ := set $made $key (get $data $key | b64dec) -}}
{{- else -}}
{{- $_ := set $made $key (randAlphaNum (int $length)) -}}
{{- end -}}
{{- end -}}
{{- if .Values.secrets.apiKey -}}
{{- $_ := set $made "PARLEY_API_KEY" .Values.secrets.apiKey -}}
{{- end -}}
{{- $_ := set .Values "generated" $made -}}
{{- end -}}
{{- end -}}

{{/* What the release's own Secret holds, as YAML: only what nobody else brings. */}}
{{- define "parley.secretData" -}}
{{- include "parley.generate" . -}}
{{- $made := .Values.generated -}}
{{- if not .Values.secrets.existingSecret }}
PARLEY_API_KEY: {{ $made.PARLEY_API_KEY | quote }}
PARLEY_SECRET_KEY: {{ $made.PARLEY_SECRET_KEY | quote }}
PARLEY_OPERATOR_TOKEN: {{ $made.PARLEY_OPERATOR_TOKEN | quote }}
{{- end }}
{{- if include "parley.runsStore" (dict "root" . "store" "nats") }}
NATS_PASSWORD: {{ $made.NATS_PASSWORD | quote }}
NATS_URL: {{ printf "nats://parley:%s@%s:4222" $made.NATS_PASSWORD (include "parley.host" (dict "root" . "service" "nats")) | quote }}
{{- end }}
{{- if include "parley.runsStore" (dict "root" . "store" "redis") }}
REDIS_PASSWORD: {{ $made.REDIS_PASSWORD | quote }}
REDIS_URL: {{ printf "redis://default:%s@%s:6379" $made.REDIS_PASSWORD (include "parley.host" (dict "root" . "service" "redis")) | quote }}
{{- end }}
{{- if include "parley.runsStore" (dict "root" . "store" "database") }}
POSTGRES_PASSWORD: {{ $made.POSTGRES_PASSWORD | quote }}
DATABASE_URL: {{ printf "postgres://parley:%s@%s:5432/parley" $made.POSTGRES_PASSWORD (include "parley.host" (dict "root" . "service" "postgres")) | quote }}
{{- end }}
{{- if include "parley.runsStore" (dict "root" . "store" "clickhouse") }}
CLICKHOUSE_PASSWORD: {{ $made.CLICKHOUSE_PASSWORD | quote }}
CLICKHOUSE_URL: {{ printf "http://parley:%s@%s:8123/parley" $made.CLICKHOUSE_PASSWORD (include "parley.host" (dict "root" . "service" "clickhouse")) | quote }}
{{- end }}
{{- if include "parley.runsLiveKit" . }}
LIVEKIT_API_KEY: parley
LIVEKIT_API_SECRET: {{ $made.LIVEKIT_API_SECRET | quote }}
LIVEKIT_KEYS: {{ printf "parley: %s" $made.LIVEKIT_API_SECRET | quote }}
{{- end }}
{{- end -}}

{{/* Changes with what the pods read from Secrets: those of this release, and others where the cluster shows them. */}}
{{- define "parley.secretChecksum" -}}
{{- $parts := list (include "parley.secretData" .) -}}
{{- $names := list .Values.secrets.existingSecret .Values.secrets.extraSecret -}}
{{- range .Values.external -}}
{{- $names = append $names .existingSecret -}}
{{- end -}}
{{- range $name := $names | compact | uniq | sortAlpha -}}
{{- $there := default dict (lookup "v1" "Secret" $.Release.Namespace $name) -}}
{{- $parts = append $parts (get $there "data" | toJson) -}}
{{- end -}}
{{- join "\n" $parts | sha256sum -}}
{{- end -}}

{{/* A variable from a Secret. */}}
{{- define "parley.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret | quote }}, key: {{ .key | quote }}{{ if .optional }}, optional: true{{ end }} }
{{- end -}}
