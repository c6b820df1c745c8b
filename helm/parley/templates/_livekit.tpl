{{/* "true" where LiveKit's servers need Redis to find each other, or its SIP server. */}}
{{- define "parley.livekitMeets" -}}
{{- if or .Values.livekit.sip.enabled (gt (int .Values.livekit.replicas) 1) -}}true{{- end -}}
{{- end -}}

{{- define "parley.livekitConfiguration" -}}
port: 7880
rtc:
  tcp_port: {{ .Values.livekit.tcpPort }}
  udp_port: {{ .Values.livekit.udpPort }}
  use_external_ip: {{ .Values.livekit.useExternalIp }}
logging: { level: warn, json: true }
{{- if .Values.livekit.sip.enabled }}
webhook:
  api_key: parley
  urls: [{{ printf "http://%s:%d/livekit/events" (include "parley.host" (dict "root" . "service" "edge")) (int .Values.edge.service.port) | quote }}]
{{- end }}
{{- with .Values.livekit.turn }}
{{- if .enabled }}
turn:
  enabled: true
  domain: {{ .domain | quote }}
  udp_port: {{ .udpPort }}
  {{- if .tlsSecret }}
  tls_port: {{ .tlsPort }}
  cert_file: /etc/turn/tls.crt
  key_file: /etc/turn/tls.key
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* With the passwords in it: it is stored in a Secret. */}}
{{- define "parley.sipConfiguration" -}}
{{- include "parley.generate" . -}}
ws_url: {{ include "parley.livekitUrl" . | quote }}
redis:
  address: {{ printf "%s:6379" (include "parley.host" (dict "root" . "service" "redis")) | quote }}
  username: default
  password: {{ .Values.generated.REDIS_PASSWORD | quote }}
sip_port: {{ .Values.livekit.sip.sipPort }}
rtp_port: {{ printf "%d-%d" (int .Values.livekit.sip.rtpPorts.first) (int .Values.livekit.sip.rtpPorts.last) | quote }}
use_external_ip: {{ .Values.livekit.useExternalIp }}
health_port: 8090
prometheus_port: 6789
logging: { level: warn, json: true }
{{- end -}}

{{- define "parley.livekitUrl" -}}
{{- if .Values.external.livekit.url -}}
{{- .Values.external.livekit.url -}}
{{- else -}}
{{- printf "ws://%s:7880" (include "parley.host" (dict "root" . "service" "livekit")) -}}
{{- end -}}
{{- end -}}
