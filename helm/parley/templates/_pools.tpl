{{/* Pools of workers: what a pool says, over what pools of its kind have in common. */}}

{{- define "parley.cpuPool" -}}
{{- mergeOverwrite (deepCopy .root.Values.workerDefaults) (deepCopy .pool) | toYaml -}}
{{- end -}}

{{- define "parley.gpuPool" -}}
{{- mergeOverwrite (deepCopy .root.Values.workerDefaults) (deepCopy .root.Values.gpuWorkerDefaults) (deepCopy .pool) | toYaml -}}
{{- end -}}

{{/* Every pool by its component's name, merged. */}}
{{- define "parley.pools" -}}
{{- $root := . -}}
{{- range .Values.cpuWorkers }}
worker-{{ .name }}:
  {{- include "parley.cpuPool" (dict "root" $root "pool" .) | nindent 2 }}
{{- end }}
{{- range .Values.gpuWorkers }}
worker-{{ .name }}:
  {{- include "parley.gpuPool" (dict "root" $root "pool" .) | nindent 2 }}
{{- end }}
{{- end -}}

{{/* What can be scaled, by component. */}}
{{- define "parley.scaled" -}}
edge:
  {{- toYaml .Values.edge | nindent 2 }}
{{- if include "parley.hasRooms" . }}
agent:
  {{- toYaml .Values.agent | nindent 2 }}
{{- end }}
{{- include "parley.pools" . }}
{{- end -}}

{{/* Every workload of a role, by component. */}}
{{- define "parley.workloads" -}}
{{ include "parley.scaled" . }}
scheduler:
  {{- toYaml .Values.scheduler | nindent 2 }}
control-plane:
  {{- toYaml .Values.controlPlane | nindent 2 }}
{{- end -}}

{{/* How many pods a workload has at least. */}}
{{- define "parley.leastReplicas" -}}
{{- if and .autoscaling (ne .autoscaling.type "none") -}}
{{- .autoscaling.minReplicas -}}
{{- else -}}
{{- .replicas -}}
{{- end -}}
{{- end -}}
