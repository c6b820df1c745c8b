{{/* What no schema can say: values that need others. Each refusal names the value and what to do. */}}
{{- define "parley.check" -}}
{{- $values := .Values -}}
{{- $external := $values.external -}}
{{- if not $values.global.embedded -}}
  {{- range $store := list "nats" "redis" "database" -}}
    {{- if not (index $external $store).existingSecret -}}
      {{- fail (printf "external.%s.existingSecret is needed where global.embedded is false: a Secret whose key %s holds the server's address with its password" $store (index $external $store).key) -}}
    {{- end -}}
  {{- end -}}
{{- end -}}
{{- if and $external.livekit.url (not $external.livekit.existingSecret) -}}
  {{- fail "external.livekit.existingSecret is needed beside external.livekit.url: a Secret with LIVEKIT_API_KEY and LIVEKIT_API_SECRET" -}}
{{- end -}}
{{- if and $values.settings.S3_BUCKET (not $values.secrets.extraSecret) -}}
  {{- fail "secrets.extraSecret is needed beside settings.S3_BUCKET: a Secret with S3_SECRET_ACCESS_KEY" -}}
{{- end -}}
{{- if and $values.settings.TWILIO_ACCOUNT_SID (not $values.secrets.extraSecret) -}}
  {{- fail "secrets.extraSecret is needed beside settings.TWILIO_ACCOUNT_SID: a Secret with TWILIO_AUTH_TOKEN" -}}
{{- end -}}
{{- if and $values.secrets.apiKey $values.secrets.existingSecret -}}
  {{- fail "secrets.apiKey and secrets.existingSecret exclude each other" -}}
{{- end -}}
{{- if regexMatch "(?i)^(changeme|password|secret|parley|default|example|test|admin|0+|1234)" (default "" $values.secrets.apiKey) -}}
  {{- fail "secrets.apiKey is one that everybody would try: leave it out, and a random one is made" -}}
{{- end -}}
{{- $pools := concat $values.cpuWorkers $values.gpuWorkers -}}
{{- if not $pools -}}
  {{- fail "cpuWorkers and gpuWorkers are both empty: nobody would speak" -}}
{{- end -}}
{{- $names := list -}}
{{- range $pools -}}
  {{- if has .name $names -}}
    {{- fail (printf "cpuWorkers and gpuWorkers have two pools named %s" .name) -}}
  {{- end -}}
  {{- $names = append $names .name -}}
{{- end -}}
{{- range $pool := $values.gpuWorkers -}}
  {{- $merged := include "parley.gpuPool" (dict "root" $ "pool" $pool) | fromYaml -}}
  {{- if eq $merged.autoscaling.type "hpa" -}}
    {{- fail (printf "gpuWorkers[%s].autoscaling.type cannot be hpa: processor time says nothing about a GPU; use keda" $pool.name) -}}
  {{- end -}}
{{- end -}}
{{- range $what, $workload := include "parley.scaled" . | fromYaml -}}
  {{- if gt (int $workload.autoscaling.minReplicas) (int $workload.autoscaling.maxReplicas) -}}
    {{- fail (printf "%s.autoscaling.minReplicas is above maxReplicas" $what) -}}
  {{- end -}}
  {{- if and (eq $workload.autoscaling.type "keda") (not $values.keda.prometheusUrl) -}}
    {{- fail (printf "keda.prometheusUrl is needed where %s.autoscaling.type is keda" $what) -}}
  {{- end -}}
{{- end -}}
{{- if and $values.ingress.enabled (not $values.ingress.host) -}}
  {{- fail "ingress.host is needed where ingress.enabled is true" -}}
{{- end -}}
{{- if and $values.gateway.enabled (not $values.gateway.parents) -}}
  {{- fail "gateway.parents is needed where gateway.enabled is true" -}}
{{- end -}}
{{- if and $values.gateway.enabled (not $values.gateway.host) -}}
  {{- fail "gateway.host is needed where gateway.enabled is true" -}}
{{- end -}}
{{- if and $values.livekit.turn.enabled (not $values.livekit.turn.domain) -}}
  {{- fail "livekit.turn.domain is needed where livekit.turn.enabled is true" -}}
{{- end -}}
{{- if and $values.livekit.sip.enabled (not (include "parley.hasRooms" .)) -}}
  {{- fail "livekit.sip.enabled needs a LiveKit server: livekit.enabled or external.livekit.url" -}}
{{- end -}}
{{- if and $values.livekit.sip.enabled (not (include "parley.runsStore" (dict "root" . "store" "redis"))) -}}
  {{- fail "livekit.sip.enabled needs the Redis of this release: LiveKit and its SIP server meet there (global.embedded)" -}}
{{- end -}}
{{- if and (gt (int $values.livekit.replicas) 1) (not (include "parley.runsStore" (dict "root" . "store" "redis"))) -}}
  {{- fail "livekit.replicas above 1 needs the Redis of this release, through which its servers find each other" -}}
{{- end -}}
{{- if and (gt (int $values.livekit.replicas) 1) (include "parley.runsLiveKit" .) (not $values.livekit.hostNetwork) -}}
  {{- fail "livekit.replicas above 1 needs livekit.hostNetwork: audio must reach the one server that has the room, and a Service gives it to any" -}}
{{- end -}}
{{- range $flag, $api := dict "monitoring.serviceMonitor.enabled" "monitoring.coreos.com/v1" "monitoring.rules.enabled" "monitoring.coreos.com/v1" "gateway.enabled" "gateway.networking.k8s.io/v1" -}}
  {{- $on := $values -}}
  {{- range splitList "." $flag -}}{{- $on = get $on . -}}{{- end -}}
  {{- if and $on (not ($.Capabilities.APIVersions.Has $api)) -}}
    {{- fail (printf "%s needs %s, which this cluster does not have (helm template: --api-versions %s)" $flag $api $api) -}}
  {{- end -}}
{{- end -}}
{{- range $what, $workload := include "parley.scaled" . | fromYaml -}}
  {{- if and (eq $workload.autoscaling.type "keda") (not ($.Capabilities.APIVersions.Has "keda.sh/v1alpha1")) -}}
    {{- fail (printf "%s.autoscaling.type keda needs keda.sh/v1alpha1, which this cluster does not have (helm template: --api-versions keda.sh/v1alpha1)" $what) -}}
  {{- end -}}
{{- end -}}
{{- end -}}
