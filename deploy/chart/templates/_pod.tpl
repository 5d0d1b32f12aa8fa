{{/* What every process has in common. Each is called with a dict: root, the release's context, and what differs. */}}

{{- define "guidesmith.name" -}}
{{- if contains "guidesmith" .Release.Name }}{{ .Release.Name }}{{ else }}{{ printf "%s-guidesmith" .Release.Name }}{{ end }}
{{- end }}

{{- define "guidesmith.selector" -}}
app.kubernetes.io/name: guidesmith
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "guidesmith.labels" -}}
{{ include "guidesmith.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "guidesmith.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := get $image.digests .role -}}
{{- if $digest }}{{ $image.repository }}@{{ $digest }}{{ else }}{{ $image.repository }}:{{ $image.tag | default .root.Chart.AppVersion }}-{{ .role }}{{ end }}
{{- end }}

{{/* Secrets of a process, by variable: those of everywhere, its own laid over them. */}}
{{- define "guidesmith.keys" -}}
{{- $secrets := .root.Values.secrets -}}
{{- merge (dict) (get $secrets .secrets) $secrets.everywhere | toYaml }}
{{- end }}

{{/* Sealed pods: no privilege, a file system that is only read, no token of the cluster's own. */}}
{{- define "guidesmith.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- if .root.Values.userNamespaces }}
hostUsers: false
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .process.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .process.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "guidesmith.container" -}}
image: {{ include "guidesmith.image" . | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
args: {{ toJson .args }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
resources: {{ toYaml .process.resources | nindent 2 }}
env:
{{- $own := .own | default dict }}
{{- $given := merge (dict) (.process.env | default dict) $own .root.Values.settings }}
{{- $keys := include "guidesmith.keys" . | fromYaml }}
{{- range $name, $value := $given }}
{{- if hasKey $keys $name }}
{{- fail (printf "%s is a secret of the chart, and stands among the settings, too" $name) }}
{{- end }}
{{- if regexMatch "(_SECRET|_SECRETS|_KEY|_TOKEN|_PASSWORD|DATABASE_URL|STORAGE_URL|SECRET_ACCESS_KEY|_HEADERS)$" $name }}
{{- fail (printf "%s is a secret: put it into a Secret, and its key under secrets" $name) }}
{{- end }}
{{- if not (eq (toString $value) "") }}
  - { name: {{ $name }}, value: {{ toString $value | quote }} }
{{- end }}
{{- end }}
{{- range $name, $key := $keys }}
  - { name: {{ $name }}_FILE, value: /run/secrets/guidesmith/{{ $key }} }
{{- end }}
volumeMounts:
  - { name: secrets, mountPath: /run/secrets/guidesmith, readOnly: true }
  - { name: scratch, mountPath: /var/lib/guidesmith, subPath: data }
  - { name: scratch, mountPath: /tmp, subPath: tmp }
{{- end }}

{{- define "guidesmith.volumes" -}}
{{- $keys := include "guidesmith.keys" . | fromYaml -}}
volumes:
  - name: secrets
    secret:
      secretName: {{ .root.Values.secrets.name }}
      defaultMode: 0440
      items:
{{- range $key := values $keys | uniq | sortAlpha }}
        - { key: {{ $key }}, path: {{ $key }} }
{{- end }}
  - name: scratch
    emptyDir: { sizeLimit: {{ .process.scratch | default "1Gi" }} }
{{- end }}

{{- define "guidesmith.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "guidesmith.selector" . | nindent 8 }}
  - maxSkew: 1
    topologyKey: topology.kubernetes.io/zone
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{ include "guidesmith.selector" . | nindent 8 }}
{{- end }}
