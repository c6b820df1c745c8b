{{/* Up at once, down slowly: a pod that leaves drains what it holds, one that is missed takes long to come. */}}
{{- define "parley.scalingBehavior" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies: [{ type: Percent, value: 100, periodSeconds: 30 }, { type: Pods, value: 2, periodSeconds: 30 }]
scaleDown:
  stabilizationWindowSeconds: 300
  policies: [{ type: Pods, value: 1, periodSeconds: 60 }]
{{- end -}}

{{/* What a component is scaled by, as Prometheus knows it. */}}
{{- define "parley.trigger" -}}
{{- $scaling := .workload.autoscaling -}}
{{- $namespace := printf "namespace=%q" .root.Release.Namespace -}}
{{- if eq .component "edge" -}}
metricType: AverageValue
metadata:
  serverAddress: {{ .root.Values.keda.prometheusUrl | quote }}
  query: {{ printf "sum(parley_streams_active{%s}) + sum(parley_transcriptions_active{%s})" $namespace $namespace | quote }}
  threshold: {{ $scaling.streamsPerReplica | toString | quote }}
{{- else if eq .component "agent" -}}
metricType: AverageValue
metadata:
  serverAddress: {{ .root.Values.keda.prometheusUrl | quote }}
  query: {{ printf "sum(parley_conversations_active{%s})" $namespace | quote }}
  threshold: {{ $scaling.conversationsPerReplica | toString | quote }}
{{- else -}}
{{- $models := "" -}}
{{- with .workload.models -}}{{- $models = printf ",model=~%q" (join "|" .) -}}{{- end -}}
# How long a first chunk would wait: it grows with the queue and falls with every worker that joins.
metricType: Value
metadata:
  serverAddress: {{ .root.Values.keda.prometheusUrl | quote }}
  query: {{ printf "max(parley_scheduler_predicted_wait_seconds{%s%s})" $namespace $models | quote }}
  threshold: {{ $scaling.queueSeconds | toString | quote }}
{{- end -}}
{{- end -}}
