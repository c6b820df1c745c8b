{{/*
The environment of the roles. files/role-settings.yaml says which settings a role reads; a role is given those and no
others, so that a secret is only where it is needed.
*/}}

{{/* A value of `settings` as the text that a variable holds. */}}
{{- define "parley.settingText" -}}
{{- if kindIs "bool" . -}}
{{- ternary "on" "off" . -}}
{{- else if kindIs "float64" . -}}
{{- int64 . -}}
{{- else if kindIs "slice" . -}}
{{- join "," . -}}
{{- else if kindIs "map" . -}}
{{- $pairs := list -}}
{{- range $name, $value := . -}}{{- $pairs = append $pairs (printf "%s=%v" $name $value) -}}{{- end -}}
{{- join "," $pairs -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{/* Where each secret setting comes from: a dict of secret, key and optional; empty where nobody has it. */}}
{{- define "parley.secretSource" -}}
{{- $root := .root -}}
{{- $own := include "parley.secretName" $root -}}
{{- $stores := dict "NATS_URL" "nats" "REDIS_URL" "redis" "DATABASE_URL" "database" "CLICKHOUSE_URL" "clickhouse" -}}
{{- if hasKey $stores .name -}}
  {{- $store := get $stores .name -}}
  {{- $external := index $root.Values.external $store -}}
  {{- if $external.existingSecret -}}
    {{- dict "secret" $external.existingSecret "key" $external.key | toJson -}}
  {{- else if include "parley.runsStore" (dict "root" $root "store" $store) -}}
    {{- dict "secret" $own "key" .name | toJson -}}
  {{- end -}}
{{- else if has .name (list "LIVEKIT_API_KEY" "LIVEKIT_API_SECRET") -}}
  {{- if $root.Values.external.livekit.url -}}
    {{- dict "secret" $root.Values.external.livekit.existingSecret "key" .name | toJson -}}
  {{- else if include "parley.runsLiveKit" $root -}}
    {{- dict "secret" $own "key" .name | toJson -}}
  {{- end -}}
{{- else if has .name (list "PARLEY_API_KEY" "PARLEY_SECRET_KEY" "PARLEY_OPERATOR_TOKEN") -}}
  {{- dict "secret" (default $own $root.Values.secrets.existingSecret) "key" .name | toJson -}}
{{- else if has .name (list "LLM_API_KEY" "AGENT_TEST_LLM_API_KEY" "TWILIO_TERMINATION_PASSWORD") -}}
  {{- with $root.Values.secrets.extraSecret -}}
    {{- dict "secret" . "key" $.name "optional" true | toJson -}}
  {{- end -}}
{{- else if or (and (eq .name "S3_SECRET_ACCESS_KEY") $root.Values.settings.S3_BUCKET) (and (eq .name "TWILIO_AUTH_TOKEN") $root.Values.settings.TWILIO_ACCOUNT_SID) -}}
  {{- /* Without a bucket or an account the key alone would stop the start. */ -}}
  {{- dict "secret" $root.Values.secrets.extraSecret "key" .name | toJson -}}
{{- end -}}
{{- end -}}

{{/* By which scheme the service is reached from outside: TLS ends at the Ingress, at the Gateway, or before them. */}}
{{- define "parley.scheme" -}}
{{- $hasTls := ternary (or .Values.ingress.tlsSecret .Values.ingress.tlsElsewhere) .Values.gateway.tls .Values.ingress.enabled -}}
{{- ternary "http" "https" (empty $hasTls) -}}
{{- end -}}

{{/* What the chart itself decides, by name; `settings` may say otherwise where the schema lets it. */}}
{{- define "parley.derivedSettings" -}}
{{- $root := .root -}}
HOST: "0.0.0.0"
PORT: "8080"
PARLEY_DATA_DIR: /data
PARLEY_METRICS_PORT: "9464"
PARLEY_PUBLIC_METRICS: "off"
PARLEY_DRAIN_MS: {{ mul 1000 .values.drainSeconds | quote }}
{{- if include "parley.hasClickhouse" $root }}
PARLEY_SPANS: "on"
{{- end }}
{{- if include "parley.runsLiveKit" $root }}
LIVEKIT_URL: {{ printf "ws://%s:7880" (include "parley.host" (dict "root" $root "service" "livekit")) }}
{{- else if $root.Values.external.livekit.url }}
LIVEKIT_URL: {{ $root.Values.external.livekit.url | quote }}
{{- end }}
{{- $livekitHost := default $root.Values.gateway.livekitHost $root.Values.ingress.livekitHost }}
{{- if $root.Values.livekit.publicUrl }}
LIVEKIT_PUBLIC_URL: {{ $root.Values.livekit.publicUrl | quote }}
{{- else if $livekitHost }}
{{- $hasTls := ternary (or $root.Values.ingress.livekitTlsSecret $root.Values.ingress.tlsElsewhere) $root.Values.gateway.tls (not (empty $root.Values.ingress.livekitHost)) }}
LIVEKIT_PUBLIC_URL: {{ printf "%s://%s" (ternary "ws" "wss" (empty $hasTls)) $livekitHost | quote }}
{{- end }}
{{- $host := default (ternary $root.Values.gateway.host "" $root.Values.gateway.enabled) (ternary $root.Values.ingress.host "" $root.Values.ingress.enabled) }}
{{- if $host }}
PARLEY_PUBLIC_URL: {{ printf "%s://%s" (include "parley.scheme" $root) $host | quote }}
{{- end }}
{{- if eq .role "worker" }}
PARLEY_WORKER_SLOTS: {{ .values.slots | quote }}
PARLEY_WORKER_LIVE_SLOTS: {{ .values.liveSlots | quote }}
{{- with .values.models }}
PARLEY_WORKER_MODELS: {{ join "," . | quote }}
{{- end }}
{{- with .values.providers }}
PARLEY_PROVIDERS: {{ join "," . | quote }}
{{- end }}
{{- with .values.downloads }}
{{- $folders := list }}
{{- range . }}{{ $folders = append $folders (printf "/models-cache/%s/models" (.sha256 | trunc 16)) }}{{ end }}
PARLEY_MODELS: {{ $folders | uniq | join "," | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The list of variables of a role, in the order of their names. Takes root, role and the values of the workload. */}}
{{- define "parley.environment" -}}
{{- $root := .root -}}
{{- $names := get ($root.Files.Get "files/role-settings.yaml" | fromYaml) .role -}}
{{- $derived := include "parley.derivedSettings" . | fromYaml -}}
{{- range $name := $names }}
{{- $source := include "parley.secretSource" (dict "root" $root "name" $name) }}
{{- $value := get $root.Values.settings $name }}
{{- if $source }}
{{ include "parley.fromSecret" (merge (dict "name" $name) ($source | fromJson)) }}
{{- else if hasKey $root.Values.settings $name }}
- { name: {{ $name }}, value: {{ include "parley.settingText" $value | quote }} }
{{- else if hasKey $derived $name }}
- { name: {{ $name }}, value: {{ get $derived $name | quote }} }
{{- end }}
{{- end }}
{{- end -}}
