{{/*
Who may speak to whom, by policy's name. The first closes everything; every other one opens one named path. Takes root,
roles (components that join the bus) and pools.
*/}}
{{- define "parley.networkPolicies" -}}
{{- $root := .root -}}
{{- $policy := $root.Values.networkPolicy -}}
{{- $external := $root.Values.external -}}
default-deny:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "") | nindent 6 }}
  policyTypes: [Ingress, Egress]
names:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "") | nindent 6 }}
  policyTypes: [Egress]
  egress:
    - to:
        {{- toYaml $policy.dnsTo | nindent 8 }}
      ports: [{ port: 53, protocol: UDP }, { port: 53, protocol: TCP }]
edge-clients:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "edge") | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    - ports: [{ port: 8080, protocol: TCP }]
      {{- with $policy.edgeFrom }}
      from:
        {{- toYaml . | nindent 8 }}
        - {{- include "parley.peer" (dict "root" $root "component" "test") | nindent 10 }}
        {{- if $root.Values.livekit.sip.enabled }}
        - {{- include "parley.peer" (dict "root" $root "component" "livekit") | nindent 10 }}
        {{- end }}
      {{- end }}
metrics:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "") | nindent 6 }}
      parley.dev/metrics: "true"
  policyTypes: [Ingress]
  ingress:
    - ports: [{ port: 9464, protocol: TCP }]
      from:
        {{- toYaml $policy.metricsFrom | nindent 8 }}
test:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "test") | nindent 6 }}
  policyTypes: [Egress]
  egress:
    - to:
        - {{- include "parley.peer" (dict "root" $root "component" "edge") | nindent 10 }}
      ports: [{ port: 8080, protocol: TCP }]
{{- $users := dict "nats" .roles "redis" (list "edge" "control-plane") "database" (list "control-plane" "migration") "clickhouse" (list "control-plane") }}
{{- if include "parley.livekitMeets" $root }}
{{- $_ := set $users "redis" (concat (get $users "redis") (list "livekit" "livekit-sip")) }}
{{- end }}
{{- range $store, $components := $users }}
{{- $runs := include "parley.runsStore" (dict "root" $root "store" $store) }}
{{- $address := index $external $store }}
{{- if or $runs $address.existingSecret }}
{{ $store }}-out:
  podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
      - { key: app.kubernetes.io/component, operator: In, values: [{{ join ", " $components }}] }
  policyTypes: [Egress]
  egress:
    {{- if $runs }}
    - to:
        - {{- include "parley.peer" (dict "root" $root "component" (ternary "postgres" $store (eq $store "database"))) | nindent 10 }}
      ports: [{ port: {{ get (dict "nats" 4222 "redis" 6379 "database" 5432 "clickhouse" 8123) $store }}, protocol: TCP }]
    {{- else }}
    - to:
        {{- range $address.cidrs }}
        - ipBlock:
            {{- include "parley.block" . | nindent 12 }}
        {{- end }}
      ports: [{ port: {{ int $address.port }}, protocol: TCP }]
    {{- end }}
{{- if $runs }}
{{ $store }}-in:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" (ternary "postgres" $store (eq $store "database"))) | nindent 6 }}
  policyTypes: [Ingress]
  ingress:
    - from:
        - podSelector:
            matchExpressions:
              - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
              - { key: app.kubernetes.io/component, operator: In, values: [{{ join ", " $components }}] }
        {{- if and (eq $store "redis") (include "parley.livekitMeets" $root) (or $root.Values.livekit.hostNetwork $root.Values.livekit.sip.hostNetwork) }}
        # What is on its node's network comes from the node's address.
        {{- range $address.cidrs }}
        - ipBlock:
            {{- include "parley.block" . | nindent 12 }}
        {{- end }}
        {{- end }}
      ports: [{ port: {{ get (dict "nats" 4222 "redis" 6379 "database" 5432 "clickhouse" 8123) $store }}, protocol: TCP }]
{{- end }}
{{- end }}
{{- end }}
{{- if include "parley.runsLiveKit" $root }}
{{- $ports := list (dict "port" 7880 "protocol" "TCP") (dict "port" (int $root.Values.livekit.tcpPort) "protocol" "TCP") (dict "port" (int $root.Values.livekit.udpPort) "protocol" "UDP") }}
livekit-out:
  podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
      - { key: app.kubernetes.io/component, operator: In, values: [edge, control-plane, agent, livekit-sip] }
  policyTypes: [Egress]
  egress:
    - to:
        - {{- include "parley.peer" (dict "root" $root "component" "livekit") | nindent 10 }}
      ports:
        {{- toYaml $ports | nindent 8 }}
    {{- if or $root.Values.livekit.hostNetwork $root.Values.livekit.useExternalIp $root.Values.livekit.nodeIp }}
    # Runtimes too are told the address that callers are told: a node's or a balancer's, which no label selects.
    - to:
        {{- include "parley.everywhere" (dict "private" true) | nindent 8 }}
      ports:
        {{- toYaml $ports | nindent 8 }}
    {{- end }}
