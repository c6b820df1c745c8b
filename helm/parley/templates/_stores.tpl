{{/*
One embedded store as a StatefulSet with its Service. Takes root, name, user (its image's), values (image, resources,
persistence), port, and as YAML texts: container (fields of the container), volumes (of the pod), folder (where it stores).
*/}}
{{- define "parley.store" -}}
{{- $root := .root -}}
{{- $selector := dict "root" $root "component" .name -}}
{{- $persists := and .folder (default dict .values.persistence).enabled -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "parley.fullname" $root }}-{{ .name }}
  labels:
    {{- include "parley.labels" $selector | nindent 4 }}
spec:
  clusterIP: None
  selector:
    {{- include "parley.selector" $selector | nindent 4 }}
  ports:
    - { name: {{ .name }}, port: {{ .port }}, targetPort: {{ .name }} }
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ include "parley.fullname" $root }}-{{ .name }}
  labels:
    {{- include "parley.labels" $selector | nindent 4 }}
spec:
  serviceName: {{ include "parley.fullname" $root }}-{{ .name }}
  # For trying: one server, without a second to take over.
  replicas: 1
  selector:
    matchLabels:
      {{- include "parley.selector" $selector | nindent 6 }}
  template:
    metadata:
      annotations:
        checksum/secret: {{ include "parley.secretChecksum" $root }}
        {{- with .checksum }}
        checksum/config: {{ . }}
        {{- end }}
      labels:
        {{- include "parley.selector" $selector | nindent 8 }}
    spec:
      {{- include "parley.podCommon" (dict "root" $root "user" .user "group" .group) | nindent 6 }}
      {{- with include "parley.ownPriority" (dict "root" $root) }}
      priorityClassName: {{ . }}
      {{- end }}
      terminationGracePeriodSeconds: 60
      containers:
        - name: {{ .name }}
          image: {{ printf "%s:%s" .values.image.repository .values.image.tag | quote }}
          imagePullPolicy: IfNotPresent
          securityContext:
            {{- include "parley.containerSecurity" $root | nindent 12 }}
          ports:
            - { name: {{ .name }}, containerPort: {{ .port }} }
          {{- .container | nindent 10 }}
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            {{- with .folder }}
            - { name: data, mountPath: {{ . }} }
            {{- end }}
            {{- with .mounts }}
            {{- . | nindent 12 }}
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: {} }
        {{- if and .folder (not $persists) }}
        - { name: data, emptyDir: {} }
        {{- end }}
        {{- with .volumes }}
        {{- . | nindent 8 }}
        {{- end }}
  {{- if $persists }}
  volumeClaimTemplates:
    # With the server's defaults: in this list server-side apply takes what is left out for a difference.
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata: { name: data }
      spec:
        accessModes: [ReadWriteOnce]
        volumeMode: Filesystem
        {{- with .values.persistence.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ .values.persistence.size }} } }
      status: { phase: Pending }
  {{- end }}
{{- end -}}
