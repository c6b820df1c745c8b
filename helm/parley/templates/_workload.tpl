{{/*
One Deployment of a role. Takes root, role (whose settings it gets), component (its name), entry (the compiled file that
it runs) and values (the workload's).
*/}}
{{- define "parley.deployment" -}}
{{- $root := .root -}}
{{- $values := .values -}}
{{- $isGpu := hasKey $values "gpu" -}}
{{- $scaled := and $values.autoscaling (ne (default dict $values.autoscaling).type "none") -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "parley.fullname" $root }}-{{ .component }}
  labels:
    {{- include "parley.labels" (dict "root" $root "component" .component) | nindent 4 }}
spec:
  {{- if not $scaled }}
  replicas: {{ int $values.replicas }}
  {{- end }}
  revisionHistoryLimit: 3
  # A rollout has failed when a pod is not there after the time that an old one may take to leave, and the new one to start.
  progressDeadlineSeconds: {{ include "parley.progressDeadline" (list $values.preStopSeconds $values.drainSeconds $values.startupSeconds) }}
  strategy:
    type: RollingUpdate
    {{- if and $isGpu (not $values.gpu.spare) }}
    # No GPU is free for a second pod: the old one leaves first.
    rollingUpdate: { maxSurge: 0, maxUnavailable: 1 }
    {{- else }}
    rollingUpdate: { maxSurge: 1, maxUnavailable: 0 }
    {{- end }}
  selector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" .component) | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/secret: {{ include "parley.secretChecksum" $root }}
        {{- with $values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      labels:
        {{- include "parley.selector" (dict "root" $root "component" .component) | nindent 8 }}
        parley.dev/role: {{ .role }}
        parley.dev/metrics: "true"
        {{- with $values.podLabels }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      {{- include "parley.podCommon" (dict "root" $root) | nindent 6 }}
      serviceAccountName: {{ include "parley.serviceAccount" $root }}
      {{- with (default (include "parley.ownPriority" (dict "root" $root)) $values.priorityClassName) }}
      priorityClassName: {{ . }}
      {{- end }}
      {{- with $values.runtimeClassName }}
      runtimeClassName: {{ . }}
      {{- end }}
      # What is in flight ends, or is handed over, before the pod is killed.
      terminationGracePeriodSeconds: {{ add (int $values.preStopSeconds) (int $values.drainSeconds) 15 }}
      {{- $tolerations := $values.tolerations }}
      {{- if $isGpu }}
      {{- if $values.gpu.tolerateTaint }}
      {{- $tolerations = append $tolerations (dict "key" $values.gpu.resourceName "operator" "Exists" "effect" "NoSchedule") }}
      {{- /* Nodes whose GPUs are divided or shared are tainted as those with whole ones. */}}
      {{- if and (hasPrefix "nvidia.com/" $values.gpu.resourceName) (ne $values.gpu.resourceName "nvidia.com/gpu") }}
      {{- $tolerations = append $tolerations (dict "key" "nvidia.com/gpu" "operator" "Exists" "effect" "NoSchedule") }}
      {{- end }}
      {{- end }}
      {{- end }}
      {{- include "parley.placement" (mergeOverwrite (deepCopy $values) (dict "tolerations" $tolerations)) | nindent 6 }}
      {{- if $values.spread }}
      {{- include "parley.spread" (dict "root" $root "component" .component) | nindent 6 }}
      {{- end }}
      {{- with $values.downloads }}
      initContainers:
        {{- range $index, $download := . }}
        {{- include "parley.download" (dict "root" $root "values" $values "download" $download "index" $index) | nindent 8 }}
        {{- end }}
      {{- end }}
      containers:
        - name: {{ .role }}
          image: {{ include "parley.image" (dict "root" $root "isGpu" $isGpu) }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          command: [node, {{ .entry }}]
          securityContext:
            {{- include "parley.containerSecurity" $root | nindent 12 }}
          env:
            {{- include "parley.environment" (dict "root" $root "role" .role "values" $values) | trim | nindent 12 }}
            - { name: PARLEY_MEMBER_ID, valueFrom: { fieldRef: { apiVersion: v1, fieldPath: metadata.name } } }
            # glibc's threads share two heaps, and it gives large buffers back as soon as they are freed, as `npm start` has it.
            - { name: MALLOC_ARENA_MAX, value: "2" }
            - { name: MALLOC_MMAP_THRESHOLD_, value: {{ ternary "32768" "131072" (eq .role "control-plane") | quote }} }
            {{- if has .role (list "edge" "worker" "control-plane") }}
            # V8's young generation stays small: it collects often what audio leaves behind.
            - { name: NODE_OPTIONS, value: --max-semi-space-size=2 }
            {{- end }}
          ports:
            {{- if eq .role "edge" }}
            - { name: http, containerPort: 8080 }
            {{- end }}
            - { name: metrics, containerPort: 9464 }
          # Liveness begins when this has succeeded: loading models and waiting for a database take their time.
          startupProbe:
            httpGet: { path: /startup, port: metrics }
            periodSeconds: 2
            timeoutSeconds: 5
            failureThreshold: {{ div (add (int $values.startupSeconds) 1) 2 }}
          # Of this process alone: a dependency that is away is no reason to kill it.
          livenessProbe:
            httpGet: { path: /live, port: metrics }
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            httpGet: { path: /ready, port: metrics }
            periodSeconds: 2
            timeoutSeconds: 3
            failureThreshold: 3
          {{- if gt (int $values.preStopSeconds) 0 }}
          # Balancers and proxies take as long to notice that the pod leaves: until then it serves.
          lifecycle: { preStop: { exec: { command: [sleep, {{ $values.preStopSeconds | toString | quote }}] } } }
          {{- end }}
          {{- $resources := $values.resources }}
          {{- if $isGpu }}
          {{- /* As the server stores it: otherwise server-side apply finds a difference in what is the same. */}}
          {{- $count := dict $values.gpu.resourceName (int $values.gpu.count | toString) }}
          {{- $resources = mergeOverwrite (deepCopy $resources) (dict "limits" $count "requests" $count) }}
          {{- end }}
          resources:
            {{- toYaml $resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            - { name: data, mountPath: /data }
            {{- if $isGpu }}
            - { name: shared-memory, mountPath: /dev/shm }
            {{- end }}
            {{- if $values.downloads }}
            - { name: models-cache, mountPath: /models-cache, readOnly: true }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: {} }
        - { name: data, emptyDir: {} }
        {{- if $isGpu }}
        - { name: shared-memory, emptyDir: { medium: Memory, sizeLimit: {{ $values.gpu.sharedMemory }} } }
        {{- end }}
        {{- if $values.downloads }}
        {{- if $values.modelCache.existingClaim }}
        - { name: models-cache, persistentVolumeClaim: { claimName: {{ $values.modelCache.existingClaim }} } }
        {{- else }}
        - { name: models-cache, emptyDir: { sizeLimit: {{ $values.modelCache.size }} } }
        {{- end }}
        {{- end }}
{{- end -}}

{{/* Which nodes pods may be on, by the workload's values. */}}
{{- define "parley.placement" -}}
{{- with .nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Keeps a component's pods on different hosts and in different zones, where that is possible. */}}
{{- define "parley.spread" -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "parley.selector" $ | nindent 8 }}
    matchLabelKeys: [pod-template-hash]
  {{- end }}
{{- end -}}

{{/* The sum of such seconds, and Kubernetes' own ten minutes for fetching images and models. */}}
{{- define "parley.progressDeadline" -}}
{{- $seconds := 600 -}}
{{- range . }}{{ $seconds = add $seconds (int .) }}{{ end -}}
{{- $seconds -}}
{{- end -}}

{{/* Fetches one model with its checksum. What a cache that outlives the pod has already is not fetched again. */}}
{{- define "parley.download" -}}
{{- $folder := printf "/models-cache/%s" (.download.sha256 | trunc 16) -}}
- name: download-{{ .index }}
  image: {{ include "parley.image" (dict "root" .root "isGpu" (hasKey .values "gpu")) }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  command:
    - sh
    - -c
    - |
      test -e "$PARLEY_DATA_DIR/complete" && exit 0
      node dist/cli/run.js models add "$MODEL_URL" --sha256 "$MODEL_SHA256" "$@" && touch "$PARLEY_DATA_DIR/complete"
    - download
    {{- with .download.name }}
    - --name
    - {{ . | quote }}
    {{- end }}
    {{- with .download.configSha256 }}
    - --config-sha256
    - {{ . | quote }}
    {{- end }}
  securityContext:
    {{- include "parley.containerSecurity" .root | nindent 4 }}
  env:
    - { name: MODEL_URL, value: {{ .download.url | quote }} }
    - { name: MODEL_SHA256, value: {{ .download.sha256 | quote }} }
    - { name: PARLEY_DATA_DIR, value: {{ $folder }} }
  resources:
    {{- toYaml .values.resources | nindent 4 }}
  volumeMounts:
    - { name: tmp, mountPath: /tmp }
    - { name: models-cache, mountPath: /models-cache }
{{- end -}}

{{- define "parley.image" -}}
{{- if .isGpu -}}
{{- printf "%s:%s" .root.Values.gpuImage.repository .root.Values.gpuImage.tag | quote -}}
{{- else -}}
{{- printf "%s:%s" .root.Values.image.repository .root.Values.image.tag | quote -}}
{{- end -}}
{{- end -}}

{{/* What every pod of the release has. The variables of services would look like settings that nobody knows. */}}
{{- define "parley.podCommon" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: {{ default 10001 .user }}
  runAsGroup: {{ default 10001 (default .user .group) }}
  fsGroup: {{ default 10001 (default .user .group) }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "parley.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end -}}

{{/*
The release's own priority class, where it makes some. Stores and LiveKit have it too: what has less could be pushed off its
node by a role that needs it.
*/}}
{{- define "parley.ownPriority" -}}
{{- if .root.Values.priorityClasses.create -}}
{{- include "parley.priorityName" (dict "root" .root "kind" "live") -}}
{{- end -}}
{{- end -}}

{{/* Cluster-wide: the namespace keeps two releases of one name apart. */}}
{{- define "parley.priorityName" -}}
{{- printf "%s-%s-%s" .root.Release.Namespace (include "parley.fullname" .root) .kind -}}
{{- end -}}