livekit-media:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "livekit") | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports:
        {{- toYaml $ports | nindent 8 }}
        {{- if $root.Values.livekit.turn.enabled }}
        - { port: {{ int $root.Values.livekit.turn.udpPort }}, protocol: UDP }
        - { port: {{ int $root.Values.livekit.turn.tlsPort }}, protocol: TCP }
        {{- end }}
  # Audio goes to callers wherever they are, at ports of theirs.
  egress:
    - to:
        {{- include "parley.everywhere" (dict "private" true) | nindent 8 }}
{{- else if $external.livekit.url }}
livekit-out:
  podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
      - { key: app.kubernetes.io/component, operator: In, values: [edge, control-plane, agent, livekit-sip] }
  policyTypes: [Egress]
  # Its media ports are unknown here: TCP and UDP to its addresses.
  egress:
    - to:
        {{- range $external.livekit.cidrs }}
        - ipBlock:
            {{- include "parley.block" . | nindent 12 }}
        {{- end }}
      ports: [{ port: {{ int $external.livekit.port }}, protocol: TCP }, { port: 1024, endPort: 65535, protocol: UDP }]
{{- end }}
{{- if $root.Values.livekit.sip.enabled }}
livekit-sip:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "livekit-sip") | nindent 6 }}
  policyTypes: [Ingress, Egress]
  ingress:
    - ports:
        - { port: {{ int $root.Values.livekit.sip.sipPort }}, protocol: UDP }
        - { port: {{ int $root.Values.livekit.sip.sipPort }}, protocol: TCP }
        - { port: {{ int $root.Values.livekit.sip.rtpPorts.first }}, endPort: {{ int $root.Values.livekit.sip.rtpPorts.last }}, protocol: UDP }
  egress:
    - to:
        {{- include "parley.everywhere" (dict "private" true) | nindent 8 }}
{{- end }}
# Webhooks, tools, language models and an S3 store: nobody else leaves the cluster.
outbound:
  podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
      - { key: app.kubernetes.io/component, operator: In, values: [control-plane, agent] }
  policyTypes: [Egress]
  egress:
    - to:
        {{- include "parley.everywhere" (dict "private" false) | nindent 8 }}
      ports:
        {{- range $policy.outboundPorts }}
        - { port: {{ int . }}, protocol: TCP }
        {{- end }}
{{- $downloads := list }}
{{- range $component, $pool := .pools }}{{- if $pool.downloads }}{{- $downloads = append $downloads $component }}{{- end }}{{- end }}
{{- if $downloads }}
model-downloads:
  podSelector:
    matchExpressions:
      - { key: app.kubernetes.io/instance, operator: In, values: [{{ $root.Release.Name }}] }
      - { key: app.kubernetes.io/component, operator: In, values: [{{ join ", " $downloads }}] }
  policyTypes: [Egress]
  egress:
    - to:
        {{- include "parley.everywhere" (dict "private" false) | nindent 8 }}
      ports: [{ port: 443, protocol: TCP }]
{{- end }}
{{- with $root.Values.settings.OTEL_EXPORTER_OTLP_ENDPOINT }}
tracing:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "") | nindent 6 }}
      parley.dev/metrics: "true"
  policyTypes: [Egress]
  egress:
    - to:
        {{- toYaml $policy.tracingTo | nindent 8 }}
      ports: [{ port: {{ regexFind ":[0-9]+" (urlParse .).host | trimPrefix ":" | default "4317" }}, protocol: TCP }]
{{- end }}
{{- $extras := dict "edge" "edge" "scheduler" "scheduler" "controlPlane" "control-plane" "agent" "agent" "worker" "worker" }}
{{- range $name, $role := $extras }}
{{- with index $policy.extraEgress $name }}
extra-{{ $role }}:
  podSelector:
    matchLabels:
      {{- include "parley.selector" (dict "root" $root "component" "") | nindent 6 }}
      parley.dev/role: {{ $role }}
  policyTypes: [Egress]
  egress:
    {{- toYaml . | nindent 4 }}
{{- end }}
{{- end }}
{{- end -}}

{{/* A block without the addresses at which clouds give out credentials. */}}
{{- define "parley.block" -}}
cidr: {{ . }}
{{- if eq . "0.0.0.0/0" }}
except: [169.254.0.0/16]
{{- else if eq . "::/0" }}
except: ["fe80::/10", "fd00:ec2::254/128"]
{{- end }}
{{- end -}}

{{/* Every address but that of the metadata service; without `private`, none of a private network either. */}}
{{- define "parley.everywhere" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 169.254.0.0/16
      {{- if not .private }}
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 172.16.0.0/12
      - 192.168.0.0/16
      {{- end }}
- ipBlock:
    cidr: ::/0
    except:
      - fe80::/10
      {{- if .private }}
      - fd00:ec2::254/128
      {{- else }}
      - fc00::/7
      {{- end }}
{{- end -}}
