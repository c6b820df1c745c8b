{{/* What is particular to each embedded store's container. */}}

{{- define "parley.natsConfiguration" -}}
listen: 0.0.0.0:4222
http: 0.0.0.0:8222
max_payload: 8388608
jetstream { store_dir: /data }
authorization { user: parley, password: $NATS_PASSWORD }
{{- end -}}

{{- define "parley.natsContainer" -}}
args: [-c, /etc/nats/nats.conf]
env:
  {{- include "parley.fromSecret" (dict "name" "NATS_PASSWORD" "key" "NATS_PASSWORD" "secret" (include "parley.secretName" .)) | nindent 2 }}
startupProbe:
  httpGet: { path: /healthz, port: 8222 }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: "/healthz?js-server-only=true", port: 8222 }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /healthz, port: 8222 }
  periodSeconds: 5
{{- end -}}

{{- define "parley.redisContainer" -}}
# It is a cache: nothing of it is stored.
args: [--requirepass, $(REDIS_PASSWORD), --save, "", --appendonly, "no", --dir, /tmp]
env:
  {{- include "parley.fromSecret" (dict "name" "REDIS_PASSWORD" "key" "REDIS_PASSWORD" "secret" (include "parley.secretName" .)) | nindent 2 }}
  {{- include "parley.fromSecret" (dict "name" "REDISCLI_AUTH" "key" "REDIS_PASSWORD" "secret" (include "parley.secretName" .)) | nindent 2 }}
livenessProbe:
  tcpSocket: { port: redis }
  periodSeconds: 10
readinessProbe:
  exec: { command: [redis-cli, ping] }
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}

{{- define "parley.postgresContainer" -}}
env:
  - { name: POSTGRES_USER, value: parley }
  - { name: POSTGRES_DB, value: parley }
  - { name: PGDATA, value: /var/lib/postgresql/data/pgdata }
  {{- include "parley.fromSecret" (dict "name" "POSTGRES_PASSWORD" "key" "POSTGRES_PASSWORD" "secret" (include "parley.secretName" .)) | nindent 2 }}
startupProbe:
  exec: { command: [pg_isready, -U, parley, -d, parley] }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 90
livenessProbe:
  tcpSocket: { port: postgres }
  periodSeconds: 10
readinessProbe:
  exec: { command: [pg_isready, -U, parley, -d, parley] }
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}

{{- define "parley.clickhouseContainer" -}}
env:
  - { name: CLICKHOUSE_DB, value: parley }
  - { name: CLICKHOUSE_USER, value: parley }
  {{- include "parley.fromSecret" (dict "name" "CLICKHOUSE_PASSWORD" "key" "CLICKHOUSE_PASSWORD" "secret" (include "parley.secretName" .)) | nindent 2 }}
startupProbe:
  httpGet: { path: /ping, port: clickhouse }
  periodSeconds: 2
  failureThreshold: 90
livenessProbe:
  httpGet: { path: /ping, port: clickhouse }
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet: { path: /ping, port: clickhouse }
  periodSeconds: 5
  timeoutSeconds: 3
{{- end -}}
